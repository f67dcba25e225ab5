// Geometric noise on a bit for every value: docs/algorithm.md, 6.

import { flipOf } from "./privet-bits.js";
import { ONE } from "./privet-draws.js";
import { inside, must, those, valid } from "./privet-integers.js";

/**
 * Coins of one kind: nearly always, the higher half of a word decides.
 * @param {import("./privet-draws.js").Stream} stream @param {bigint} heads @param {bigint} total
 */
function coiner(stream, heads, total) {
  const head = Number(heads >> 32n), most = Number(total >> 32n);
  return () => {
    for (;;) {
      const at = stream.take(8), high = stream.view.getUint32(at + 4, true);
      if (high < most && high !== head) return Number(high < head);
      if (high > most) continue;
      const word = stream.view.getBigUint64(at, true);
      if (word < total) return Number(word < heads);
    }
  };
}

/** @type {import("./privet-integers.js").Maker} */
function geometricNoise(d, epsilon, found) {
  const { limit } = found, flip = flipOf(found, epsilon, 2), rest = ONE - flip;
  inside("limit", limit, 0, 2 ** 15 - 1);
  const coins = 1 + Math.min(limit, Number(rest / (rest - flip)));
  must(coins <= 32 || d * coins <= 2 ** 15, "flip", `smaller for ${d} values`);
  const width = limit <= 127 ? 1 : 2, other = Number(flip) / Number(ONE);
  return {
    size: d * width, ratio: (1 / other - 1) ** 2, own: 1 - other, other,
    sample(x, stream) {
      const report = new Uint8Array(d * width);
      const flips = coiner(stream, flip, ONE), goes = coiner(stream, flip, rest);
      for (let j = 0; j < d; j++) {
        const up = flips() ^ Number(j === x);
        let steps = 0;
        while (steps < limit && goes()) steps++;
        const entry = up ? limit + 1 + steps : limit - steps;
        report[j * width] = entry;
        if (width > 1) report[2 * j + 1] = entry >> 8;
      }
      return report;
    },
    members(report) {
      const entry = (/** @type {number} */ j) =>
        width > 1 ? report[2 * j] + 256 * report[2 * j + 1] : report[j];
      valid(report.length === d * width && !those(d, (j) => entry(j) > 2 * limit + 1).length);
      return those(d, (j) => entry(j) > limit);
    },
  };
}

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = { "geometric-noise": ["choice", "flip limit", geometricNoise] };
