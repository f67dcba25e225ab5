// How long reports of an answer take in JavaScript: run by timing.py, in node and in a browser.
//
// The random bytes of each report are kept, and the same report is made from them `repeats` times between
// two looks at the clock, because browsers give no clock that is finer than a single report. The quickest
// of a few rounds counts, in which nothing else came in between.

const WARM = 500; // reports that are not timed, for the compiler

/**
 * @param {any} client a module with a class Survey as that of privet.js
 * @param {{ contract: string, answer: any, reports: number, repeats: number, rounds: number }} given
 * @returns {Promise<{ times: number[], reports: string[] }>} nanoseconds of a report each, and the reports
 */
export async function timed({ Survey }, { contract, answer, reports, repeats, rounds }) {
  const survey = await Survey.from(contract), times = [], made = [];
  for (let i = 0; i < WARM; i++) survey.randomize(answer);
  for (let i = 0; i < reports; i++) {
    /** @type {Uint8Array[]} */
    const drawn = [];
    let at = 0;
    const report = survey.randomize(answer, {
      source: () => (/** @type {number} */ size) => drawn[drawn.push(crypto.getRandomValues(new Uint8Array(size))) - 1],
    });
    const source = () => () => drawn[at++];
    let quickest = Infinity;
    for (let round = 0; round < rounds; round++) {
      const begin = performance.now();
      for (let again = 0; again < repeats; again++) {
        at = 0;
        survey.randomize(answer, { source });
      }
      quickest = Math.min(quickest, performance.now() - begin);
    }
    times.push(quickest * 1e6 / repeats);
    made.push([...report].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
  return { times, reports: made };
}
