// What mechanisms have in common: a contract's integers, which are refused if they are not as private as
// they say, and how reports are packed (docs/algorithm.md, 1 and 4).
//
// All that decides a report is an integer; floats only tell people about chances.

import { bitLength } from "./privet-draws.js";

export class InvalidSurvey extends Error {}
export class InvalidReport extends Error {}

/**
 * @typedef {any} Value a position, or an array of positions where several may be chosen
 * @typedef {Record<string, any>} Fields
 * @typedef {object} Mechanism
 * @property {number} size how many bytes a report has
 * @property {number} ratio how many times likelier a report can be from one person than from another
 * @property {number} [own] how likely a report has the person's own answer among its members
 * @property {number} [other] how likely it has any one other answer
 * @property {(value: Value, stream: import("./privet-draws.js").Stream) => Uint8Array} sample
 * @property {(report: Uint8Array) => number[]} members what a report names; refuses what is no report
 * @property {(report: Uint8Array) => number[]} [denied] what a report says no to
 * @property {(member: number) => number[]} [options] the options of a member that is a set
 */

export const ONE = 1n << 64n;

/** @param {unknown} holds @param {string} what @param {string} rule */
export function must(holds, what, rule) {
  if (!holds) throw new InvalidSurvey(`The ${what} must be ${rule}.`);
}

/** @param {any} n @param {number} low @param {number} high */
export const within = (n, low, high) => Number.isInteger(n) && low <= n && n <= high;

/** @param {string} name @param {any} n @param {number} low @param {number} high */
export const inside = (name, n, low, high) => must(within(n, low, high), name, `in [${low}, ${high}]`);

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
/** @type {Map<string, bigint>} */
const powers = new Map();

/**
 * ⌊e^(ε/power)·2^scale⌋: every step rounds down.
 * @param {number} epsilon @param {number} power @param {number} scale
 */
export function floorExp(epsilon, power, scale) {
  const name = `${epsilon}/${power}`;
  let sum = powers.get(name);
  if (!sum) {
    const part = (BigInt(epsilon * 2 ** 92) << (POINT - 92n)) / BigInt(power) >> 8n;
    sum = 0n;
    for (let i = 1n, term = 1n << POINT; term; term = ((term * part) >> POINT) / i++) sum += term;
    for (let i = 0; i < 8; i++) sum = (sum * sum) >> POINT;
    powers.set(name, sum);
  }
  return (sum << BigInt(scale)) >> POINT;
}

/** @param {string} name @param {any} digits */
export function integer(name, digits) {
  const good = typeof digits === "string" && /^(0|[1-9]\d{0,39})$/.test(digits);
  must(good, name, "a decimal string");
  return BigInt(digits);
}

/**
 * The coin that says whether one of k of v cases is taken, each E = odds / 2^scale times likelier.
 * @param {Fields} found @param {number} epsilon @param {number} v @param {number} k
 */
export function weighed(found, epsilon, v, k) {
  const odds = integer("odds", found.odds), { scale } = found;
  inside("scale", scale, 0, 60);
  const one = 1n << BigInt(scale);
  const kept = one < odds && odds <= floorExp(epsilon, 1, scale);
  must(kept, "odds", "in (1, e^epsilon]: not as private as it says");
  const favoured = BigInt(k) * odds, total = favoured + BigInt(v - k) * one;
  must(total < ONE, "odds", "drawn with 64-bit integers");
  const factor = (ONE - 1n) / total;
  const own = Number(favoured) / Number(total);
  return { heads: factor * favoured, total: factor * total, own, ratio: Number(odds) / 2 ** scale };
}

/**
 * The chance to flip a bit, over 2^64, where two answers differ in `power` bits.
 * @param {Fields} found @param {number} epsilon @param {number} power
 */
export function flipOf(found, epsilon, power) {
  const flip = integer("flip", found.flip);
  const least = (ONE * ONE - 1n) / (floorExp(epsilon, power, 64) + ONE) + 1n;
  const kept = least <= flip && flip <= (ONE - 2n ** 20n) >> 1n;
  must(kept, "flip", `in [1/(e^(epsilon/${power}) + 1), 1/2): not as private as it says`);
  return flip;
}

// --- packing -------------------------------------------------------------------------------------

/**
 * How many bytes a number takes.
 * @param {number | bigint} n
 */
export const bytesOf = (n) => (n ? (n.toString(16).length + 1) >> 1 : 0);

/** @param {number | bigint} number @param {number} size */
export function littleEndian(number, size) {
  const bytes = new Uint8Array(size);
  for (let i = 0, rest = BigInt(number); i < size; i++, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

/** @param {Uint8Array} bytes */
const numberOf = (bytes) => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** @param {unknown} holds @param {string} why */
export function valid(holds, why) {
  if (!holds) throw new InvalidReport(`Not a report of this survey: ${why}.`);
}

/** @param {Uint8Array} report @param {number} size */
export function checkSize(report, size) {
  const right = report instanceof Uint8Array && report.length === size;
  valid(right, `it must have ${size} bytes`);
}

/** @param {Uint8Array} bits @param {number} i */
export const bit = (bits, i) => (bits[i >> 3] >> (i & 7)) & 1;

/** @param {Uint8Array} bits @param {number} i */
export const invert = (bits, i) => (bits[i >> 3] ^= 1 << (i & 7));

/**
 * The members of a bitmap.
 * @param {Uint8Array} bits @param {number} count
 */
export function ones(bits, count) {
  valid(!(bits[bits.length - 1] >> (((count + 7) & 7) + 1)), `a bit beyond the first ${count} is set`);
  return those(count, (i) => bit(bits, i));
}

/**
 * The number of a report.
 * @param {Uint8Array} report @param {number} size @param {number | bigint} count
 */
export function numbered(report, size, count) {
  checkSize(report, size);
  const number = numberOf(report);
  valid(number < count, `there is no report ${number}`);
  return number;
}

/**
 * Sets of k points: bitmaps, or k sorted indices where these are shorter.
 * @param {number} points @param {number} k
 */
export function packing(points, k) {
  const bits = bitLength(points - 1), sparse = (k * bits + 7) >> 3 < (points + 7) >> 3;
  const used = sparse ? k * bits : points, size = (used + 7) >> 3;
  return {
    sparse, size,
    /** @param {number[]} members */
    pack(members) {
      const report = new Uint8Array(size);
      let at = 0;
      for (const member of sparse ? Uint32Array.from(members).sort() : members) {
        if (!sparse) invert(report, member);
        else for (let i = 0; i < bits; i++, at++) report[at >> 3] |= ((member >> i) & 1) << (at & 7);
      }
      return report;
    },
    /** @param {Uint8Array} report */
    members(report) {
      checkSize(report, size);
      const set = ones(report, used);
      const members = sparse ? Array(k).fill(0) : set;
      if (sparse) for (const i of set) members[Math.floor(i / bits)] += 2 ** (i % bits);
      const rising = members.every((one, i) => one < points && (!i || members[i - 1] < one));
      valid(members.length === k && rising, `it must have ${k} increasing members below ${points}`);
      return members;
    },
  };
}
