// Randomness from a secret of the person's own: the same answer gives the same report (docs/algorithm.md, 7).
//
//     survey.randomize("tea", { source: keyed(secret) });

import { bigEndian, joined, sha256 } from "./privet-draws.js";
import { InvalidAnswer } from "./privet-questions.js";

/** @param {Uint8Array} key @param {Uint8Array} message */
function hmac(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(joined(block.map((byte) => byte ^ 0x36), message));
  return sha256(joined(block.map((byte) => byte ^ 0x5c), inner));
}

/**
 * A source of bytes that depend on a secret and a public context alone.
 * @param {Uint8Array} secret at least 16 bytes
 * @returns {import("./privet.js").Source}
 */
export const keyed = (secret) => (survey, context) => {
  if (survey.version < 2 || secret.length < 16)
    throw new InvalidAnswer("A secret must have at least 16 bytes, and the survey version 2.");
  const key = hmac(secret, joined("privet answer ", survey.hash, context));
  let block = 0, left = new Uint8Array(0);
  return (size) => {
    const parts = [left];
    for (let have = left.length; have < size; have += 32) parts.push(hmac(key, bigEndian(block++)));
    const bytes = joined(...parts);
    left = bytes.slice(size);
    return bytes.slice(0, size);
  };
};
