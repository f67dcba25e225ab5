// Primes, and parities of bits.

/** @param {number} n */
export function primeFactors(n) {
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

/** @param {number} n */
export function parity(n) {
  let odd = 0;
  for (; n; n &= n - 1) odd ^= 1;
  return odd;
}
