// All published vectors against the browser's client: in node, and in a browser, by the same function.
// It returns how many cases there were of each file, and throws at the first that is not as published.

/** @param {any} privet @param {any} parts @param {Record<string, any>} vectors */
export async function runVectors({ Survey, InvalidReport, InvalidAnswer }, { mechanismOf, Stream, keyed }, vectors) {
  const counts = {};
  const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (two) => parseInt(two, 16));
  const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const same = (got, wanted, what) => {
    if (String(got) !== String(wanted)) throw new Error(`${what}: ${got} instead of ${wanted}`);
  };
  const refuses = (kind, run, what) => {
    try {
      run();
    } catch (error) {
      if (error instanceof kind) return;
      throw error;
    }
    throw new Error(`${what}: not refused`);
  };
  const made = ({ d, epsilon, mechanism }) => {
    const several = ["set-subset", "one-option", "listed-sets"].includes(mechanism.name);
    return mechanismOf(several ? "several" : "choice", d, epsilon, mechanism);
  };

  /** Bytes in, report out, and not a byte more is taken. */
  async function samples(file, entries) {
    for (const entry of entries) {
      const mechanism = await made(entry), what = `${file} ${entry.mechanism.name} ${entry.d}`;
      const supported = Array(entry.d).fill(0);
      for (const one of entry.cases) {
        const data = bytes(one.bytes);
        let given = false;
        const stream = new Stream(() => {
          if (given) throw new Error(`${what}: asks for more bytes`);
          given = true;
          return data;
        });
        const report = mechanism.sample(one.value, stream, stream);
        same(hex(report), one.report, what);
        same(stream.at, data.length, `${what}, bytes taken`);
        same(report.length, mechanism.size, `${what}, size`);
        for (const member of mechanism.members(report)) supported[member]++;
        counts[file] = (counts[file] ?? 0) + 1;
      }
      if (entry.counts) same(supported, entry.counts, `${what}, members`);
    }
  }
  await samples("algorithm", vectors.algorithm.surveys);
  await samples("others", vectors.others.surveys);
  await samples("sets", vectors.sets.mechanisms);
  await samples("designs", vectors.designs.designs);

  for (const { d, k, report, why } of vectors.algorithm.refused) {
    const mechanism = { name: "k-subset", k, odds: "2", scale: 0, start: [0, 0] };
    const { members } = await made({ d, epsilon: 1, mechanism });
    refuses(InvalidReport, () => members(bytes(report)), why);
  }
  for (const entry of vectors.designs.refused) {
    const { members } = await made(entry);
    refuses(InvalidReport, () => members(bytes(entry.report)), entry.why);
  }

  for (const entry of vectors.contracts.surveys) {
    const survey = await Survey.from(`${entry.survey}\n`), [{ names }] = survey.questions;
    same(survey.fingerprint, entry.fingerprint, "fingerprint");
    const source = keyed(bytes(entry.secret)), [page] = survey.pages;
    const answer = () => {
      if (!entry.fresh) return survey.randomize(names[entry.value], { source });
      refuses(InvalidAnswer, () => survey.randomize(names[entry.value]), "no secret");
      const repeats = [0, 1].map(() => hex(survey.randomize(names[entry.value], { source })));
      if (repeats[0] === repeats[1]) throw new Error("repeats are alike");
      const permanent = new Stream(source(survey, bytes(entry.value.toString(16).padStart(16, "0"))));
      return page.mechanism.sample(entry.value, permanent, new Stream(() => bytes(entry.fresh)));
    };
    if (survey.version === 1) refuses(InvalidAnswer, answer, "a secret and version 1");
    else same(hex(answer()), entry.report, "keyed report");
    counts.contracts = (counts.contracts ?? 0) + 1;
  }

  for (const entry of [...vectors.answers.surveys, ...vectors.answers.questionnaires]) {
    const survey = await Survey.from(entry.contract);
    same(survey.fingerprint, entry.fingerprint, "fingerprint");
    for (const one of entry.cases) {
      const source = keyed(bytes(one.secret)), page = survey.draw({ source });
      const answer = survey.single ? one.answer : one.answers;
      if (!survey.single) same(page.number, one.page, "page");
      same(survey.value(answer, page), one.value, "value");
      const report = survey.randomize(answer, { source });
      same(hex(report), one.report, `keyed report of ${survey.id}`);
      same(hex(survey.randomize(answer, { source, page })), one.report, "of a drawn page");
      survey.members(report);
      counts.answers = (counts.answers ?? 0) + 1;
    }
  }
  return counts;
}
