// What a contract's text says: canonical JSON, texts that can be seen, questions, and what an answer to
// one is worth (docs/algorithm.md, 1 and 8).

import { must, within } from "./privet-integers.js";

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

const ID = /^[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?$/;
// Part of words and emoji, but not seen by themselves.
const UNSEEN = new RegExp(
  "[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200c\\u200d\\u2800\\u3164"
    + "\\ufe00-\\ufe0f\\uffa0\\u{e0100}-\\u{e01ef}]", "gu",
);
/** Numbers that are written with a point or an exponent. */
const FLOATS = ["epsilon", "low", "high", "bands"];

/** @param {number} number */
function float(number) {
  const size = Math.abs(number), [digits, power] = number.toExponential().split("e");
  if (size && (size < 1e-5 || size >= 1e16)) return `${digits}e${Number(power)}`;
  const places = digits.replace("-", "").length + 4; // which JavaScript writes with an exponent
  const text = size && size < 1e-4 ? number.toFixed(places).replace(/0+$/, "") : `${number}`;
  return text.includes(".") ? text : `${text}.0`;
}

/**
 * Canonical JSON.
 * @param {any} value @param {boolean} [floats] @returns {string}
 */
export function written(value, floats) {
  if (Array.isArray(value)) return `[${value.map((one) => written(one, floats))}]`;
  if (!value || typeof value !== "object")
    return floats && typeof value === "number" ? float(value) : JSON.stringify(value);
  const fields = Object.entries(value);
  return `{${fields.map(([name, one]) => `${JSON.stringify(name)}:${written(one, FLOATS.includes(name))}`)}}`;
}

/** @param {string} what @param {any} found @param {string} names */
export function checkFields(what, found, names) {
  const given = found && typeof found === "object" ? Object.keys(found).join(" ") : "";
  must(given === names, `fields of ${what}`, `${names}, in this order`);
}

/**
 * Text that can be seen, in Unicode's composed form.
 * @param {string} what @param {any} text
 */
export function checkText(what, text) {
  if (typeof text === "string" && /^[!-~]+( [!-~]+)*$/.test(text)) return; // as most are
  const good = typeof text === "string" && text.trim() === text && text.normalize("NFC") === text
    && !/[^\P{C}\u200c\u200d]|[^\P{Z} ]/u.test(text) && text.replace(UNSEEN, "");
  must(good, what, "non-empty printable text");
}

/** @param {any} names */
function checkNames(names) {
  must(Array.isArray(names) && names.length > 1, "categories", "at least two");
  for (const name of names) checkText("name of a category", name);
  must(new Set(names).size === names.length, "categories", "different from each other");
}

/** @param {any} id */
export const checkId = (id) =>
  must(typeof id === "string" && ID.test(id), "id", "of a-z, 0-9, '.', '_' and '-'");

/** @param {any} scale */
function checkScale(scale) {
  const { low, high, cells, unit, whole, bands } = scale, width = high - low;
  const number = whole ? Number.isInteger : Number.isFinite;
  const ended = typeof whole === "boolean" && number(low) && number(high);
  must(ended, "ends of a scale", "numbers, whole ones if so said");
  must(low < high && Number.isFinite(width * 2048), "high end", "above the low one");
  const most = whole ? Math.min(2048, width + 1) : 2048;
  must(within(cells, 2, most), "cells", `in [2, ${most}]`);
  const half = width / (cells - 1) / 2;
  must(low < low + half && high - half < high, "high end", "further from the low one");
  if (unit !== "") checkText("unit", unit);
  must(Array.isArray(bands) && bands.length && bands.length < 100, "bands", "1 to 99 numbers");
  const ends = [low, ...bands, high];
  const rising = ends.every((one, i) => Number.isFinite(one) && (!i || ends[i - 1] < one));
  must(rising, "bands", "increasing numbers between the ends");
}

/**
 * What a question can be answered with.
 * @param {any} found @returns {Question}
 */
export function questionOf(found) {
  const { id, question, categories, answers } = found;
  const base = { id, question, most: 1, scale: null };
  checkId(id);
  checkText("question", question);
  if (categories) {
    checkNames(categories);
    return { ...base, kind: "choice", names: categories };
  }
  if (answers?.kind === "several") {
    checkFields("answers", answers, "kind options most");
    const { options: names, most } = answers;
    checkNames(names);
    must(names.length <= 4096, "options", "at most 4096");
    must(within(most, 1, names.length), "most", `in [1, ${names.length}]`);
    return { ...base, kind: "several", names, most };
  }
  checkFields("answers", answers, "kind low high cells unit whole bands");
  must(answers.kind === "scale", "kind of answers", "several or scale");
  checkScale(answers);
  const { low, high, cells } = answers, step = (high - low) / (cells - 1);
  const centre = (/** @type {number} */ i) => Number((low + step * i).toPrecision(10));
  const names = Array.from({ length: cells }, (_, i) => `${centre(i)}`);
  return { ...base, kind: "scale", names, scale: answers };
}

// --- from answers to values ------------------------------------------------------------------------

export const FRACTION = 2 ** 52;

/** @param {unknown} holds @param {string} rule */
function asked(holds, rule) {
  if (!holds) throw new InvalidAnswer(`The answer must be ${rule}.`);
}

/** @param {string[]} names @param {any} answer */
function placeOf(names, answer) {
  const place = names.indexOf(String(answer).normalize("NFC"));
  asked(["string", "number", "boolean"].includes(typeof answer) && place >= 0, "one of this survey's");
  return place;
}

/**
 * P, of a number on a scale.
 * @param {any} scale @param {any} answer
 */
export function scalePlace(scale, answer) {
  const { low, high, cells, whole } = scale;
  const spelled = typeof answer === "string" && /^[+-]?\d+(\.\d*)?(e[+-]?\d+)?$/i.test(answer);
  const number = spelled ? Number(answer) : answer;
  asked(typeof number === "number" && Number.isFinite(number), "a number");
  asked(!whole || Number.isInteger(number), "a whole number");
  const inside = Math.min(Math.max(number, low), high);
  return BigInt(Math.floor(Math.min(((inside - low) * (cells - 1)) / (high - low), cells - 1) * FRACTION));
}

/**
 * What a report depends on.
 * @param {Question} question @param {any} answer @returns {any}
 */
export function valueOf(question, answer) {
  if (question.kind === "scale") return scalePlace(question.scale, answer);
  if (question.kind === "choice") return placeOf(question.names, answer);
  asked(Array.isArray(answer) && answer.length <= question.most, `a list of at most ${question.most} options`);
  const places = answer.map((/** @type {any} */ option) => placeOf(question.names, option));
  asked(new Set(places).size === places.length, "a list of different options");
  return places.sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
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
