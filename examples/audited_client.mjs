// The client of audited_client.py in JavaScript: answers come in and reports go out, a line each.
//
//     node audited_client.mjs file:///…/privet.js survey.json

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , module, path] = process.argv;
const { Survey } = await import(module);
const { keyed } = await import(new URL("privet-keyed.js", module));
const survey = await Survey.from(readFileSync(path, "utf8"));
const secret = process.env.PRIVET_SECRET;
const source = secret ? keyed(new Uint8Array(Buffer.from(secret, "hex"))) : undefined;

const reports = [];
for await (const line of createInterface({ input: process.stdin }))
  reports.push(Buffer.from(survey.randomize(JSON.parse(line), { source })).toString("hex"));
process.stdout.write(reports.map((report) => `${report}\n`).join(""));
