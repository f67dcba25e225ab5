// The client of audited_client.py in JavaScript: answers come in and reports go out, a line each.
//
//     node audited_client.mjs file:///…/privet.js survey.json

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , module, path] = process.argv;
const { Survey } = await import(module);
const survey = Survey.from(readFileSync(path, "utf8"));
const given = process.env.PRIVET_SECRET;
const secret = given ? new Uint8Array(Buffer.from(given, "hex")) : undefined;

const reports = [];
for await (const line of createInterface({ input: process.stdin }))
  reports.push(Buffer.from(survey.randomize(JSON.parse(line), { secret })).toString("hex"));
process.stdout.write(reports.map((report) => `${report}\n`).join(""));
