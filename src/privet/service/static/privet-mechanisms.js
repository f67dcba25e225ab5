// The other mechanisms of docs/algorithm.md, section 6, and the table of them all.

import { joined, bitLength, sha256 } from "./privet-draws.js";
import { cyclotomic, hadamard, isPrime, parity, projective } from "./privet-designs.js";
import {
  bit, bytesOf, checkSize, flipOf, floorExp, inside, integer, invert, littleEndian, must, numbered, ONE,
  ones, packing, those, valid, weighed,
} from "./privet-integers.js";
import { interval, kSubset } from "./privet-subsets.js";

/** @typedef {import("./privet-integers.js").Mechanism} Mechanism */
/** @typedef {import("./privet-integers.js").Fields} Fields */
/** @typedef {(d: number, epsilon: number, found: Fields) => Mechanism} Maker */

const CHANCE = Number(ONE);

// --- a bit for every value -----------------------------------------------------------------------

/**
 * The bit of the person's value is inverted always, or by a fair coin.
 * @param {boolean} fair
 * @returns {Maker}
 */
const unary = (fair) => (d, epsilon, found) => {
  const power = fair ? 1 : 2, flip = flipOf(found, epsilon, power), size = (d + 7) >> 3;
  const other = Number(flip) / CHANCE;
  return {
    size, ratio: (1 / other - 1) ** power, own: fair ? 0.5 : 1 - other, other,
    sample(x, stream) {
      const bits = stream.coins(d, flip, 64);
      bits[x >> 3] ^= (fair ? stream.coins(1, 1n, 1)[0] : 1) << (x & 7);
      return bits;
    },
    members(report) {
      checkSize(report, size);
      return ones(report, d);
    },
  };
};

/** @type {Maker} */
function geometricNoise(d, epsilon, found) {
  const { limit } = found, flip = flipOf(found, epsilon, 2), rest = ONE - flip;
  inside("limit", limit, 0, 2 ** 15 - 1);
  const coins = 1 + Math.min(limit, Number(rest / (rest - flip)));
  must(coins <= 32 || d * coins <= 2 ** 15, "flip", `smaller for ${d} values`);
  const width = limit <= 127 ? 1 : 2, other = Number(flip) / CHANCE;
  return {
    size: d * width, ratio: (1 / other - 1) ** 2, own: 1 - other, other,
    sample(x, stream) {
      const report = new Uint8Array(d * width);
      const flips = stream.coiner(flip, ONE), goes = stream.coiner(flip, rest);
      for (let j = 0; j < d; j++) {
        const up = flips() ^ Number(j === x);
        let steps = 0;
        while (steps < limit && goes()) steps++;
        const entry = up ? limit + 1 + steps : limit - steps;
        report[j * width] = entry;
        if (width > 1) report[2 * j + 1] = entry >> 8;
      }
      return report;
    },
    members(report) {
      checkSize(report, d * width);
      const entry = (/** @type {number} */ j) =>
        width > 1 ? report[2 * j] + 256 * report[2 * j + 1] : report[j];
      valid(!those(d, (j) => entry(j) > 2 * limit + 1).length, `an entry is above ${limit + 1}`);
      return those(d, (j) => entry(j) > limit);
    },
  };
}

// --- a public function, and the value's bucket ---------------------------------------------------

/**
 * @param {number} d @param {number} epsilon @param {Fields} found
 * @param {bigint} functions @param {number} buckets
 * @param {(f: bigint) => (x: any) => number} bucketOf where a function maps a value
 * @returns {Mechanism}
 */
function hashed(d, epsilon, found, functions, buckets, bucketOf) {
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
      const number = numbered(report, size, count), bucket = Number(number % (lies + 1n));
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
  const read = (/** @type {Uint8Array} */ report) => Number(numbered(report, made.size, 2 * d));
  return {
    ...made, own: undefined,
    members: (report) => (read(report) % 2 ? [read(report) >> 1] : []),
    denied: (report) => (read(report) % 2 ? [] : [read(report) >> 1]),
  };
}

