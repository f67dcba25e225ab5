// What a contract's text says: canonical JSON, texts that can be seen, questions, and what an answer to
// one is worth (docs/algorithm.md, 1 and 8).
//
// A kind of answer is an entry of `kinds`. A module that adds one does so before a contract is read:
//
//     import { kinds } from "./privet-questions.js";
//     kinds.set("months", { fields: "kind first count", mechanisms: "choice", read, value });

import { ONE } from "./privet-draws.js";
import { checkFields, inside, must } from "./privet-integers.js";

/** An answer that the survey does not ask for. */
export class InvalidAnswer extends Error {}

/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} question
 * @property {string} kind the name of its kind
 * @property {string[]} names the categories, options, or centres of a scale's cells
 * @property {number} [most] how many options one may choose
 * @property {any} [scale] the fields of a scale: low, high, cells, unit, whole and bands
 *
 * @typedef {object} Kind
 * @property {string} fields those of a contract's `answers`, in canonical order
 * @property {string} [floats] which of them are written with a point or an exponent
 * @property {string} mechanisms the kind whose mechanisms fit
 * @property {(answers: any) => Partial<Question> & { names: string[] }} read check the contract's `answers`
 * @property {(question: any, answer: any) => any} value what a report depends on
 * @property {(value: any, stream: import("./privet-draws.js").Stream) => any} [settled] what the mechanism
 * randomizes, if not the value
 * @property {(question: any, mechanism: any) => void} [fits] refuse a mechanism for other answers
 * @property {boolean} [listed] whether a form needs all names, however many there are
 * @property {boolean} [apart] whether no table can have it
 * @property {(question: any) => string[]} [cells] what a table calls the answers, if not their names
 * @property {(question: any, value: any) => number} [cell] where a value is in a table, if not at itself
 */

// --- the text of a contract ------------------------------------------------------------------------

/**
 * A number that is written with a point or an exponent.
 * @param {number} number
 */
function float(number) {
  const size = Math.abs(number);
  if (size && (size < 1e-5 || size >= 1e16)) return number.toExponential().replace("+", "");
  return Number.isInteger(number) ? `${number}.0` : `${number}`;
}

/**
 * Canonical JSON.
 * @param {any} value @param {boolean} [floats] @returns {string}
 */
export function written(value, floats) {
  if (Array.isArray(value)) return `[${value.map((one) => written(one, floats))}]`;
  if (floats && typeof value === "number") return float(value);
  if (!value || typeof value !== "object") return JSON.stringify(value);
  const text = (/** @type {[string, any]} */ [name, one]) => `"${name}":${written(one, isFloat(name))}`;
  return `{${Object.entries(value).map(text)}}`;
}

/** @param {string} name of a field */
function isFloat(name) {
  if (/epsilon$/.test(name)) return true;
  for (const { floats } of kinds.values()) if (floats?.split(" ").includes(name)) return true;
  return false;
}

/**
 * Text that can be seen, in Unicode's composed form.
 * @param {string} what @param {any} text
 */
export function checkText(what, text) {
  if (typeof text === "string" && /^[!-~]+( [!-~]+)*$/.test(text)) return; // as most are
  const good = typeof text === "string" && text.normalize() === text && /[^\p{DI}\u2800]/u.test(text)
    && !/^ | $|[^\P{C}\u200c\u200d]|[^\P{Z} ]/u.test(text);
  must(good, what, "printable text");
}

/** @param {string} what @param {any[]} all */
export const different = (what, all) => must(new Set(all).size === all.length, what, "different");

/** @param {any} names @param {number} most */
function checkNames(names, most) {
  must(Array.isArray(names), "categories", "an array");
  inside("number of categories", names.length, 2, most);
  for (const name of names) checkText("category", name);
  different("categories", names);
}

/** @param {any} id */
export const checkId = (id) =>
  must(typeof id === "string" && /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/.test(id), "id", "of a-z, 0-9, . _ and -");

/** @param {any} scale */
function checkScale({ low, high, cells, unit, whole, bands }) {
  const width = high - low, half = width / (cells - 1) / 2, ends = [low, ...bands, high];
  must(typeof whole === "boolean" && Number.isFinite(width * 2048), "scale", "of two ends");
  must(!whole || (Number.isInteger(low) && Number.isInteger(high)), "ends", "whole");
  inside("cells", cells, 2, whole ? Math.min(2048, width + 1) : 2048);
  must(low < low + half && high - half < high, "ends", "apart");
  if (unit !== "") checkText("unit", unit);
  inside("number of bands", bands.length, 1, 99);
  must(ends.every((one, i) => Number.isFinite(one) && (!i || ends[i - 1] < one)), "bands", "increasing");
}

