// privet in a browser: reads a survey or a questionnaire, and turns a person's answer into a report.
//
//     const survey = await Survey.read("https://example.org/surveys/drinks", { mostEpsilon: 1 });
//     const report = survey.randomize("tea");      // safe to send to anyone
//     survey.members(report);                      // what it names
//
// The twin of the Python package's side of a person: docs/algorithm.md says what both do, byte by byte.
// A mechanism's file is loaded when a contract names it.

import { bigEndian, hex, joined, secure, sha256, Stream } from "./privet-draws.js";
import { checkFields, inside, InvalidReport, InvalidSurvey, must, valid } from "./privet-integers.js";
import { mechanismOf } from "./privet-mechanisms.js";
import { checkId, checkText, different, InvalidAnswer, kindOf, questionOf, written } from "./privet-questions.js";

export { InvalidAnswer, InvalidReport, InvalidSurvey };

/**
 * @typedef {import("./privet-questions.js").Question} Question
 * @typedef {string | number | boolean | string[]} Answer a category, a list of options, or a number
 * @typedef {Answer | Record<string, any>} Answers one answer or, to a questionnaire, those to a page by their ids
 * @typedef {(survey: Survey, context: Uint8Array) => import("./privet-draws.js").Read} Source
 * where random bytes come from: the browser, or `keyed` of privet-keyed.js
 * @typedef {{ source?: Source }} Randomness
 */

/** What one person is asked: a question, or a few of them jointly. */
export class Page {
  /**
   * @param {number} number @param {Question[]} questions @param {string[][]} tables the names of their answers
   * @param {number} weight @param {import("./privet-integers.js").Mechanism} mechanism
   */
  constructor(number, questions, tables, weight, mechanism) {
    this.number = number;
    this.questions = questions;
    this.tables = tables;
    this.weight = weight;
    this.mechanism = mechanism;
  }

  /**
   * What a report depends on.
   * @param {any} answers by the questions' ids
   */
  value(answers) {
    const values = this.questions.map((one) => kindOf([one]).value(one, answers?.[one.id]));
    if (values.length < 2) return values[0];
    return values.reduce((sum, value, i) => {
      const { cell } = kindOf([this.questions[i]]);
      return sum * this.tables[i].length + (cell?.(this.questions[i], value) ?? value);
    }, 0);
  }

  /** @param {any} value @param {Stream} stream */
  sample(value, stream) {
    const { settled = (value) => value } = kindOf(this.questions);
    return this.mechanism.sample(settled(value, stream), stream);
  }

  /**
   * The name of what a report names.
   * @param {number} member @returns {string}
   */
  name(member) {
    const { options } = this.mechanism, [{ names }] = this.questions;
    if (options) return options(member).map((one) => names[one]).join(" + ") || "–";
    if (this.tables.length < 2) return names[member] ?? `– ${member - names.length + 1}`;
    return this.tables.reduceRight((/** @type {string[]} */ parts, table) => {
      parts.unshift(table[member % table.length]);
      member = Math.floor(member / table.length);
      return parts;
    }, []).join(" × ");
  }
}

/** A survey or a questionnaire. */
export class Survey {
  /**
   * Fetch a contract and check it.
   * @param {string | URL} url @param {{ mostEpsilon?: number, fingerprint?: string }} [options]
   */
  static async read(url, options) {
    const response = await fetch(url);
    must(response.ok, `status of ${url}`, "200");
    return Survey.from(await response.text(), options);
  }

