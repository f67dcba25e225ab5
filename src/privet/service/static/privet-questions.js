// What a contract's text says: canonical JSON, texts that can be seen, questions, and what an answer to
// one is worth (docs/algorithm.md, 1 and 8).

import { checkFields, inside, must } from "./privet-integers.js";

/** An answer that the survey does not ask for. */
export class InvalidAnswer extends Error {}

/**
 * @typedef {object} Question
 * @property {string} id
 * @property {string} question
 * @property {"choice" | "several" | "scale"} kind
 * @property {string[]} names the categories, options, or centres of a scale's cells
 * @property {number} most how many options one may choose
 * @property {any} scale the fields of a scale: low, high, cells, unit, whole and bands
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
  const text = (/** @type {[string, any]} */ [name, one]) => `"${name}":${written(one, /epsilon|low|high|bands/.test(name))}`;
  return `{${Object.entries(value).map(text)}}`;
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
 * What a question can be answered with.
 * @param {any} found @returns {Question}
 */
export function questionOf(found) {
  const { id, question, categories, answers } = found, several = answers?.kind === "several";
  checkId(id);
  checkText("question", question);
  if (!answers || several) {
    if (several) checkFields("answers", answers, "kind options most");
    const names = several ? answers.options : categories, most = several ? answers.most : 1;
    checkNames(names, several ? 4096 : 2 ** 26);
    inside("most", most, 1, names.length);
    return { id, question, kind: several ? "several" : "choice", names, most, scale: null };
  }
  checkFields("answers", answers, "kind low high cells unit whole bands");
  must(answers.kind === "scale" && Array.isArray(answers.bands), "answers", "several, or a scale with bands");
  checkScale(answers);
  const { low, high, cells } = answers, step = (high - low) / (cells - 1);
  const names = Array.from({ length: cells }, (_, i) => `${Number((low + step * i).toPrecision(10))}`);
  return { id, question, kind: "scale", names, most: 1, scale: answers };
}

// --- from answers to values ------------------------------------------------------------------------

/** @param {unknown} holds @param {string} rule */
function asked(holds, rule) {
  if (!holds) throw new InvalidAnswer(`The answer must be ${rule}.`);
}

/**
 * Where a number is on a scale, in cells of 2^52 steps.
 * @param {any} scale @param {number} number
 */
export function scalePlace({ low, high, cells }, number) {
  const inside = Math.min(Math.max(number, low), high);
  return BigInt(Math.floor(Math.min(((inside - low) * (cells - 1)) / (high - low), cells - 1) * 2 ** 52));
}

/**
 * What a report depends on.
 * @param {Question} question @param {any} answer @returns {any}
 */
export function valueOf({ kind, names, most, scale }, answer) {
  const one = (/** @type {any} */ name) => {
    const place = ["string", "number", "boolean"].includes(typeof name) ? names.indexOf(`${name}`.normalize()) : -1;
    asked(place >= 0, "one of this survey's");
    return place;
  };
  if (kind === "choice") return one(answer);
  if (kind === "several") {
    asked(Array.isArray(answer) && answer.length <= most, `a list of at most ${most} options`);
    const places = answer.map(one);
    asked(new Set(places).size === places.length, "different options");
    return places.sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  }
  const spelled = typeof answer === "string" && /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i.test(answer);
  const number = spelled ? Number(answer) : answer;
  asked(Number.isFinite(number), "a number");
  asked(!scale.whole || Number.isInteger(number), "a whole number");
  return scalePlace(scale, number);
}

/**
 * What a table calls the answers to a question.
 * @param {Question} question
 */
export function cellNames({ kind, names, scale }) {
  if (kind !== "scale") return names;
  const starts = [scale.low, ...scale.bands], ends = [...scale.bands, scale.high];
  return starts.map((start, i) => {
    const last = scale.whole && i < starts.length - 1 ? Math.ceil(ends[i]) - 1 : ends[i];
    return `${scale.whole ? Math.ceil(start) : start} – ${last}`;
  });
}
