// What the reports say, as they come in.

import { heat, listed, percent, pictureOf, rowsOf } from "./charts.js";
import { plain } from "./privet-plain.js";
import { ask, byId, count, h, often, root } from "./ui.js";

const { id } = byId("results").dataset, path = `/surveys/${id}`;
const summary = byId("summary"), place = byId("questions");
const state = /** @type {any} */ (document.querySelector(".state"));
/** @type {{ sort: boolean, all: boolean }} */
const view = { sort: false, all: false };
/** @type {any} */ let contract;
/** @type {any} */ let estimate;
let tag = "";

/**
 * Links to files, and a button that shows more.
 * @param {string[]} ids @param {any} button
 */
function files(ids, button) {
  const asked = contract.questions ? `?${ids.map((one) => `question=${encodeURIComponent(one)}`).join("&")}` : "";
  const link = (/** @type {string} */ kind) => h("a", { href: `${root}${path}/estimate.${kind}${asked}`, download: true }, kind.toUpperCase());
  const kinds = ["csv", "svg", "png"].filter((kind) => kind === "csv" || ids.length < 3);
  return h("div", { class: "files" }, h("span", { class: "hint" }, "Download"), ...kinds.map(link), button);
}

/**
 * How to see more of a list, if there is more to see.
 * @param {any} found
 */
function viewing({ categories }) {
  if (!categories || categories.length < 4) return null;
  const redraw = (/** @type {"sort" | "all"} */ what) => () => ((view[what] = !view[what]), draw());
  if (categories.length <= 20) return h("button", { type: "button", "aria-pressed": `${view.sort}`, click: redraw("sort") }, view.sort ? "As asked" : "Largest first");
  const rows = rowsOf(categories.length, !view.all);
  return h("button", { type: "button", click: redraw("all") }, rows < categories.length ? `Show the ${count(rows)} largest` : `Show all ${count(rows)}`);
}

/** @param {string} title @param {any[]} inside @param {string} note @param {string[]} ids @param {any} [button] */
const card = (title, inside, note, ids, button = null) =>
  h("section", { class: "card" }, title ? h("h2", {}, title) : null, note ? h("p", { class: "hint" }, note) : null, ...inside, files(ids, button));

/** @param {string} title @param {any} found @param {string} name @param {string} note */
const question = (title, found, name, note) =>
  card(title, pictureOf(found).results(found, title || contract.question, view), note, [name], viewing(found));

/** @param {any} table @param {Record<string, string>} texts */
function tabled(table, texts) {
  const names = table.questions.map((/** @type {string} */ one) => texts[one]), title = names.join(" × ");
  if (table.questions.length === 2) return card(title, [heat(table, names)], "Shares of all people, and half the width of the 95 % interval.", table.questions);
  const cells = table.categories.reduce((/** @type {string[]} */ sofar, /** @type {string[]} */ more) => sofar.flatMap((a) => more.map((b) => (a ? `${a}, ${b}` : b))), [""]);
  const flat = (/** @type {string} */ key) => table[key].flat(Infinity);
  return card(title, listed({ categories: cells, frequencies: flat("frequencies"), low: flat("low"), high: flat("high") }, title, view), "", table.questions);
}

/**
 * The place of the largest share.
 * @param {number[]} shares
 */
const topOf = (shares) => shares.reduce((best, one, i) => (one > shares[best] ? i : best), 0);

/** What tests of the reports found, if honest people hardly ever send such. */
function doubts() {
  const found = estimate.checks.filter((/** @type {any} */ one) => one.p_value < 0.001);
  return found.length ? ` Some reports may be false: honest ones are hardly ever so far from what any shares explain (${found.map((/** @type {any} */ one) => one.test).join(", ")}).` : "";
}

function draw() {
  const people = `${count(estimate.n)} ${estimate.n === 1 ? "person has" : "people have"} answered.${doubts()}`;
  if (estimate.kind !== "questionnaire") {
    const top = estimate.categories ? topOf(estimate.frequencies) : -1;
    const said = top < 0 || !estimate.found[top] ? "" : ` Most: ${estimate.categories[top]}, about ${percent(estimate.frequencies[top], 0)}.`;
    summary.textContent = people + said;
    return place.replaceChildren(question("", estimate, contract.id, ""));
  }
  summary.textContent = `${people} Each was asked a part of the questions, drawn by chance.`;
  /** @type {Record<string, string>} */
  const texts = Object.fromEntries(contract.questions.map((/** @type {any} */ one) => [one.id, one.question]));
  place.replaceChildren(
    ...Object.entries(estimate.questions).map(([name, found]) => question(texts[name], found, name, `From ${count(/** @type {any} */ (found).n)} reports`)),
    ...estimate.tables.map((/** @type {any} */ table) => tabled(table, texts)));
}

async function update() {
  const progress = await (await ask("GET", `${path}/progress`)).json();
  state.textContent = progress.open ? "open" : "closed";
  state.className = `state ${state.textContent}`;
  if (progress.results !== "shown") {
    summary.textContent = plain(progress.detail);
    return place.replaceChildren();
  }
  const answer = await ask("GET", `${path}/estimate`, undefined, { headers: tag ? { "If-None-Match": tag } : {} });
  if (answer.status === 304) return;
  tag = answer.headers.get("ETag") ?? "";
  contract ??= await (await ask("GET", path)).json();
  estimate = await answer.json();
  draw();
}

update().catch((error) => (summary.textContent = error.message));
often(update, 3);