/**
 * What a question can be answered with: one choice is the field `categories`, another kind the field `answers`.
 * @param {any} found @returns {Question}
 */
export function questionOf({ id, question, categories, answers }) {
  checkId(id);
  checkText("question", question);
  const name = answers ? answers.kind : "choice", kind = /** @type {Kind} */ (kinds.get(name));
  must(kind, "kind of answers", `one of ${[...kinds.keys()]}`);
  if (answers) checkFields("answers", answers, kind.fields);
  return { id, question, kind: name, ...kind.read(answers ?? { categories }) };
}

// --- from answers to values ------------------------------------------------------------------------

/** @param {unknown} holds @param {string} rule */
export function asked(holds, rule) {
  if (!holds) throw new InvalidAnswer(`The answer must be ${rule}.`);
}

/**
 * Where a number is on a scale, in cells of 2^52 steps.
 * @param {any} scale @param {number} number
 */
function scalePlace({ low, high, cells }, number) {
  const inside = Math.min(Math.max(number, low), high);
  return BigInt(Math.floor(Math.min(((inside - low) * (cells - 1)) / (high - low), cells - 1) * 2 ** 52));
}

/**
 * The position of a name.
 * @param {string[]} names @param {any} name
 */
function placeOf(names, name) {
  const place = ["string", "number", "boolean"].includes(typeof name) ? names.indexOf(`${name}`.normalize()) : -1;
  asked(place >= 0, "one of this survey's");
  return place;
}

// --- kinds -----------------------------------------------------------------------------------------

/** @type {Kind} */
const choice = {
  fields: "", // `answers` never says it
  mechanisms: "choice",
  read({ categories }) {
    checkNames(categories, 2 ** 26);
    return { names: categories };
  },
  value: ({ names }, answer) => placeOf(names, answer),
};

/** @type {Kind} */
const several = {
  fields: "kind options most",
  mechanisms: "several",
  listed: true,
  apart: true,
  read({ options, most }) {
    checkNames(options, 4096);
    inside("most", most, 1, options.length);
    return { names: options, most };
  },
  fits: ({ most }, mechanism) => must(mechanism.most === most, "most", `${most}`),
  value({ names, most }, answer) {
    asked(Array.isArray(answer) && answer.length <= most, `a list of at most ${most} options`);
    const places = answer.map((/** @type {any} */ one) => placeOf(names, one));
    asked(new Set(places).size === places.length, "different options");
    return places.sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  },
};

/** @type {Kind} */
const scale = {
  fields: "kind low high cells unit whole bands",
  floats: "low high bands",
  mechanisms: "scale",
  read(answers) {
    must(Array.isArray(answers.bands), "bands", "an array");
    checkScale(answers);
    const { low, high, cells } = answers, step = (high - low) / (cells - 1);
    const names = Array.from({ length: cells }, (_, i) => `${Number((low + step * i).toPrecision(10))}`);
    return { names, scale: answers };
  },
  value({ scale }, answer) {
    const spelled = typeof answer === "string" && /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i.test(answer);
    const number = spelled ? Number(answer) : answer;
    asked(Number.isFinite(number), "a number");
    asked(!scale.whole || Number.isInteger(number), "a whole number");
    return scalePlace(scale, number);
  },
  // Between two cells, a coin decides.
  settled: (value, stream) => Number(value >> 52n) + stream.coin(BigInt.asUintN(64, value << 12n), ONE),
  cells({ scale }) {
    const starts = [scale.low, ...scale.bands], ends = [...scale.bands, scale.high];
    return starts.map((start, i) => {
      const last = scale.whole && i < starts.length - 1 ? Math.ceil(ends[i]) - 1 : ends[i];
      return `${scale.whole ? Math.ceil(start) : start} – ${last}`;
    });
  },
  cell: ({ scale }, value) =>
    scale.bands.filter((/** @type {number} */ border) => scalePlace(scale, border) <= value).length,
};

/** @type {Map<string, Kind>} */
export const kinds = new Map(Object.entries({ choice, several, scale }));

/**
 * The kind of a question, or of several that are asked jointly: one choice of all combinations.
 * @param {Question[]} questions
 */
export const kindOf = ([{ kind }, ...more]) => /** @type {Kind} */ (more.length ? choice : kinds.get(kind));
