// privet in a browser: reads a survey or a questionnaire, and turns a person's answer into a report.
//
//     const survey = await Survey.read("https://example.org/surveys/drinks", { mostEpsilon: 1 });
//     const report = survey.randomize("tea");      // safe to send to anyone
//     survey.members(report);                      // what it names
//
// The twin of the Python package's side of a person: docs/algorithm.md says what both do, byte by byte.

import { bigEndian, hex, joined, keyed, secure, sha256, Stream } from "./privet-draws.js";
import { InvalidReport, InvalidSurvey, must, within } from "./privet-integers.js";
import { mechanismOf } from "./privet-mechanisms.js";
import {
  cellNames, checkFields, checkId, checkText, FRACTION, InvalidAnswer, questionOf, scalePlace, valueOf, written,
} from "./privet-questions.js";

export { InvalidAnswer, InvalidReport, InvalidSurvey };

/**
 * @typedef {import("./privet-questions.js").Question} Question
 * @typedef {string | number | boolean | string[]} Answer a category, a list of options, or a number
 * @typedef {Answer | Record<string, any>} Answers one answer or, to a questionnaire, those to a page by their ids
 * @typedef {object} Randomness
 * @property {Uint8Array} [secret] the person's own, at least 16 bytes: the same answer gives the same report
 * @property {import("./privet-draws.js").Read} [read] where random bytes come from, in tests
 */

/** What one person is asked: a question, or a few of them jointly. */
export class Page {
  /**
   * @param {number} number @param {Question[]} questions @param {number} weight
   * @param {number} epsilon @param {any} found the mechanism's fields
   */
  constructor(number, questions, weight, epsilon, found) {
    this.number = number;
    this.questions = questions;
    this.weight = weight;
    this.tables = questions.length > 1 ? questions.map(cellNames) : [];
    const [{ kind, names, most }] = questions, joint = this.tables.length;
    const d = joint ? this.tables.reduce((product, one) => product * one.length, 1) : names.length;
    must(!joint || d <= 65536, "tables", "of at most 65536 cells");
    this.mechanism = mechanismOf(joint ? "choice" : kind, d, epsilon, found);
    must(kind !== "several" || found.most === most, "mechanism's most", `${most}`);
  }

  /** @param {any} answers one answer, or by ids @param {boolean} single */
  value(answers, single) {
    const [first] = this.questions;
    if (!this.tables.length) return valueOf(first, single ? answers : answers?.[first.id]);
    return this.questions.reduce((value, question, i) => {
      const place = valueOf(question, answers?.[question.id]), { scale } = question;
      const begun = (/** @type {number} */ border) => scalePlace(scale, border) <= place;
      return value * this.tables[i].length + (scale ? scale.bands.filter(begun).length : place);
    }, 0);
  }

  /** @param {any} value @param {Stream} stream */
  sample(value, stream) {
    if (typeof value !== "bigint") return this.mechanism.sample(value, stream);
    const fraction = value & (BigInt(FRACTION) - 1n);
    const cell = Number(value >> 52n) + stream.coin(fraction << 12n, 1n << 64n);
    return this.mechanism.sample(cell, stream);
  }

  /**
   * The name of what a report names.
   * @param {number} member @returns {string}
   */
  name(member) {
    const { options } = this.mechanism, [{ names }] = this.questions;
    if (options) return options(member).map((one) => names[one]).join(" + ") || "–";
    if (!this.tables.length) return names[member] ?? `– ${member - names.length + 1}`;
    const parts = [...this.tables].reverse().map((table) => {
      const name = table[member % table.length];
      member = Math.floor(member / table.length);
      return name;
    });
    return parts.reverse().join(" × ");
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
    if (!response.ok) throw new InvalidSurvey(`There is no survey at ${url}: status ${response.status}.`);
    return Survey.from(await response.text(), options);
  }

  /**
   * Check a contract's text; refuse one that is not canonical, or not as private as it says.
   * @param {string} text
   * @param {{ mostEpsilon?: number, fingerprint?: string }} options the person's own limit, and what was published
   */
  static from(text, options = {}) {
    const { mostEpsilon = Infinity, fingerprint } = options;
    let found;
    try {
      found = JSON.parse(text);
    } catch {
      throw new InvalidSurvey("Not a survey: it is not JSON.");
    }
    const survey = new Survey(found, text.trim());
    must(survey.epsilon <= mostEpsilon, "epsilon", `at most ${mostEpsilon}, as was asked for`);
    must(!fingerprint || survey.fingerprint === fingerprint, "fingerprint", `${fingerprint}`);
    return survey;
  }

