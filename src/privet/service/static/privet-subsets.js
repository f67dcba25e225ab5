// Sets of k values, and reports that are drawn by their place: docs/algorithm.md, 3 and 6.

import {
  bit, bytesOf, inside, invert, littleEndian, must, numbered, ONE, packing, those, weighed,
} from "./privet-integers.js";

/** @typedef {import("./privet-integers.js").Mechanism} Mechanism */
/** @typedef {import("./privet-integers.js").Fields} Fields */

/** @param {number} d @param {number} epsilon @param {Fields} found @returns {Mechanism} */
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

  /** @type {Mechanism["sample"]} */
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

/**
 * Numbered reports of which `holding` hold a value: a coin, and a place in the value's own order.
 * @param {Fields} found @param {number} epsilon @param {number} count @param {number} holding
 * @param {number} v @param {number} k
 * @param {(x: number, place: number) => number} numberAt
 * @param {(number: number) => number[]} members
 * @returns {Mechanism}
 */
export function placed(found, epsilon, count, holding, v, k, numberAt, members) {
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
    members: (report) => members(Number(numbered(report, size, count))),
  };
}

/** @param {number} d @param {number} epsilon @param {Fields} found */
export function interval(d, epsilon, found) {
  const w = found.window, count = d + w - 1;
  inside("cells", d, 2, 2048);
  inside("window", w, 1, d);
  return placed(
    found, epsilon, count, w, count, w,
    (x, place) => (x + place) % count,
    (last) => those(d, (x) => last - w < x && x <= last),
  );
}
