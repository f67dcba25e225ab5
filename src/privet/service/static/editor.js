// A survey in the making: what is written becomes a draft, and the service says what to expect of it.

import { percent, pictureOf } from "./charts.js";
import { editorKinds, linesOf } from "./editor-kinds.js";
import { ask, byId, count, h, root } from "./ui.js";

const LEVELS = [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8];
const MISSING = "Write a question and its answers, and see here how sure the results will be.";

/**
 * @typedef {object} Question a card of the editor
 * @property {string} [id]
 * @property {any} element
 * @property {any} remove the button that removes it
 * @property {() => any} said what a draft says
 * @property {() => boolean} complete
 * @property {() => string} name
 * @property {() => boolean} joins whether tables can have it
 */

/** @type {Question[]} */
let questions = [];
/** @type {any} what is posted when the survey is made */
let contract = null;
/** @type {string | null} a contract that was opened, and is not changed */
let opened = null;
/** @type {any} */ let shared;
let made = 0, named = false;
/** @type {any} */ let timer;
let request = new AbortController();

/**
 * A short name.
 * @param {string} text
 */
const slug = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/^-+|-+$/g, "");

/**
 * Make a question's card.
 * @param {any} [given] a question of a draft @param {string} [id]
 */
function addQuestion(given = {}, id) {
  const number = ++made, names = [...editorKinds.keys()], first = names.find((name) => given[name]) ?? names[0];
  const text = h("input", { maxlength: "300", autocomplete: "off", placeholder: "Such as: How do you get to work?" });
  text.value = given.question ?? id ?? "";
  const lines = linesOf(given), more = { ...given };
  delete more.question;
  const radios = [...editorKinds].map(([name, kind]) => {
    const input = h("input", { type: "radio", name: `kind-${number}`, value: name, checked: name === first });
    for (const one of [name, ...kind.more]) delete more[one];
    return { input, kind, fields: kind.fields(given, lines) };
  });
  const chosen = () => /** @type {any} */ (radios.find((one) => one.input.checked));
  const elements = [...new Set(radios.flatMap((one) => one.fields.elements))];
  const show = () => {
    for (const one of elements) one.hidden = !chosen().fields.elements.includes(one);
  };
  const remove = h("button", { type: "button", class: "quiet", click: () => {
    questions = questions.filter((one) => one !== self);
    self.element.remove();
    changed();
  } }, "Remove");
  const label = h("label", {}, "Question");
  label.htmlFor = text.id = `text-${number}`;
  const self = {
    id, remove,
    element: h("section", { class: "card question" }, h("div", { class: "head" }, label, remove), h("div", {}, text),
      h("fieldset", {}, h("legend", { class: "visually-hidden" }, "Kind of answer"), h("div", { class: "kinds" }, radios.map((one) => h("label", {}, one.input, one.kind.label)))),
      elements),
    said: () => ({ ...more, question: text.value.trim(), ...chosen().fields.said() }),
    complete: () => text.value.trim() !== "" && chosen().fields.complete(),
    name: () => text.value.trim(),
    joins: () => !chosen().kind.apart,
  };
  radios.forEach((one) => one.input.addEventListener("change", show));
  show();
  questions.push(self);
  byId("questions").append(self.element);
  return text;
}

/** The ids of the questions: as they were given, or made from their texts. */
function ids() {
  /** @type {string[]} */
  const taken = [];
  for (const [i, one] of questions.entries()) {
    let id = one.id ?? (slug(one.name()) || `question-${i + 1}`);
    if (taken.includes(id)) id = `${id}-${i + 1}`;
    taken.push(id);
  }
  return taken;
}

function draft() {
  const names = ids();
  const tables = [...byId("pairs").querySelectorAll(":checked")].map((one) => one.value.split(" ").map((/** @type {string} */ i) => names[Number(i)]));
  return {
    title: questions.length > 1 ? byId("title").value.trim() : questions[0].said().question,
    epsilon: Number(byId("epsilon").value),
    ...(byId("id").value ? { id: byId("id").value } : {}),
    questions: Object.fromEntries(questions.map((one, i) => [names[i], one.said()])),
    ...(tables.length ? { tables } : {}),
    ...(shared ? { shares: shared } : {}),
  };
}

/**
 * Offer tables of all pairs that can be asked together.
 * @param {string[][]} [wanted]
 */
