// Which file has which mechanism. A browser loads those that the contract names.

import { checkFields, inside, must } from "./privet-integers.js";

/** @type {Record<string, string[]>} */
const FILES = {
  subsets: ["k-subset", "multivariate-rr"],
  sets: ["set-subset"],
  listed: ["listed-sets"],
  numbered: ["interval"],
  designs: ["cyclotomic", "hadamard"],
  projective: ["projective"],
  hashes: ["local-hash", "one-bit", "one-option"],
  cohorts: ["hashed-rr", "rappor"],
  bits: ["binary-rr", "optimized-unary"],
  levels: ["two-level-unary"],
  noise: ["geometric-noise"],
};

/**
 * The mechanism of a contract, with its own integers.
 * @param {string} kind of answers: "choice", "several" or "scale" @param {number} d @param {number} epsilon @param {any} found
 * @returns {Promise<import("./privet-integers.js").Mechanism>}
 */
export async function mechanismOf(kind, d, epsilon, found) {
  const name = found?.name, file = Object.keys(FILES).find((one) => FILES[one].includes(name));
  must(file, "mechanism", "known");
  const [kinds, fields, make] = (await import(`./privet-${file}.js`)).mechanisms[name];
  must(kinds.includes(kind), "mechanism", `for ${kinds}`);
  checkFields(name, found, `name ${fields}`);
  if ("most" in found) inside("most", found.most, 1, d);
  return make(d, epsilon, found);
}