  /**
   * Check a contract's text; refuse one that is not canonical, or not as private as it says.
   * @param {string} text
   * @param {{ mostEpsilon?: number, fingerprint?: string }} options the person's own limit, and what was published
   */
  static async from(text, { mostEpsilon = Infinity, fingerprint } = {}) {
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      must(false, "survey", "JSON");
    }
    const questions = questionsOf(found), pages = await pagesOf(found, questions);
    must(written(found) === text.trim(), "text", "canonical");
    const survey = new Survey(found, questions, pages, sha256(joined(text.trim())));
    must(survey.epsilon <= mostEpsilon, "epsilon", `at most ${mostEpsilon}`);
    must(!fingerprint || survey.fingerprint === fingerprint, "fingerprint", `${fingerprint}`);
    return survey;
  }

  /** @param {any} found @param {Question[]} questions @param {Page[]} pages @param {Uint8Array} hash of the text */
  constructor(found, questions, pages, hash) {
    /** @type {string} */ this.id = found.id;
    /** @type {string} */ this.title = found.title ?? found.question;
    /** @type {number} */ this.epsilon = found.epsilon;
    /** @type {1 | 2} */ this.version = found.privet;
    this.single = !found.pages;
    this.questions = questions;
    this.pages = pages;
    this.hash = hash;
    this.fingerprint = hex(hash);
    this.prefix = this.single ? 0 : pages.length <= 256 ? 1 : 2;
    this.reportBytes = this.prefix + pages.reduce((most, page) => Math.max(most, page.mechanism.size), 0);
  }

  /**
   * The page that a person is to answer, by public chance: it depends on nothing about the person.
   * @param {Randomness} options
   */
  draw(options = {}) {
    if (this.single) return this.pages[0];
    const total = this.pages.reduce((sum, page) => sum + page.weight, 0);
    let left = Number(this.#stream(joined("page"), options).below(total));
    return /** @type {Page} */ (this.pages.find((page) => (left -= page.weight) < 0));
  }

  /**
   * What a report on a page depends on.
   * @param {Answers} answers @param {Page} page
   */
  value(answers, page) {
    return page.value(this.single ? { [this.id]: answers } : answers);
  }

  /**
   * One report of an answer, safe to send to anyone.
   * @param {Answers} answers @param {Randomness & { page?: Page }} options the page that was drawn, if any
   */
  randomize(answers, options = {}) {
    const { page = this.draw(options) } = options, value = this.value(answers, page);
    const context = [this.single ? [] : page.number, value].flat().map(bigEndian);
    const report = page.sample(value, this.#stream(joined(...context), options));
    if (this.single) return report;
    const sent = new Uint8Array(this.reportBytes);
    sent.set([page.number, page.number >> 8].slice(0, this.prefix));
    sent.set(report, this.prefix);
    return sent;
  }

  /**
   * The page of a report, and its own part.
   * @param {Uint8Array} report @returns {[Page, Uint8Array]}
   */
  opened(report) {
    const number = report.slice(0, this.prefix).reduceRight((sum, byte) => 256 * sum + byte, 0);
    valid(report.length === this.reportBytes && number < this.pages.length);
    const page = this.pages[number], end = this.prefix + page.mechanism.size;
    valid(!report.slice(end).some(Boolean));
    return [page, report.slice(this.prefix, end)];
  }

  /**
   * The names of what a report names; refuses what is no report.
   * @param {Uint8Array} report
   */
  members(report) {
    const [page, own] = this.opened(report);
    return page.mechanism.members(own).map((member) => page.name(member));
  }

  /** @param {Uint8Array} context @param {Randomness} options */
  #stream(context, { source = () => secure }) {
    return new Stream(source(this, context));
  }
}

/** @param {any} found @returns {Question[]} */
function questionsOf(found) {
  const second = found?.privet === 2, single = !found?.questions;
  const field = (/** @type {any} */ one) => (second && one?.answers ? "answers" : "categories");
  inside("version", found?.privet, 1, 2);
  checkFields("a survey", found, single
    ? `privet id question ${field(found)} epsilon mechanism${second ? " stream" : ""}`
    : "privet id title epsilon questions pages stream");
  const { id, epsilon, stream, title, questions } = found;
  must(second ? stream === "hmac-sha256" : single, "stream", "hmac-sha256");
  must(typeof epsilon === "number" && 1e-12 <= epsilon && epsilon <= 100, "epsilon", "in [1e-12, 100]");
  if (single) return [questionOf(found)];
  checkId(id);
  checkText("title", title);
  must(Array.isArray(questions) && questions.length, "questions", "an array");
  for (const one of questions) checkFields("a question", one, `id question ${field(one)}`);
  different("ids", questions.map((/** @type {any} */ one) => one.id));
  return questions.map(questionOf);
}

/** @param {any} found @param {Question[]} questions @returns {Promise<Page[]>} */
async function pagesOf({ id, epsilon, mechanism, pages = [{ asks: [id], weight: 1, mechanism }] }, questions) {
  const byId = new Map(questions.map((one) => [one.id, one]));
  must(Array.isArray(pages), "pages", "an array");
  inside("number of pages", pages.length, 1, 65536);
  let total = 0;
  for (const page of pages) {
    checkFields("a page", page, "asks weight mechanism");
    const { asks, weight } = page;
    must(Array.isArray(asks) && asks.length && asks.every((one) => byId.has(one)), "page", "of known questions");
    different("questions of a page", asks);
    inside("weight", weight, 1, 2 ** 32);
    total += weight;
  }
  inside("sum of weights", total, 1, 2 ** 32);
  different("pages", pages.map((/** @type {any} */ { asks }) => [...asks].sort().join(" ")));
  return Promise.all(pages.map((/** @type {any} */ page, /** @type {number} */ number) =>
    pageOf(page, number, page.asks.map((/** @type {string} */ one) => byId.get(one)), epsilon)));
}

/** @param {any} found @param {number} number @param {Question[]} questions @param {number} epsilon */
async function pageOf({ weight, mechanism }, number, questions, epsilon) {
  const joint = questions.length > 1, kind = kindOf(questions), [{ names }] = questions;
  const tables = joint ? questions.map((one) => kindOf([one]).cells?.(one) ?? one.names) : [names];
  const cells = tables.reduce((product, one) => product * one.length, 1);
  const single = questions.every((one) => !kindOf([one]).apart);
  must(!joint || (single && cells <= 65536), "table", "of at most 65536 single answers");
  const made = await mechanismOf(kind.mechanisms, cells, epsilon, mechanism);
  kind.fits?.(questions[0], mechanism);
  return new Page(number, questions, tables, weight, made);
}
