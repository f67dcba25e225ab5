// Cyclotomic and Hadamard designs: docs/designs.md, 5.

import { bitLength } from "./privet-draws.js";
import { inside, must } from "./privet-integers.js";
import { design } from "./privet-numbered.js";
import { isPrime, parity, primeFactors } from "./privet-primes.js";

/**
 * root^exponent mod p, for p below 2^26.
 * @param {number} root @param {number} exponent @param {number} p
 */
function powerMod(root, exponent, p) {
  let result = 1;
  for (; exponent; exponent = Math.floor(exponent / 2), root = (root * root) % p)
    if (exponent % 2) result = (result * root) % p;
  return result;
}

/** @type {import("./privet-integers.js").Maker} */
function cyclotomic(d, epsilon, found) {
  const { p, m, u, root } = found, most = Math.min(2 ** 26, 2 ** 16 + 2 ** 12 * d);
  inside("p", p, Math.max(d, 3), Math.min(4 * d + 64, most / 2));
  must(isPrime(p), "p", "a prime");
  inside("m", m, 2, most / p);
  must(p % m === 1, "m", `a divisor of ${p - 1}`);
  inside("u", u, 1, m - 1);
  inside("root", root, 1, p - 1);
  const primitive = primeFactors(p - 1).every((one) => powerMod(root, (p - 1) / one, p) !== 1);
  must(primitive, "root", `a primitive root modulo ${p}`);
  /** @type {Uint32Array} */
  let classes;
  return design(
    d, epsilon, found, p, (u * (p - 1)) / m, p * m,
    (x, place) => {
      const turn = Math.floor(place / (p - 1)), j = place % (p - 1);
      const element = turn < m ? powerMod(root, j, p) : 0;
      return ((j + m - turn) % m) * p + ((element + p - x) % p);
    },
    (block, x) => {
      if (!classes) {
        classes = new Uint32Array(p);
        for (let j = 0, power = 1; j < p - 1; j++, power = (power * root) % p) classes[power] = j % m;
      }
      const point = (x + block) % p; // as block = c·p + b
      return point && (classes[point] + m - Math.floor(block / p)) % m < u;
    },
  );
}

/** @type {import("./privet-integers.js").Maker} */
function hadamard(d, epsilon, found) {
  const { t } = found, least = Math.max(bitLength(d), 2), half = 2 ** (t - 1), v = 2 * half - 1;
  inside("t", t, least, Math.min(least + 2, 26));
  return design(
    d, epsilon, found, v, half - 1, v,
    (x, place) => {
      const point = x + 1, pivot = point & -point, rest = (place + 1) & (half - 1);
      const low = rest & (pivot - 1), block = ((rest - low) << 1) | low;
      return block + [0, pivot][parity(block & point) ^ ((place + 1) >> (t - 1))] - 1;
    },
    (block, x) => !parity((block + 1) & (x + 1)),
  );
}

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = {
  cyclotomic: ["choice", "p m u root odds scale", cyclotomic],
  hadamard: ["choice", "t odds scale", hadamard],
};