function offerTables(wanted) {
  const before = new Set([...byId("pairs").querySelectorAll(":checked")].map((one) => one.value)), names = ids(), rows = [];
  for (const [j, b] of questions.entries())
    for (const [i, a] of questions.slice(0, j).entries()) {
      if (!(a.joins() && b.joins())) continue;
      const value = `${i} ${j}`, input = h("input", { type: "checkbox", value });
      input.checked = wanted ? wanted.some((pair) => pair.length === 2 && pair.includes(names[i]) && pair.includes(names[j])) : before.has(value);
      rows.push(h("label", { class: "check" }, input, `${a.name() || `Question ${i + 1}`} × ${b.name() || `Question ${j + 1}`}`));
    }
  byId("pairs").replaceChildren(...rows);
  byId("tables").hidden = rows.length === 0;
}

/** Something was written: ask what to expect, when the writing pauses. */
function changed() {
  byId("title-field").hidden = opened !== null || questions.length < 2;
  for (const one of questions) one.remove.hidden = questions.length === 1;
  const title = questions.length > 1 ? byId("title").value : questions[0].name();
  if (!named) byId("id").value = slug(title);
  clearTimeout(timer);
  request.abort();
  byId("create").disabled = true;
  if (opened === null && !(questions.every((one) => one.complete()) && title.trim())) return say(MISSING);
  if (!byId("people").checkValidity() || !byId("epsilon").checkValidity()) return say("How many people, and how private? Both are numbers.");
  timer = setTimeout(expect, 250);
}

/** @param {string} text */
const say = (text) => byId("plan").replaceChildren(h("p", { class: "hint" }, text));

