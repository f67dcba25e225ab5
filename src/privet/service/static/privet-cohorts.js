// Cohorts of people, each with public functions of its own: docs/algorithm.md, 6.

import { flipOf } from "./privet-bits.js";
import { joined, ONE, sha256 } from "./privet-draws.js";
import { hashed } from "./privet-hashes.js";
import { inside, must, those } from "./privet-integers.js";
import { bytesOf, littleEndian, numberOf } from "./privet-numbered.js";
import { invert, ones } from "./privet-packing.js";

/** @typedef {import("./privet-integers.js").Maker} Maker */

const PRIME = 2 ** 31 - 1;

/**
 * The cell that a cohort's function maps values to.
 * @param {number} f @param {number} cells @returns {(x: number) => number}
 */
function cellOf(f, cells) {
  const view = new DataView(sha256(joined(`privet cohort ${f}`)).buffer);
  const [a, b] = [PRIME - 1, PRIME].map((n, i) => Number(view.getBigUint64(8 * i, true) % BigInt(n)));
  return (x) => (((a + 1) * x + b) % PRIME) % cells;
}

/**
 * @param {number} d @param {number} cohorts @param {number} cells
 * @param {number} useful how many cells tell something
 */
function checkCohorts(d, cohorts, cells, useful) {
  inside("number of categories", d, 2, 2048);
  inside("cohorts", cohorts, 1, 2 ** 14);
  inside("cells", cells, 2, 2 ** 12);
  must(d <= useful && cohorts * cells <= Math.max(2 ** 14, 64 * d), "cohorts", `for ${d} values`);
}

/** @type {Maker} */
function hashedRR(d, epsilon, found) {
  const { cohorts, buckets } = found;
  checkCohorts(d, cohorts, buckets, cohorts * (buckets - 1) + 1);
  return hashed(d, epsilon, found, BigInt(cohorts), buckets, (f) => cellOf(Number(f), buckets));
}

/** @type {Maker} */
function rappor(d, epsilon, found) {
  const { cohorts, bits, hashes } = found;
  checkCohorts(d, cohorts, bits, cohorts * bits);
  inside("hashes", hashes, 1, 16);
  const flip = flipOf(found, epsilon, 2 * hashes), named = bytesOf(cohorts - 1);
  const size = named + ((bits + 7) >> 3), power = Math.min(2 * hashes, bits);
  /** @param {number} cohort */
  const cellsOf = (cohort) => Array.from({ length: hashes }, (_, i) => cellOf(cohort * hashes + i, bits));
  return {
    size, ratio: (Number(ONE) / Number(flip) - 1) ** power,
    sample(x, stream) {
      const cohort = Number(stream.below(cohorts)), flips = stream.coins(bits, flip, 64);
      for (const one of new Set(cellsOf(cohort).map((cell) => cell(x)))) invert(flips, one);
      return joined(littleEndian(cohort, named), flips);
    },
    members(report) {
      const cohort = Number(numberOf(report.subarray(0, named), cohorts));
      const set = new Set(ones(report.subarray(named), bits)), cells = cellsOf(cohort);
      return those(d, (x) => cells.every((cell) => set.has(cell(x))));
    },
  };
}
/** @type {import("./privet-integers.js").Family} */
export const mechanisms = {
  "hashed-rr": ["choice", "cohorts buckets odds scale", hashedRR],
  rappor: ["choice", "cohorts bits hashes flip", rappor],
};
