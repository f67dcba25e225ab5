// A bit for every value: docs/algorithm.md, 6.

import { ONE } from "./privet-draws.js";
import { floorExp, integer, must } from "./privet-integers.js";
import { ones } from "./privet-packing.js";

/** @typedef {import("./privet-integers.js").Maker} Maker */

/** The largest chance that an estimate can tell from 1/2. */
export const MOST = (ONE - 2n ** 20n) >> 1n;

/**
 * The chance to flip a bit, over 2^64, where two answers differ in `power` bits.
 * @param {import("./privet-integers.js").Fields} found @param {number} epsilon @param {number} power
 */
export function flipOf(found, epsilon, power) {
  const flip = integer("flip", found.flip);
  const least = (ONE * ONE - 1n) / (floorExp(epsilon, power, 64) + ONE) + 1n;
  must(least <= flip && flip <= MOST, "flip", "as private as epsilon says, and below 1/2");
  return flip;
}

/**
 * The bit of the person's value is inverted always, or by a fair coin.
 * @param {boolean} fair
 * @returns {Maker}
 */
export const unary = (fair) => (d, epsilon, found) => {
  const power = fair ? 1 : 2, flip = flipOf(found, epsilon, power), size = (d + 7) >> 3;
  const other = Number(flip) / Number(ONE);
  return {
    size, ratio: (1 / other - 1) ** power, own: fair ? 0.5 : 1 - other, other,
    sample(x, stream) {
      const bits = stream.coins(d, flip, 64);
      bits[x >> 3] ^= (fair ? stream.coins(1, 1n, 1)[0] : 1) << (x & 7);
      return bits;
    },
    members: (report) => ones(report, d),
  };
};

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = {
  "binary-rr": ["choice", "flip", unary(false)],
  "optimized-unary": ["choice", "flip", unary(true)],
};