async function expect() {
  request = new AbortController();
  const { signal } = request;
  try {
    const found = await draftedBy(opened ?? JSON.stringify(draft()), "application/json", { signal });
    contract = found.contract;
    byId("words").textContent = found.privacy;
    showPlan(found.plan);
    showShuffled(found.shuffled);
    byId("problem").hidden = true;
    byId("create").disabled = false;
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}

/** @param {string} text @param {string} kind @param {RequestInit} [options] */
async function draftedBy(text, kind, options = {}) {
  const answer = await ask("POST", `/drafts?people=${Number(byId("people").value)}`, text, { ...options, headers: { "Content-Type": kind } });
  return answer.json();
}

/** @param {any} error */
function fail(error) {
  byId("problem").textContent = error.message;
  byId("problem").hidden = false;
  byId("create").disabled = true;
}

/** @param {any[]} plan */
function showPlan(plan) {
  const people = Number(byId("people").value), many = plan.length > 1;
  byId("plan").replaceChildren(...plan.map((row) => {
    const texts = contract.questions ? row.asks.map((/** @type {string} */ id) => contract.questions.find((/** @type {any} */ one) => one.id === id).question) : [];
    const unit = row.picture?.unit ?? "", mean = row.of === "mean";
    const margin = row.margin === null ? "unknown" : mean ? `± ${count(row.margin, row.margin < 10 ? 1 : 0)} ${unit}`.trim() : `± ${percent(row.margin)}`;
    return h("section", { class: many ? "expect" : "" },
      many ? h("h3", {}, texts.join(" × ")) : null,
      h("p", { class: "big" }, margin),
      h("p", { class: "hint" }, `Expected error of ${mean ? "the mean" : "a share"}, at 95 % confidence`, many ? `, from about ${count(row.people)} people.` : "."),
      row.picture && !many ? picture(row.picture) : null,
      many ? null : h("p", { class: "hint" }, needed(row, people, mean, unit)),
      row.detectable ? h("p", { class: "hint" }, `An answer of fewer than ${percent(row.detectable)} of the people can hardly be distinguished from zero.`) : null);
  }));
  if (many) byId("plan").append(h("p", { class: "hint expect" }, `Four times as many people, ${count(4 * people)}, would halve each of these.`));
}

/** @param {{ epsilon: number | null, delta: number }} shuffled */
function showShuffled({ epsilon, delta }) {
  if (epsilon === null) return;
  const level = `central ε ≈ ${Number(epsilon.toPrecision(3))} at δ = ${delta}`;
  byId("plan").append(h("p", { class: "hint" }, `Once shuffled, all reports together are far more private: ${level}, if nobody can link a report to a person and results are looked at once, at the end.`));
}

/**
 * How many people would be surer.
 * @param {any} row @param {number} people @param {boolean} mean @param {string} unit
 */
function needed(row, people, mean, unit) {
  if (row.margin === null) return "";
  const aims = mean ? [row.margin / 2] : [0.1, 0.05, 0.02, 0.01].filter((one) => one < 0.9 * row.margin).slice(0, 2);
  const enough = (/** @type {number} */ aim) => Number((people * (row.margin / aim) ** 2).toPrecision(2));
  const said = aims.map((aim) => `± ${mean ? `${count(aim, 1)} ${unit}`.trim() : percent(aim, 0)} takes about ${count(enough(aim))} people`);
  return said.length ? `${said.join("; ")}.` : "";
}

/** @param {any} found */
function picture(found) {
  return h("figure", {}, pictureOf(found).planned(found), h("figcaption", { class: "hint" }, "With made-up answers: how far the 95 % intervals would reach."));
}

/** @param {File} file */
async function open(file) {
  const text = (await file.text()).replace(/^\ufeff/, ""), json = text.trimStart().startsWith("{");
  try {
    const found = await draftedBy(text, json ? "application/json" : "application/toml");
    byId("problem").hidden = true;
    if (found.draft) fillIn(found.draft);
    else keep(text, found.contract);
    changed();
  } catch (error) {
    fail(new Error(`${file.name}: ${/** @type {Error} */ (error).message}`));
  }
}

/**
 * Fill the form in from a draft.
 * @param {any} draft
 */
function fillIn(draft) {
  questions = [];
  byId("questions").replaceChildren();
  for (const [id, one] of Object.entries(draft.questions)) addQuestion(one, id);
  byId("title").value = draft.title;
  setLevel(draft.epsilon);
  if ((named = Boolean(draft.id))) byId("id").value = draft.id;
  shared = draft.shares;
  offerTables(draft.tables ?? []);
}

/**
 * Keep a contract as it is.
 * @param {string} text @param {any} found
 */
function keep(text, found) {
  opened = text;
  for (const id of ["title-field", "questions", "more", "tables", "privacy"]) byId(id).hidden = true;
  byId("imported").hidden = false;
  byId("imported").replaceChildren(h("h2", {}, found.title ?? found.question),
    h("p", {}, `This contract is asked just as it is, at ε = ${found.epsilon}.`), h("button", { type: "button", click: () => location.reload() }, "Start anew"));
  byId("id").value = found.id;
  byId("id").disabled = named = true;
}

/** @param {number} epsilon */
function setLevel(epsilon) {
  byId("epsilon").value = epsilon;
  const near = LEVELS.reduce((best, one, i) => (Math.abs(Math.log(one / epsilon)) < Math.abs(Math.log(LEVELS[best] / epsilon)) ? i : best), 0);
  byId("slider").value = near;
  byId("slider").setAttribute("aria-valuetext", `ε = ${LEVELS[near]}`);
}

async function create() {
  const address = new URLSearchParams({ invited: String(byId("invited").checked), counts_only: String(byId("counts").checked) });
  const never = /** @type {any} */ (document.querySelector("[name=public]:checked")).value === "never";
  address.set("public_from", never ? "null" : String(Number(byId("public-from").value)));
  for (const one of byId("origins").value.split(/\s+/).filter(Boolean)) address.append("origins", one);
  const answer = await ask("POST", `/surveys?${address}`, opened ?? contract);
  if (answer.status === 200) throw new Error("This very survey is there already. Give it another name in links.");
  location.assign(`${root}/surveys/${(await answer.json()).id}/settings`);
}

byId("slider").max = LEVELS.length - 1;
byId("slider").min = 0;
setLevel(1);
addQuestion().focus();
byId("add").addEventListener("click", () => (addQuestion().focus(), offerTables(), changed()));
byId("slider").addEventListener("input", () => setLevel(LEVELS[byId("slider").value]));
byId("epsilon").addEventListener("input", () => Number(byId("epsilon").value) > 0 && (byId("slider").value = LEVELS.findIndex((one) => one >= Number(byId("epsilon").value))));
byId("id").addEventListener("input", () => (named = byId("id").value !== ""));
byId("file").addEventListener("change", () => byId("file").files[0] && open(byId("file").files[0]));
byId("editor").addEventListener("input", () => (opened === null && offerTables(), changed()));
byId("editor").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  if (!byId("create").disabled) create().catch(fail);
});
changed();