  /** @param {any} found @param {string} text */
  constructor(found, text) {
    const version = found?.privet;
    must(version === 1 || version === 2, "version of a survey", "1 or 2");
    const single = !found.questions, own = version === 2 && found.answers ? "answers" : "categories";
    checkFields(
      "a survey", found,
      single ? `privet id question ${own} epsilon mechanism${version === 2 ? " stream" : ""}`
        : "privet id title epsilon questions pages stream",
    );
    must(version === 1 ? single : found.stream === "hmac-sha256", "stream", "hmac-sha256");
    const { id, epsilon } = found;
    must(typeof epsilon === "number" && 1e-12 <= epsilon && epsilon <= 100, "epsilon", "in [1e-12, 100]");
    checkId(id);
    /** @type {string} */ this.id = id;
    /** @type {number} */ this.epsilon = epsilon;
    /** @type {1 | 2} */ this.version = version;
    /** @type {string} */ this.title = single ? found.question : found.title;
    checkText("title", this.title);
    /** @type {Question[]} */ this.questions = single ? [questionOf(found)] : questionsOf(found.questions);
    /** @type {Page[]} */ this.pages = single
      ? [new Page(0, this.questions, 1, epsilon, found.mechanism)]
      : pagesOf(this.questions, epsilon, found.pages);
    this.single = single;
    must(written(found) === text, "text of a survey", "canonical, as privet writes it");
    this.bytes = sha256(joined(text));
    this.fingerprint = hex(this.bytes);
    this.prefix = single ? 0 : this.pages.length <= 256 ? 1 : 2;
    this.reportBytes = this.prefix + Math.max(...this.pages.map((page) => page.mechanism.size));
  }

  /**
   * The page that a person is to answer, by public chance: it depends on nothing about the person.
   * @param {Randomness} options
   */
  draw(options = {}) {
    const { secret, read } = options;
    if (this.single) return this.pages[0];
    const stream = this.#stream(joined("page"), secret, read);
    const total = this.pages.reduce((sum, page) => sum + page.weight, 0);
    let left = Number(stream.below(total));
    return /** @type {Page} */ (this.pages.find((page) => (left -= page.weight) < 0));
  }

  /**
   * One report of an answer, safe to send to anyone.
   * @param {Answers} answers @param {Randomness & { page?: Page }} options the page that was drawn, if any
   */
  randomize(answers, options = {}) {
    const { page, secret, read } = options;
    const asks = page ?? this.draw(options);
    const value = asks.value(answers, this.single);
    const context = joined(...(Array.isArray(value) ? value : [value]).map(bigEndian));
    const number = this.single ? new Uint8Array(0) : bigEndian(asks.number);
    const report = asks.sample(value, this.#stream(joined(number, context), secret, read));
    if (this.single) return report;
    const sent = new Uint8Array(this.reportBytes);
    new DataView(sent.buffer).setUint8(0, asks.number);
    if (this.prefix > 1) sent[1] = asks.number >> 8;
    sent.set(report, this.prefix);
    return sent;
  }

  /**
   * The page of a report, and its own part.
   * @param {Uint8Array} report @returns {[Page, Uint8Array]}
   */
  opened(report) {
    if (this.single) return [this.pages[0], report];
    const page = this.pages[report[0] + 256 * (this.prefix > 1 ? report[1] : 0)];
    const end = this.prefix + (page?.mechanism.size ?? 0);
    if (!page || report.length !== this.reportBytes || report.slice(end).some(Boolean))
      throw new InvalidReport("Not a report of this survey: its page or its length is wrong.");
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

  /** @param {Uint8Array} context @param {Uint8Array} [secret] @param {import("./privet-draws.js").Read} [read] */
  #stream(context, secret, read = secure) {
    if (!secret) return new Stream(read);
    if (this.version === 1) throw new InvalidAnswer("A survey of version 1 takes no secret here.");
    if (secret.length < 16) throw new InvalidAnswer("A secret must have at least 16 bytes.");
    return new Stream(keyed(secret, joined(this.bytes, context)));
  }
}

/** @param {any} found @returns {Question[]} */
function questionsOf(found) {
  must(Array.isArray(found) && found.length, "questions", "an array of at least one");
  const questions = found.map((/** @type {any} */ one) => {
    checkFields("a question", one, `id question ${one?.answers ? "answers" : "categories"}`);
    return questionOf(one);
  });
  const ids = new Set(questions.map((/** @type {Question} */ one) => one.id));
  must(ids.size === found.length, "ids", "different from each other");
  return questions;
}

/** @param {Question[]} questions @param {number} epsilon @param {any} found */
function pagesOf(questions, epsilon, found) {
  must(Array.isArray(found) && within(found.length, 1, 65536), "pages", "an array of 1 to 65536");
  const byId = new Map(questions.map((one) => [one.id, one])), seen = new Set();
  let total = 0;
  const pages = found.map((/** @type {any} */ page, /** @type {number} */ number) => {
    checkFields("a page", page, "asks weight mechanism");
    const { asks, weight, mechanism } = page;
    const known = Array.isArray(asks) && asks.length && asks.every((id) => byId.has(id));
    must(known && new Set(asks).size === asks.length, "questions of a page", "different ids");
    const all = asks.map((/** @type {string} */ id) => /** @type {Question} */ (byId.get(id)));
    const single = (/** @type {Question} */ one) => one.kind !== "several";
    must(asks.length === 1 || all.every(single), "tables", "of one choice or scales");
    seen.add([...asks].sort().join(" "));
    must(within(weight, 1, 2 ** 32), "weight", "a whole number above 0");
    total += weight;
    return new Page(number, all, weight, epsilon, mechanism);
  });
  must(seen.size === pages.length, "pages", "different from each other");
  must(total <= 2 ** 32, "weights", "at most 2^32 together");
  return pages;
}
