// Projective designs: docs/designs.md, 5.

import { inside, must, those } from "./privet-integers.js";
import { design } from "./privet-numbered.js";
import { primeFactors } from "./privet-primes.js";

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

/** @type {import("./privet-integers.js").Maker} */
function projective(d, epsilon, found) {
  const { q, t, recurrence } = found;
  inside("q", q, 2, 8191);
  const [p, ...others] = primeFactors(q), e = Math.round(Math.log(q) / Math.log(p));
  must(!others.length, "q", "a power of a prime");
  inside("t", t, 2, 27);
  const order = q ** t - 1, v = order / (q - 1), n = e * t;
  must(d <= v && v <= 2 ** 26 && n * e * v <= Math.max(2 ** 18, 2 ** 8 * d), "t", `for ${d} values`);
  inside("recurrence", recurrence, 1, order);
  const taps = Array.from({ length: n }, (_, i) => Math.floor(recurrence / p ** i) % p);
  const one = powerOfX(0, taps, p);
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
    return { outside, points: [...those(v, (i) => !outside[i]), ...those(v, (i) => outside[i])] };
  };
  return design(
    d, epsilon, found, v, (q ** (t - 1) - 1) / (q - 1), v,
    (x, place) => ((plane ??= walked()).points[place] + v - x) % v,
    (block, x) => !(plane ??= walked()).outside[(x + block) % v],
  );
}

/** @type {import("./privet-integers.js").Family} */
export const mechanisms = { projective: ["choice", "q t recurrence odds scale", projective] };
