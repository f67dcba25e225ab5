// Sets that meet the person's own: docs/algorithm.md, 6.

import { ONE } from "./privet-draws.js";
import { floorExp, inside, integer, must } from "./privet-integers.js";
import { packing } from "./privet-packing.js";

const CHANCE = Number(ONE);

/** @param {number} n @param {number} k */
function choose(n, k) {
  let ways = 1n;
  for (let i = 1; i <= k; i++) ways = (ways * BigInt(n - k + i)) / BigInt(i);
  return ways;
}

/**
 * How many of the increasing fractions numerator / total are at or below a uniform number of [0, 1).
 * @param {import("./privet-draws.js").Stream} stream @param {bigint[]} numerators @param {bigint} total
 */
function pick(stream, numerators, total) {
  let below = 0;
  while (numerators.length) {
    const digit = stream.word(ONE);
    const shifted = numerators.map((one) => one << 64n);
    below += shifted.filter((one) => one / total < digit).length;
    numerators = shifted.filter((one) => one / total === digit).map((one) => one % total);
  }
  return below;
}

/** @type {import("./privet-integers.js").Maker} */
function setSubset(d, epsilon, found) {
  const { most, k } = found, v = d + most;
  inside("k", k, 1, d);
  const meet = integer("meet", found.meet), every = choose(v, k), missing = choose(d, k);
  const meeting = every - missing, favoured = floorExp(epsilon, 1, 64) * meeting;
  const largest = (favoured * ONE) / (favoured + missing * ONE);
  const kept = (meeting * ONE) / every < meet && meet <= largest;
  must(kept, "meet", `at most ${largest}: not as private as it says`);
  const overlap = Math.min(k, most), { size, pack, members } = packing(v, k);
  /**
   * How many sets meet the person's in at most 1, 2, … points.
   * @type {bigint[]}
   */
  let sums;
  const summed = () => {
    let sets = BigInt(most) * choose(d, k - 1), sum = 0n;
    return Array.from({ length: overlap }, (_, i) => {
      const j = i + 1;
      sum += sets;
      sets = (sets * BigInt((most - j) * (k - j))) / BigInt((j + 1) * (d - k + j + 1));
      return sum;
    });
  };
  const met = Number(meet) / CHANCE, part = Number((meeting * ONE) / every) / CHANCE;
  return {
    size, members, own: (met * k) / v / part,
    other: (met * (k / v - ((1 - part) * k) / d)) / part + ((1 - met) * k) / d,
    ratio: (met / (1 - met)) * (1 / part - 1),
    sample(x, stream) {
      const meets = stream.coin(meet, ONE);
      sums ??= summed();
      const shared = meets * (1 + pick(stream, sums.slice(0, -1), sums[overlap - 1]));
      const own = [...x, ...Array.from({ length: most - x.length }, (_, i) => d + i)];
      // Positions leave out the person's points: the last ones stand in for them.
      const standIn = (/** @type {number} */ one) => v - x.length + x.indexOf(one);
      const points = stream.distinct(d, k).map((one) => (x.includes(one) ? standIn(one) : one));
      stream.distinct(most, overlap).forEach((place, i) => {
        points[i] = [points[i], own[place]][Number(i < shared)];
      });
      return pack(points);
    },
  };
}

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = { "set-subset": ["several", "most k meet", setSubset] };
