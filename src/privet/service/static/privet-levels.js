// Fresh copies of a permanent response, which a secret decides: docs/algorithm.md, 6.

import { MOST, unary } from "./privet-bits.js";
import { ONE, secure, Stream } from "./privet-draws.js";
import { floorExp, integer, must } from "./privet-integers.js";
import { InvalidAnswer } from "./privet-questions.js";

/** @type {import("./privet-integers.js").Maker} */
function twoLevel(d, epsilon, found) {
  const { report_epsilon: level } = found, response = unary(true)(d, epsilon, found);
  must(typeof level === "number" && 1e-12 <= level && level < epsilon, "report_epsilon", "below epsilon");
  const flip = BigInt(found.flip), noise = integer("noise", found.noise), one = ONE * ONE;
  const set = flip * ONE + noise * (ONE - 2n * flip), other = Number(set) / Number(one);
  const kept = noise > 0n && set * (floorExp(level, 1, 128) + one) >= one * one;
  must(kept && set <= MOST * ONE, "noise", "as private as report_epsilon says, and below 1/2");
  return {
    ...response, ratio: 1 / other - 1, other, permanent: true,
    sample(x, stream, fresh = new Stream(secure)) {
      if (stream.read === secure) throw new InvalidAnswer("This survey needs a secret.");
      const bits = response.sample(x, stream), flips = fresh.coins(d, noise, 64);
      return bits.map((byte, i) => byte ^ flips[i]);
    },
  };
}

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = { "two-level-unary": ["choice", "report_epsilon flip noise", twoLevel] };