const PRIME = 2 ** 31 - 1;

/**
 * The cell that a cohort's function maps values to.
 * @param {number} f @param {number} cells @returns {(x: number) => number}
 */
function cellOf(f, cells) {
  const view = new DataView(sha256(joined(`privet cohort ${f}`)).buffer);
  const [a, b] = [PRIME - 1, PRIME].map((n, i) => Number(view.getBigUint64(8 * i, true) % BigInt(n)));
  return (x) => (((a + 1) * x + b) % PRIME) % cells;
}

/**
 * @param {number} d @param {number} cohorts @param {number} cells
 * @param {number} useful how many cells tell something
 */
function checkCohorts(d, cohorts, cells, useful) {
  inside("number of categories", d, 2, 2048);
  inside("cohorts", cohorts, 1, 2 ** 14);
  inside("cells", cells, 2, 2 ** 12);
  must(d <= useful && cohorts * cells <= Math.max(2 ** 14, 64 * d), "cohorts", `for ${d} values`);
}

/** @type {Maker} */
function hashedRR(d, epsilon, found) {
  const { cohorts, buckets } = found;
  checkCohorts(d, cohorts, buckets, cohorts * (buckets - 1) + 1);
  return hashed(d, epsilon, found, BigInt(cohorts), buckets, (f) => cellOf(Number(f), buckets));
}

/** @type {Maker} */
function rappor(d, epsilon, found) {
  const { cohorts, bits, hashes } = found;
  checkCohorts(d, cohorts, bits, cohorts * bits);
  inside("hashes", hashes, 1, 16);
  const flip = flipOf(found, epsilon, 2 * hashes), named = bytesOf(cohorts - 1);
  const size = named + ((bits + 7) >> 3), power = Math.min(2 * hashes, bits);
  /** @param {number} cohort */
  const cellsOf = (cohort) => Array.from({ length: hashes }, (_, i) => cellOf(cohort * hashes + i, bits));
  return {
    size, ratio: (CHANCE / Number(flip) - 1) ** power,
    sample(x, stream) {
      const cohort = Number(stream.below(cohorts)), flips = stream.coins(bits, flip, 64);
      for (const one of new Set(cellsOf(cohort).map((cell) => cell(x)))) invert(flips, one);
      return joined(littleEndian(cohort, named), flips);
    },
    members(report) {
      checkSize(report, size);
      const cohort = Number(numbered(report.slice(0, named), named, cohorts));
      const set = new Set(ones(report.subarray(named), bits)), cells = cellsOf(cohort);
      return those(d, (x) => cells.every((cell) => set.has(cell(x))));
    },
  };
}

// --- several choices -----------------------------------------------------------------------------

/** @param {number} n @param {number} k */
function choose(n, k) {
  let ways = 1n;
  for (let i = 1; i <= k; i++) ways = (ways * BigInt(n - k + i)) / BigInt(i);
  return ways;
}

