// A public function, and the bucket that it puts a value into: docs/algorithm.md, 6.

import { bitLength } from "./privet-draws.js";
import { inside, must, those, weighed } from "./privet-integers.js";
import { bytesOf, littleEndian, numberOf } from "./privet-numbered.js";
import { isPrime, parity } from "./privet-primes.js";

/** @typedef {import("./privet-integers.js").Mechanism} Mechanism */
/** @typedef {import("./privet-integers.js").Fields} Fields */
/** @typedef {import("./privet-integers.js").Maker} Maker */

/**
 * @param {number} d @param {number} epsilon @param {Fields} found
 * @param {bigint} functions @param {number} buckets
 * @param {(f: bigint) => (x: any) => number} bucketOf where a function maps a value
 * @returns {Mechanism}
 */
export function hashed(d, epsilon, found, functions, buckets, bucketOf) {
  const { heads, total, own, ratio } = weighed(found, epsilon, buckets, 1);
  const lies = BigInt(buckets - 1), count = functions * (lies + 1n), size = bytesOf(count - 1n);
  return {
    size, ratio, own,
    sample(x, stream) {
      const truth = stream.coin(heads, total), drawn = stream.below(functions * lies);
      const f = drawn / lies, home = bucketOf(f)(x);
      const bucket = [(home + 1 + Number(drawn % lies)) % buckets, home][truth];
      return littleEndian(f * (lies + 1n) + BigInt(bucket), size);
    },
    members(report) {
      const number = numberOf(report, count), bucket = Number(number % (lies + 1n));
      const home = bucketOf(number / (lies + 1n));
      return those(d, (x) => home(x) === bucket);
    },
  };
}

/** @type {Maker} */
function localHash(d, epsilon, found) {
  const { buckets, prime } = found, most = Math.max(d, buckets);
  inside("buckets", buckets, 2, 2 ** 21);
  must(BigInt(most) ** 2n * BigInt(buckets) < 1n << 62n, "buckets", "fewer");
  let least = most;
  while (!isPrime(least)) least++;
  must(prime === least, "prime", `${least}`);
  const p = BigInt(prime), each = Math.floor(prime / buckets), more = prime % buckets;
  const made = hashed(d, epsilon, found, p * (p - 1n), buckets, (f) => {
    const a = Number(f / p) + 1, b = Number(f % p);
    return (x) => ((a * x + b) % prime) % buckets;
  });
  const pairs = more * (each + 1) * each + (buckets - more) * each * (each - 1);
  const own = /** @type {number} */ (made.own), lie = (1 - own) / (buckets - 1);
  return { ...made, other: lie + ((own - lie) * pairs) / (prime * (prime - 1)) };
}

/** @type {Maker} */
const oneBit = (d, epsilon, found) => ({
  ...hashed(d, epsilon, found, 1n << BigInt(bitLength(d - 1)), 2, (f) => (x) => parity(Number(f) & x)),
  other: 0.5,
});

/** @type {Maker} */
function oneOption(d, epsilon, found) {
  const made = hashed(d, epsilon, found, BigInt(d), 2, (f) => (x) =>
    x.filter((/** @type {number} */ option) => option === Number(f)).length);
  const read = (/** @type {Uint8Array} */ report) => Number(numberOf(report, 2 * d));
  return {
    ...made, own: undefined,
    members: (report) => (read(report) % 2 ? [read(report) >> 1] : []),
    denied: (report) => (read(report) % 2 ? [] : [read(report) >> 1]),
  };
}

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = {
  "local-hash": ["choice", "buckets prime odds scale", localHash],
  "one-bit": ["choice", "odds scale", oneBit],
  "one-option": ["several", "most odds scale", oneOption],
};
