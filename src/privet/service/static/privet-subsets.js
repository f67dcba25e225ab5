// Sets of k values: docs/algorithm.md, 3.

import { inside, must, weighed } from "./privet-integers.js";
import { bit, invert, packing } from "./privet-packing.js";

/** @type {import("./privet-integers.js").Maker} */
export function kSubset(d, epsilon, found) {
  const { k, start } = found;
  inside("k", k, 1, d - 1);
  const { heads, total, own, ratio } = weighed(found, epsilon, d, k);
  const { sparse, size, pack, members } = packing(d, k);
  must(Array.isArray(start) && start.length === 2, "start", "two integers");
  const [c, b] = start, others = d - 1, complement = 2 * k > d;
  const beforeLast = Math.min(k, d - k) - 1;
  inside("start", b, 0, sparse ? 0 : 64);
  inside("start", c, 0, Math.min(2 ** b - 1, Number.MAX_SAFE_INTEGER));
  const excess = Number((BigInt(others) * BigInt(c)) >> BigInt(b)) - beforeLast;
  must(excess * others <= 16 * d * Math.max(beforeLast, 1), "start", `near ${k} of ${d}`);

  /** @type {import("./privet-integers.js").Mechanism["sample"]} */
  function sample(x, stream) {
    const hit = stream.coin(heads, total);
    if (sparse) {
      const drawn = stream.distinct(others, k).map((one) => (one === x ? others : one));
      drawn[k - 1] = [drawn[k - 1], x][hit];
      return pack(drawn);
    }
    const keeps = hit ^ Number(complement), bits = new Uint8Array(size);
    if (b) bits.set(stream.coins(others, BigInt(c), b));
    let missing = beforeLast, last = 0;
    for (let i = 0; i < size; i++) for (let byte = bits[i]; byte; byte &= byte - 1) missing--;
    const next = stream.positions(others);
    while (missing < 0) {
      const position = next();
      if (position < others && bit(bits, position)) invert(bits, position), missing++;
    }
    while (missing >= 0) {
      const position = next();
      if (position < others && !bit(bits, position)) invert(bits, (last = position)), missing--;
    }
    if (keeps) invert(bits, last);
    if (bit(bits, x)) invert(bits, others);
    if (bit(bits, x) !== keeps) invert(bits, x);
    if (complement) {
      for (let i = 0; i < size; i++) bits[i] ^= 255;
      bits[size - 1] &= 255 >> (8 * size - d);
    }
    return bits;
  }
  return { size, sample, members, ratio, own, other: (k - own) / others };
}

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = {
  "k-subset": ["choice", "k odds scale start", kSubset],
  "multivariate-rr": ["choice", "k odds scale start", (d, epsilon, found) => {
    must(found.k === 1, "k", "1");
    return kSubset(d, epsilon, found);
  }],
};
