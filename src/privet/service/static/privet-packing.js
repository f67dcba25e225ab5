// Bitmaps and sets in as few bytes: docs/algorithm.md, 4.

import { bitLength } from "./privet-draws.js";
import { those, valid } from "./privet-integers.js";

/** @param {Uint8Array} bits @param {number} i */
export const bit = (bits, i) => (bits[i >> 3] >> (i & 7)) & 1;

/** @param {Uint8Array} bits @param {number} i */
export const invert = (bits, i) => (bits[i >> 3] ^= 1 << (i & 7));

/**
 * The members of a bitmap.
 * @param {Uint8Array} bits @param {number} count
 */
export function ones(bits, count) {
  valid(bits.length === (count + 7) >> 3 && !(bits[bits.length - 1] >> (((count + 7) & 7) + 1)));
  return those(count, (i) => bit(bits, i));
}

/**
 * Sets of k points: bitmaps, or k sorted indices where these are shorter.
 * @param {number} points @param {number} k
 */
export function packing(points, k) {
  const width = bitLength(points - 1), sparse = (k * width + 7) >> 3 < (points + 7) >> 3;
  const used = sparse ? k * width : points, size = (used + 7) >> 3;
  return {
    sparse, size,
    /** @param {number[]} members */
    pack(members) {
      const report = new Uint8Array(size);
      if (sparse)
        Uint32Array.from(members).sort().forEach((member, at) => {
          for (let i = 0; i < width; i++) if ((member >> i) & 1) invert(report, at * width + i);
        });
      else for (const member of members) invert(report, member);
      return report;
    },
    /** @param {Uint8Array} report */
    members(report) {
      const set = ones(report, used), members = sparse ? Array(k).fill(0) : set;
      if (sparse) for (const i of set) members[Math.floor(i / width)] += 2 ** (i % width);
      valid(members.length === k && members.every((one, i) => one < points && (!i || members[i - 1] < one)));
      return members;
    },
  };
}
