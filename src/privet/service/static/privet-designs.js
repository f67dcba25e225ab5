// Block designs, by docs/designs.md, 5.

import { bitLength } from "./privet-draws.js";
import { inside, must, those, within } from "./privet-integers.js";
import { placed } from "./privet-subsets.js";

/** @typedef {import("./privet-integers.js").Fields} Fields */

const MOST_BLOCKS = 2 ** 26;

/**
 * A block design of v points, and blocks of k of them.
 * @param {number} d @param {number} epsilon @param {Fields} found
 * @param {number} v @param {number} k @param {number} blocks
 * @param {(x: number, place: number) => number} numberAt
 * @param {(block: number, x: number) => any} holds
 */
function design(d, epsilon, found, v, k, blocks, numberAt, holds) {
  const members = (/** @type {number} */ block) => those(d, (x) => holds(block, x));
  const made = placed(found, epsilon, blocks, (blocks * k) / v, v, k, numberAt, members);
  return { ...made, other: (k - /** @type {number} */ (made.own)) / (v - 1) };
}

/** @param {number} n */
function primeFactors(n) {
  const found = [];
  for (let divisor = 2; divisor * divisor <= n; divisor++) {
    if (n % divisor) continue;
    found.push(divisor);
    while (n % divisor === 0) n /= divisor;
  }
  return n > 1 ? [...found, n] : found;
}

/** @param {number} n */
export const isPrime = (n) => primeFactors(n)[0] === n;

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

/** @param {number} d @param {number} epsilon @param {Fields} found */
export function cyclotomic(d, epsilon, found) {
  const { p, m, u, root } = found, most = Math.min(MOST_BLOCKS, 2 ** 16 + 2 ** 12 * d);
  inside("p", p, Math.max(d, 3), Math.min(4 * d + 64, most / 2));
  must(isPrime(p), "p", "a prime");
  must(within(m, 2, most / p) && p % m === 1, "m", `a divisor of ${p - 1}`);
  inside("u", u, 1, m - 1);
  const primitive = primeFactors(p - 1).every((one) => powerMod(root, (p - 1) / one, p) !== 1);
  must(within(root, 1, p - 1) && primitive, "root", `a primitive root modulo ${p}`);
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

/**
 * x^exponent among the polynomials of a recurrence.
 * @param {number} exponent @param {number[]} taps @param {number} p
 */
function powerOfX(exponent, taps, p) {
  const n = taps.length;
  let result = taps.map((_, i) => Number(!i));
  for (const digit of exponent.toString(2)) {
    const product = Array(2 * n).fill(0), shift = Number(digit);
    result.forEach((a, i) => result.forEach((b, j) => (product[i + j + shift] += a * b)));
    for (let i = 2 * n - 1; i >= n; i--) {
      const carried = product[i] % p;
      taps.forEach((c, j) => (product[i - n + j] += carried * c));
    }
    result = product.slice(0, n).map((one) => one % p);
  }
  return result.join();
}

/** @param {number} d @param {number} epsilon @param {Fields} found */
export function projective(d, epsilon, found) {
  const { q, t, recurrence } = found;
  inside("q", q, 2, 8191);
  const [p, ...others] = primeFactors(q), e = Math.round(Math.log(q) / Math.log(p));
  must(!others.length, "q", "a power of a prime");
  inside("t", t, 2, 27);
  const v = (q ** t - 1) / (q - 1), n = e * t;
  must(d <= v && v <= MOST_BLOCKS && n * e * v <= Math.max(2 ** 18, 2 ** 8 * d), "t", `for ${d} values`);
  inside("recurrence", recurrence, 1, q ** t - 1);
  const taps = Array.from({ length: n }, (_, i) => Math.floor(recurrence / p ** i) % p);
  const order = q ** t - 1, one = powerOfX(0, taps, p);
  const factors = [...primeFactors(p - 1), ...primeFactors(order / (p - 1))];
  const early = factors.some((factor) => powerOfX(order / factor, taps, p) === one);
  must(powerOfX(order, taps, p) === one && !early, "recurrence", "a primitive one");

  /**
   * The first hyperplane as a bitmap, and its points with all others after them.
   * @type {any}
   */
  let plane;
  const walked = () => {
    const terms = new Uint16Array(e * v + n), used = those(n, (i) => taps[i]);
    terms[n - 1] = 1;
    for (let i = n; i < e * v; i++) {
      let sum = 0;
      for (const j of used) sum += taps[j] * terms[i - n + j];
      terms[i] = sum % p;
    }
    const outside = new Uint8Array(v);
    for (let i = 0; i < e * v; i++) outside[i % v] |= Number(terms[i] > 0);
    const points = [...those(v, (i) => !outside[i]), ...those(v, (i) => outside[i])];
    return { outside, points: Uint32Array.from(points) };
  };
  return design(
    d, epsilon, found, v, (q ** (t - 1) - 1) / (q - 1), v,
    (x, place) => ((plane ??= walked()).points[place] + v - x) % v,
    (block, x) => !(plane ??= walked()).outside[(x + block) % v],
  );
}

/** @param {number} n */
export function parity(n) {
  let odd = 0;
  for (; n; n &= n - 1) odd ^= 1;
  return odd;
}

/** @param {number} d @param {number} epsilon @param {Fields} found */
export function hadamard(d, epsilon, found) {
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
