// What the element asks of a survey, in plain data that can also pass between a page and a worker.

import { InvalidSurvey, Survey } from "./privet.js";
import { hex, joined } from "./privet-draws.js";
import { must } from "./privet-integers.js";
import { unhex } from "./privet-outbox.js";
import { kindOf } from "./privet-questions.js";

const FEW = 50;

/** @param {Uint8Array} bytes */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InvalidSurvey("The survey must be in UTF-8.");
  }
}

/** One survey that is asked. */
export class Desk {
  /** @param {Uint8Array[]} pieces of the contract @param {{ mostEpsilon?: number, fingerprint?: string }} options */
  async open(pieces, options) {
    this.survey = await Survey.from(decoded(joined(pieces)), options);
    const { id, title, epsilon, fingerprint, single, pages } = this.survey;
    const lasting = pages.some((page) => page.mechanism.permanent);
    must(!lasting, "mechanism", "another one: a page sends one report and keeps no secret");
    return { id, title, epsilon, fingerprint, single };
  }

  /** The number of a page, by chance. */
  draw() {
    return this.#survey().draw().number;
  }

  /**
   * The questions of a page; of very many names the first few.
   * @param {number} page
   */
  asks(page) {
    return this.#page(page).questions.map((one) => ({
      ...one, count: one.names.length, names: kindOf([one]).listed ? one.names : one.names.slice(0, FEW),
    }));
  }

  /**
   * A few names that have a text in them.
   * @param {number} page @param {number} question @param {string} text
   */
  find(page, question, text) {
    const found = [], wanted = text.toLowerCase();
    for (const name of this.#page(page).questions[question].names) {
      if (found.length === FEW) break;
      if (name.toLowerCase().includes(wanted)) found.push(name);
    }
    return found;
  }

  /**
   * Refuse answers that the page does not ask for.
   * @param {number} page @param {any} answers
   */
  check(page, answers) {
    this.#survey().value(answers, this.#page(page));
  }

  /**
   * A report, in hexadecimal digits.
   * @param {number} page @param {any} answers
   */
  randomize(page, answers) {
    return hex(this.#survey().randomize(answers, { page: this.#page(page) }));
  }

  /**
   * What a report says, for people.
   * @param {string} report
   */
  shown(report) {
    const [page, own] = this.#survey().opened(unhex(report)), { mechanism } = page;
    const members = mechanism.members(own), denied = mechanism.denied?.(own) ?? [];
    const names = (/** @type {number[]} */ some) => some.slice(0, FEW).map((one) => page.name(one));
    const { own: hit, other, ratio } = mechanism;
    return { count: members.length, names: names(members), denied: names(denied), own: hit, other, ratio };
  }

  #survey() {
    if (!this.survey) throw new Error("No survey is open.");
    return this.survey;
  }

  /** @param {number} number */
  #page(number) {
    return this.#survey().pages[number];
  }
}

/**
 * @typedef {((method: string, ...args: any[]) => any) & { end?: () => void }} Ask
 * calls a method of a desk, whose result may be a promise, and ends it
 */

// Checking a longer contract might take more than 50 ms, and so is done in a worker.
const LONG = 100_000;

/**
 * A desk for a contract of so many bytes, here or in a worker.
 * @param {number} size @returns {Promise<Ask>}
 */
export async function deskFor(size) {
  /** @type {any} */
  const desk = new Desk();
  const away = size < LONG ? null : (await import("./privet-remote.js")).remoteDesk();
  return away ?? ((method, ...args) => desk[method](...args));
}
