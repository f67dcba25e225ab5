// The surveys, kept up to date.

import { ask, byId, copyLinks, count, often } from "./ui.js";

const list = byId("surveys"), status = byId("status");

/** @param {any} row @param {any} survey */
function show(row, survey) {
  const part = (/** @type {string} */ name) => row.querySelector(`[data-${name}]`);
  const reports = count(survey.reports), state = survey.open ? "open" : "closed";
  if (part("reports").textContent !== reports) {
    part("reports").textContent = reports;
    part("word").textContent = survey.reports === 1 ? "report" : "reports";
    part("reports").classList.remove("fresh");
    requestAnimationFrame(() => part("reports").classList.add("fresh"));
  }
  part("state").textContent = state;
  part("state").className = `state ${state}`;
  part("since").textContent = survey.open ? survey.since : survey.closed;
  part("close").hidden = !survey.open;
}

async function update() {
  const { surveys } = await (await ask("GET", "/surveys")).json();
  if (surveys.length !== list.children.length) return location.reload();
  for (const survey of surveys) show(list.querySelector(`[data-id="${CSS.escape(survey.id)}"]`), survey);
}

copyLinks();
if (list) {
  often(update, 5);
  list.addEventListener("click", async (/** @type {any} */ event) => {
    if (!event.target.matches("[data-close]")) return;
    const row = event.target.closest("[data-id]"), title = row.querySelector("h2").textContent;
    if (!confirm(`Close “${title}”? It will take no more reports; its results stay.`)) return;
    try {
      show(row, await (await ask("POST", `/surveys/${row.dataset.id}/close`)).json());
      status.textContent = `“${title}” is closed.`;
    } catch (error) {
      status.textContent = /** @type {Error} */ (error).message;
    }
  });
}
