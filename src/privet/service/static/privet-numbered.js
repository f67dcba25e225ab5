// Reports that are numbers: of a block, or of a window on a scale (docs/algorithm.md, 6).

import { ONE } from "./privet-draws.js";
import { inside, those, valid, weighed } from "./privet-integers.js";

/** @typedef {import("./privet-integers.js").Mechanism} Mechanism */
/** @typedef {import("./privet-integers.js").Fields} Fields */

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

/**
 * The number of a report.
 * @param {Uint8Array} report @param {number | bigint} count
 */
export function numberOf(report, count) {
  const number = report.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  valid(report.length === bytesOf(BigInt(count) - 1n) && number < count);
  return number;
}

/**
 * Numbered reports of which `holding` hold a value: a coin, and a place in the value's own order.
 * @param {Fields} found @param {number} epsilon @param {number} count @param {number} holding
 * @param {number} v @param {number} k
 * @param {(x: number, place: number) => number} numberAt
 * @param {(number: number) => number[]} members
 * @returns {Mechanism}
 */
function placed(found, epsilon, count, holding, v, k, numberAt, members) {
  const { heads, total, own, ratio } = weighed(found, epsilon, v, k);
  const sizes = [count - holding, holding].map(BigInt), size = bytesOf(count - 1);
  const limits = sizes.map((one) => (ONE / one) * one);
  return {
    size, ratio, own,
    sample(x, stream) {
      // A hit and a miss are both made ready, so that time tells nothing.
      const hit = stream.coin(heads, total), word = stream.word(limits[hit]);
      const places = [holding + Number(word % sizes[0]), Number(word % sizes[1])];
      return places.map((place) => littleEndian(numberAt(x, place), size))[hit];
    },
    members: (report) => members(Number(numberOf(report, count))),
  };
}

/**
 * A block design of v points, and blocks of k of them.
 * @param {number} d @param {number} epsilon @param {Fields} found
 * @param {number} v @param {number} k @param {number} blocks
 * @param {(x: number, place: number) => number} numberAt
 * @param {(block: number, x: number) => any} holds
 */
export function design(d, epsilon, found, v, k, blocks, numberAt, holds) {
  const members = (/** @type {number} */ block) => those(d, (x) => holds(block, x));
  const made = placed(found, epsilon, blocks, (blocks * k) / v, v, k, numberAt, members);
  return { ...made, other: (k - /** @type {number} */ (made.own)) / (v - 1) };
}

/** @type {import("./privet-integers.js").Maker} */
function interval(d, epsilon, found) {
  const w = found.window, count = d + w - 1;
  inside("cells", d, 2, 2048);
  inside("window", w, 1, d);
  return placed(
    found, epsilon, count, w, count, w,
    (x, place) => (x + place) % count,
    (last) => those(d, (x) => last - w < x && x <= last),
  );
}

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = { interval: ["choice scale", "window odds scale", interval] };
