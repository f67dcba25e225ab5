// How the editor asks for the answers to a question, by their kind.
//
// A kind is named as in drafts, where that is the field that says the answers. A module that adds one does
// so before the editor is shown:
//
//     import { editorKinds } from "./editor-kinds.js";
//     editorKinds.set("months", { label: "A month", more: [], fields: (given) => ... });

import { h } from "./ui.js";

/**
 * @typedef {object} Lines a field of answers, one a line, which kinds share
 * @property {any} element
 * @property {() => string[]} read
 *
 * @typedef {object} Fields of a kind, in a question's card
 * @property {any[]} elements
 * @property {() => Record<string, any>} said what a draft says
 * @property {() => boolean} complete
 *
 * @typedef {object} Kind
 * @property {string} label
 * @property {string[]} more which other fields of a draft it has
 * @property {boolean} [apart] whether no table can have it
 * @property {(given: any, lines: Lines) => Fields} fields filled in as given
 */

let made = 0;

/**
 * A labelled field.
 * @param {string} label @param {any} input
 */
export function field(label, input) {
  input.id ||= `field-${++made}`;
  return h("div", {}, h("label", { for: input.id }, label), input);
}

/**
 * A field of answers that kinds of names share, so that a change of the kind keeps them.
 * @param {any} given a question of a draft @returns {Lines}
 */
export function linesOf({ categories = [], several = categories }) {
  const input = h("textarea", { rows: "5", placeholder: "by bicycle\nby train\nby car" });
  input.value = several.join("\n");
  const read = () => input.value.split("\n").map((/** @type {string} */ one) => one.trim()).filter(Boolean);
  return { element: field("Answers, one a line", input), read };
}

/** @param {string[]} names */
const areNames = (names) => names.length > 1 && new Set(names).size === names.length;

/** @type {Kind} */
const categories = {
  label: "One choice",
  more: [],
  fields: (_, lines) => ({
    elements: [lines.element],
    said: () => ({ categories: lines.read() }),
    complete: () => areNames(lines.read()),
  }),
};

/** @type {Kind} */
const several = {
  label: "Several choices",
  more: ["most"],
  apart: true,
  fields(given, lines) {
    const most = h("input", { type: "number", min: "1", value: `${given.most || 2}` });
    return {
      elements: [lines.element, h("div", {}, field("How many may one choose?", most))],
      said: () => ({ several: lines.read(), most: Math.min(Number(most.value), lines.read().length) }),
      complete: () => areNames(lines.read()),
    };
  },
};

/** @type {Kind} */
const scale = {
  label: "A number",
  more: ["unit", "whole"],
  fields(given) {
    const [from, to] = given.scale ?? [0, 100];
    const low = h("input", { type: "number", step: "any", value: `${from}` });
    const high = h("input", { type: "number", step: "any", value: `${to}` });
    const unit = h("input", { type: "text", maxlength: "30", placeholder: "years", autocomplete: "off", value: given.unit ?? "" });
    const whole = h("input", { type: "checkbox", checked: given.scale ? Boolean(given.whole) : true });
    const named = () => unit.value.trim();
    return {
      elements: [h("div", { class: "inline" }, field("From", low), field("to", high), field("Unit, if any", unit), h("label", { class: "check" }, whole, "whole numbers"))],
      said: () => ({ scale: [Number(low.value), Number(high.value)], whole: whole.checked, ...(named() ? { unit: named() } : {}) }),
      complete: () => Number(low.value) < Number(high.value),
    };
  },
};

/** @type {Map<string, Kind>} */
export const editorKinds = new Map(Object.entries({ categories, several, scale }));
