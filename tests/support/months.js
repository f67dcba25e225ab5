// The browser's part of `months.py`, as a page adds it: dates, of which the month is the value.

import { forms, make } from "./privet-forms.js";
import { inside, must } from "./privet-integers.js";
import { asked, kinds } from "./privet-questions.js";

kinds.set("months", {
  fields: "kind first count",
  mechanisms: "choice",
  read({ first, count }) {
    must(typeof first === "string" && /^\d{4}-(0[1-9]|1[0-2])$/.test(first), "first", "a month");
    inside("count", count, 2, 1200);
    const [year, month] = first.split("-").map(Number);
    const padded = (number, digits) => `${number}`.padStart(digits, "0");
    const numbers = Array.from({ length: count }, (_, i) => 12 * year + month - 1 + i);
    return { names: numbers.map((one) => `${padded(Math.floor(one / 12), 4)}-${padded((one % 12) + 1, 2)}`) };
  },
  value({ names }, answer) {
    const place = names.indexOf(`${answer}`.slice(0, 7));
    asked(place >= 0 && /^\d{4}-\d\d-\d\d$/.test(answer), "a date in these months");
    return place;
  },
});

forms.set("months", ({ question, name }) => {
  const input = make("input", { type: "date", name, required: true });
  input.setAttribute("aria-label", question.question);
  return { inputs: [make("label", {}, input)], answer: () => input.value };
});
