// What mechanisms have in common: a contract's integers, which are refused if they are not as private as
// they say (docs/algorithm.md, 1).
//
// All that decides a report is an integer; floats only tell people about chances.

import { ONE } from "./privet-draws.js";

export class InvalidSurvey extends Error {}
export class InvalidReport extends Error {}

/**
 * @typedef {import("./privet-draws.js").Stream} Stream
 * @typedef {any} Value a position, or an array of positions where several may be chosen
 * @typedef {Record<string, any>} Fields
 * @typedef {object} Mechanism
 * @property {number} size how many bytes a report has
 * @property {number} ratio how many times likelier a report can be from one person than from another
 * @property {number} [own] how likely a report has the person's own answer among its members
 * @property {number} [other] how likely it has any one other answer
 * @property {(value: Value, stream: Stream, fresh?: Stream) => Uint8Array} sample
 * @property {boolean} [permanent] whether a report is a fresh copy of a permanent response, from a secret
 * @property {(report: Uint8Array) => number[]} members what a report names; refuses what is no report
 * @property {(report: Uint8Array) => number[]} [denied] what a report says no to
 * @property {(member: number) => number[]} [options] the options of a member that is a set
 * @typedef {(d: number, epsilon: number, found: Fields) => Mechanism} Maker
 * @typedef {Record<string, [kinds: string, fields: string, make: Maker]>} Family
 * mechanisms of a file by name: what kinds of answer they fit, and their fields in canonical order
 */

/** @param {unknown} holds @param {string} what @param {string} rule */
export function must(holds, what, rule) {
  if (!holds) throw new InvalidSurvey(`The ${what} must be ${rule}.`);
}

/** @param {string} what @param {any} n @param {number} low @param {number} high */
export const inside = (what, n, low, high) =>
  must(Number.isInteger(n) && low <= n && n <= high, what, `in [${low}, ${high}]`);

/** @param {string} what @param {any} found @param {string} names */
export const checkFields = (what, found, names) =>
  must(Object.keys(found ?? {}).join(" ") === names, `fields of ${what}`, names);

/** @param {unknown} holds */
export function valid(holds) {
  if (!holds) throw new InvalidReport("These bytes are no report of this survey.");
}

/**
 * The integers [0, n) for which something holds.
 * @param {number} n @param {(i: number) => any} holds
 */
export const those = (n, holds) => {
  const found = [];
  for (let i = 0; i < n; i++) if (holds(i)) found.push(i);
  return found;
};

// --- privacy: integers that never exceed e^ε -----------------------------------------------------

const POINT = 320n;

/**
 * ⌊e^(ε/power)·2^scale⌋: every step rounds down.
 * @param {number} epsilon @param {number} power @param {number} scale
 */
export function floorExp(epsilon, power, scale) {
  const part = (BigInt(epsilon * 2 ** 92) << (POINT - 92n)) / BigInt(power) >> 8n;
  let sum = 0n;
  for (let i = 1n, term = 1n << POINT; term; term = ((term * part) >> POINT) / i++) sum += term;
  for (let i = 0; i < 8; i++) sum = (sum * sum) >> POINT;
  return (sum << BigInt(scale)) >> POINT;
}

/** @param {string} name @param {any} digits */
export function integer(name, digits) {
  must(typeof digits === "string" && /^(0|[1-9]\d{0,39})$/.test(digits), name, "a decimal string");
  return BigInt(digits);
}

/**
 * The coin that says whether one of k of v cases is taken, each E = odds / 2^scale times likelier.
 * @param {Fields} found @param {number} epsilon @param {number} v @param {number} k
 */
export function weighed(found, epsilon, v, k) {
  const odds = integer("odds", found.odds), { scale } = found;
  inside("scale", scale, 0, 60);
  const one = 1n << BigInt(scale), favoured = BigInt(k) * odds, total = favoured + BigInt(v - k) * one;
  must(one < odds && odds <= floorExp(epsilon, 1, scale) && total < ONE, "odds", "as private as epsilon says");
  const factor = (ONE - 1n) / total, own = Number(favoured) / Number(total);
  return { heads: factor * favoured, total: factor * total, own, ratio: Number(odds) / 2 ** scale };
}
