// Sets of options, listed, as the values of a k-subset mechanism: docs/algorithm.md, 6.

import { must } from "./privet-integers.js";
import { kSubset } from "./privet-subsets.js";

/**
 * How many sets of at most r of x options there are; above 4,096, some such number.
 * @param {number} x @param {number} r
 */
function setsOf(x, r) {
  let sets = 1;
  for (let size = 1, of = 1; size <= r && sets <= 4096; size++) sets += of = (of * (x + 1 - size)) / size;
  return sets;
}

/** @type {import("./privet-integers.js").Maker} */
function listedSets(d, epsilon, found) {
  const { most } = found, listed = setsOf(d, most);
  must(listed <= 4096, "most", "so small that there are at most 4096 sets");
  const made = kSubset(listed, epsilon, found);
  return {
    ...made,
    sample: (x, stream) => {
      const falling = [...x].reverse();
      return made.sample(falling.reduce((sum, option, i) => sum + setsOf(option, most - i), 0), stream);
    },
    options(number) {
      const set = [];
      for (let top = d - 1, r = most; number; top--) {
        if (setsOf(top, r) > number) continue;
        set.unshift(top);
        number -= setsOf(top, r--);
      }
      return set;
    },
  };
}
/** @type {import("./privet-integers.js").Family} */
export const mechanisms = { "listed-sets": ["several", "most k odds scale start", listedSets] };
