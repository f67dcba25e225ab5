// How the element asks a question, by its kind of answer.
//
// A module that adds a kind adds its form here, before the element is shown:
//
//     import { forms, make } from "./privet-forms.js";
//     forms.set("months", ({ question, name }) => ({ inputs: [...], answer: () => ... }));

/**
 * @typedef {object} Asked
 * @property {any} question as a desk's `asks` returns it
 * @property {string} name of the inputs, which no other question has
 * @property {(key: string, values?: any) => string} say words in the page's language
 * @property {(text: string) => any} find a few names that have a text in them
 *
 * @typedef {object} Form
 * @property {Node[]} inputs
 * @property {() => any} answer what the inputs say
 * @property {string} [hint] what stands below them
 * @property {boolean} [long] whether they need a list that scrolls
 */

const MANY = 20; // more answers than this are found by typing

/**
 * @param {string} tag @param {Record<string, any>} [properties]
 * @param {...(Node | string)} children @returns {any}
 */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/**
 * An input for each name.
 * @param {Asked} asked @param {Record<string, any>} properties of the inputs
 */
function listed({ question: { names }, name }, properties) {
  const inputs = names.map((/** @type {string} */ value) => make("input", { name, value, ...properties }));
  const labels = inputs.map((/** @type {any} */ input) => make("label", {}, input, ` ${input.value}`));
  const chosen = () => inputs.filter((/** @type {any} */ one) => one.checked).map((/** @type {any} */ one) => one.value);
  return { inputs, labels, chosen, long: names.length > MANY };
}

/**
 * A field that finds names as one types.
 * @param {Asked} asked @returns {Form}
 */
function typed({ question, name, say, find }) {
  const list = make("datalist", { id: `${name}-list` });
  const input = make("input", { type: "text", name, required: true, autocomplete: "off" });
  input.setAttribute("list", list.id);
  input.setAttribute("aria-label", question.question);
  const fill = (/** @type {string[]} */ names) =>
    list.replaceChildren(...names.map((value) => make("option", { value })));
  input.addEventListener("input", async () => fill(await find(input.value.trim())));
  fill(question.names);
  return { inputs: [input, list], hint: say("type"), answer: () => input.value.trim() };
}

/** @param {Asked} asked @returns {Form} */
function choice(asked) {
  if (asked.question.count > MANY) return typed(asked);
  const { labels, chosen } = listed(asked, { type: "radio", required: true });
  return { inputs: labels, answer: () => chosen()[0] };
}

/** @param {Asked} asked @returns {Form} */
function several(asked) {
  const { most } = asked.question, { inputs, labels, chosen, long } = listed(asked, { type: "checkbox" });
  const limit = () => {
    const full = chosen().length >= most;
    for (const one of inputs) one.disabled = full && !one.checked;
  };
  for (const one of inputs) one.addEventListener("change", limit);
  return { inputs: labels, long, hint: asked.say("atMost", { most }), answer: chosen };
}

/** @param {Asked} asked @returns {Form} */
function scale({ question: { question, scale: { low, high, unit, whole } }, name }) {
  const step = whole ? 1 : "any", limits = { min: low, max: high, step };
  const input = make("input", { type: "number", name, required: true, ...limits });
  input.setAttribute("aria-label", question);
  const answer = () => (input.value === "" ? null : Number(input.value));
  return { inputs: [make("label", {}, input, ` ${unit} (${low} – ${high})`)], answer };
}

/** @type {Map<string, (asked: Asked) => Form>} */
export const forms = new Map(Object.entries({ choice, several, scale }));

/**
 * The form of a question, and its element.
 * @param {Asked} asked
 */
export function formOf(asked) {
  const { question, name } = asked, form = forms.get(question.kind);
  if (!form) throw new Error(`This page has no form for ${question.kind}.`);
  const { inputs, hint, long, answer } = form(asked);
  const legend = make("legend", { textContent: question.question, part: "question" });
  const element = make("fieldset", {}, legend, make("div", long ? { className: "list" } : {}, ...inputs));
  if (hint) {
    element.append(make("p", { id: `${name}-hint`, textContent: hint }));
    element.setAttribute("aria-describedby", `${name}-hint`);
  }
  return { id: question.id, element, answer };
}
