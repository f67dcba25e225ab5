// Random bytes, and the exact draws that reports are made of: docs/algorithm.md, 2.
//
// Nothing here rounds: whatever is out of range is drawn again. SHA-256 is here because browsers have
// their own on https alone.

export const ONE = 1n << 64n;

/** @typedef {(size: number) => Uint8Array} Read returns as many random bytes as it is asked for */

// --- SHA-256 -----------------------------------------------------------------------------------

/**
 * The first 32 binary digits after the point of the k-th root of a prime, exactly.
 * @param {number} prime @param {bigint} k
 */
function rootDigits(prime, k) {
  const power = BigInt(prime) << (32n * k);
  let root = 0n;
  for (let bit = 1n << 37n; bit; bit >>= 1n) if ((root | bit) ** k <= power) root |= bit;
  return Number(root & 0xffffffffn);
}

const PRIMES = [...Array(312).keys()].filter((n) => {
  for (let i = 2; i < n; i++) if (n % i === 0) return false;
  return n > 1;
});
const START = Int32Array.from(PRIMES.slice(0, 8), (prime) => rootDigits(prime, 2n));
const ROUND = Int32Array.from(PRIMES, (prime) => rootDigits(prime, 3n));

const words = new Int32Array(64);

/** @param {number} word @param {number} by */
const turn = (word, by) => (word >>> by) | (word << (32 - by));

/**
 * The SHA-256 of bytes.
 * @param {Uint8Array} data
 */
export function sha256(data) {
  const padded = new Uint8Array(((data.length + 72) >> 6) << 6);
  padded.set(data);
  padded[data.length] = 128;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, data.length / 2 ** 29);
  view.setUint32(padded.length - 4, data.length << 3);
  const hash = START.slice();
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) words[i] = view.getInt32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = words[i - 15], b = words[i - 2];
      const early = turn(a, 7) ^ turn(a, 18) ^ (a >>> 3);
      const late = turn(b, 17) ^ turn(b, 19) ^ (b >>> 10);
      words[i] = (((words[i - 16] + early) | 0) + words[i - 7] + late) | 0;
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let i = 0; i < 64; i++) {
      const low = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const first = (h + low + ((e & f) ^ (~e & g)) + ROUND[i] + words[i]) | 0;
      const high = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const second = high + ((a & b) ^ (a & c) ^ (b & c));
      h = g; g = f; f = e; e = (d + first) | 0;
      d = c; c = b; b = a; a = (first + second) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
  }
  hash.forEach((word, i) => view.setInt32(4 * i, word));
  return padded.slice(0, 32);
}

/**
 * Byte strings and texts, one after the other; very many come as one list of them.
 * @param {...(Uint8Array | string | Uint8Array[])} parts
 */
export function joined(...parts) {
  const pieces = parts.flat().map((one) => (typeof one === "string" ? new TextEncoder().encode(one) : one));
  const whole = new Uint8Array(pieces.reduce((sum, one) => sum + one.length, 0));
  let at = 0;
  for (const one of pieces) {
    whole.set(one, at);
    at += one.length;
  }
  return whole;
}

/**
 * Bytes in hexadecimal digits.
 * @param {Uint8Array} bytes
 */
export const hex = (bytes) => Array.from(bytes, (byte) => (byte + 256).toString(16).slice(1)).join("");

/**
 * A number in eight bytes, the highest first.
 * @param {number | bigint} number
 */
export function bigEndian(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(number));
  return new Uint8Array(view.buffer);
}

// --- where bytes come from ---------------------------------------------------------------------

/** @type {Read} the browser's secure generator, which gives at most 65,536 bytes at a time */
export function secure(size) {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  return bytes;
}

// --- draws -------------------------------------------------------------------------------------

/**
 * How many binary digits a number has.
 * @param {number} n
 */
export const bitLength = (n) => 32 - Math.clz32(n);

/** The draws that a report is made of. However its bytes are chunked, they are the same. */
export class Stream {
  /** @param {Read} read */
  constructor(read) {
    this.read = read;
    this.data = new Uint8Array(0);
    this.view = new DataView(this.data.buffer);
    this.at = 0;
    this.piece = 64;
  }

  /**
   * Take so many bytes, and return where in `data` they begin.
   * @param {number} size
   */
  take(size) {
    if (this.at + size > this.data.length) {
      const tail = this.data.subarray(this.at), fresh = this.read(Math.max(size - tail.length, this.piece));
      this.data = tail.length ? joined(tail, fresh) : fresh;
      this.view = new DataView(this.data.buffer, this.data.byteOffset);
      this.at = 0;
      this.piece = Math.min(4 * this.piece, 16384);
    }
    this.at += size;
    return this.at - size;
  }

  /**
   * Eight bytes as an integer, the first ones that are below a limit.
   * @param {bigint} limit
   */
  word(limit) {
    for (;;) {
      const at = this.take(8), word = this.view.getBigUint64(at, true);
      if (word < limit) return word;
    }
  }

  /**
   * 1 with probability heads / total, else 0.
   * @param {bigint} heads @param {bigint} total
   */
  coin(heads, total) {
    return Number(this.word(total) < heads);
  }

  /**
   * A uniform integer of [0, n).
   * @param {number | bigint} n
   */
  below(n) {
    const size = BigInt(n);
    return this.word((ONE / size) * size) % size;
  }

  /**
   * A bitmap of `count` independent bits, each 1 with probability c / 2^b, by planes of bits.
   * @param {number} count @param {bigint} c @param {number} b
   */
  coins(count, c, b) {
    const size = (count + 7) >> 3;
    const ones = new Uint8Array(size), undecided = new Uint8Array(size).fill(255);
    undecided[size - 1] >>= 8 * size - count;
    for (let left = 1; b && left; ) {
      const at = this.take(size), plane = this.data, digit = (c >> BigInt(--b)) & 1n;
      left = 0;
      for (let i = 0; i < size; i++) {
        const agree = undecided[i] & plane[at + i];
        if (digit) ones[i] |= agree;
        left |= undecided[i] = digit ? undecided[i] ^ agree : agree;
      }
    }
    return ones;
  }

  /**
   * A function that draws integers of as many bits as n − 1 has.
   * @param {number} n
   */
  positions(n) {
    const width = bitLength(n - 1), mask = 2 ** width - 1;
    const size = width <= 8 ? 1 : width <= 16 ? 2 : 4;
    return () => {
      const at = this.take(size);
      if (size === 1) return this.data[at] & mask;
      return (size === 2 ? this.view.getUint16(at, true) : this.view.getUint32(at, true)) & mask;
    };
  }

  /**
   * Different integers of [0, n), uniformly, in the order drawn.
   * @param {number} n @param {number} count
   */
  distinct(n, count) {
    const next = this.positions(n), drawn = new Set();
    while (drawn.size < count) {
      const position = next();
      if (position < n) drawn.add(position);
    }
    return /** @type {number[]} */ ([...drawn]);
  }
}