/** @type {Maker} */
function setSubset(d, epsilon, found) {
  const { most, k } = found, v = d + most;
  inside("k", k, 1, d);
  const meet = integer("meet", found.meet), every = choose(v, k), missing = choose(d, k);
  const meeting = every - missing, favoured = floorExp(epsilon, 1, 64) * meeting;
  const largest = (favoured * ONE) / (favoured + missing * ONE);
  const kept = (meeting * ONE) / every < meet && meet <= largest;
  must(kept, "meet", `at most ${largest}: not as private as it says`);
  const overlap = Math.min(k, most), { size, pack, members } = packing(v, k);
  /**
   * How many sets meet the person's in at most 1, 2, … points.
   * @type {bigint[]}
   */
  let sums;
  const summed = () => {
    let sets = BigInt(most) * choose(d, k - 1), sum = 0n;
    return Array.from({ length: overlap }, (_, i) => {
      const j = i + 1;
      sum += sets;
      sets = (sets * BigInt((most - j) * (k - j))) / BigInt((j + 1) * (d - k + j + 1));
      return sum;
    });
  };
  const met = Number(meet) / CHANCE, part = Number((meeting * ONE) / every) / CHANCE;
  return {
    size, members, own: (met * k) / v / part,
    other: (met * (k / v - ((1 - part) * k) / d)) / part + ((1 - met) * k) / d,
    ratio: (met / (1 - met)) * (1 / part - 1),
    sample(x, stream) {
      const meets = stream.coin(meet, ONE);
      sums ??= summed();
      const shared = meets * (1 + stream.pick(sums.slice(0, -1), sums[overlap - 1]));
      const own = [...x, ...Array.from({ length: most - x.length }, (_, i) => d + i)];
      // Positions leave out the person's points: the last ones stand in for them.
      const standIn = (/** @type {number} */ one) => v - x.length + x.indexOf(one);
      const points = stream.distinct(d, k).map((one) => (x.includes(one) ? standIn(one) : one));
      stream.distinct(most, overlap).forEach((place, i) => {
        points[i] = [points[i], own[place]][Number(i < shared)];
      });
      return pack(points);
    },
  };
}

/**
 * How many sets of at most r of x options there are; above 4,096, some such number.
 * @param {number} x @param {number} r
 */
function setsOf(x, r) {
  let sets = 1;
  for (let size = 1, of = 1; size <= r && sets <= 4096; size++) sets += of = (of * (x + 1 - size)) / size;
  return sets;
}

/** @type {Maker} */
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

// --- all of them ---------------------------------------------------------------------------------

/**
 * What surveys call them: the fields in canonical order, and the maker.
 * @type {Record<string, [string, Maker]>}
 */
const ONE_CHOICE = {
  "k-subset": ["k odds scale start", kSubset],
  "multivariate-rr": ["k odds scale start", (d, epsilon, found) => {
    must(found.k === 1, "k", "1");
    return kSubset(d, epsilon, found);
  }],
  cyclotomic: ["p m u root odds scale", cyclotomic],
  projective: ["q t recurrence odds scale", projective],
  hadamard: ["t odds scale", hadamard],
  "binary-rr": ["flip", unary(false)],
  "optimized-unary": ["flip", unary(true)],
  "local-hash": ["buckets prime odds scale", localHash],
  "one-bit": ["odds scale", oneBit],
  "hashed-rr": ["cohorts buckets odds scale", hashedRR],
  rappor: ["cohorts bits hashes flip", rappor],
  interval: ["window odds scale", interval],
  "geometric-noise": ["flip limit", geometricNoise],
};
/** @type {Record<string, [string, Maker]>} */
const SEVERAL = {
  "set-subset": ["most k meet", setSubset],
  "one-option": ["most odds scale", oneOption],
  "listed-sets": ["most k odds scale start", listedSets],
};
const FITTING = { choice: ONE_CHOICE, several: SEVERAL, scale: { interval: ONE_CHOICE.interval } };

/**
 * The mechanism of a contract, with its own integers.
 * @param {"choice" | "several" | "scale"} kind @param {number} d @param {number} epsilon @param {any} found
 */
export function mechanismOf(kind, d, epsilon, found) {
  const fitting = FITTING[kind], name = found?.name;
  must(Object.hasOwn(fitting, name), "mechanism's name", `one of ${Object.keys(fitting).join(", ")}`);
  const [fields, make] = /** @type {Record<string, [string, Maker]>} */ (fitting)[name];
  must(Object.keys(found).join(" ") === `name ${fields}`, `parameters of ${name}`, fields);
  inside("number of categories", d, 2, 2 ** 26);
  if (kind === "several") inside("most", found.most, 1, d);
  return make(d, epsilon, found);
}
