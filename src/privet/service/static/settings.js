// One survey's links, invitations and settings.

import { ask, byId, copy, copyLinks, root } from "./ui.js";

const { id } = byId("settings").dataset, path = `/surveys/${id}`;
const form = byId("change"), saved = byId("saved");
const link = new URL(byId("link").dataset.address, location.href).href;

/** @param {() => Promise<any>} run @param {any} place where to say what goes wrong */
async function orSay(run, place) {
  place.textContent = "";
  try {
    await run();
  } catch (error) {
    place.textContent = /** @type {Error} */ (error).message;
  }
}

byId("link").value = link;
byId("link").addEventListener("focus", () => byId("link").select());
const here = new URL(`${root}/`, location.href).href;
byId("embed").textContent = `<script type="module" src="${here}static/privet-survey.js"></script>\n<privet-survey src="${here}surveys/${id}"></privet-survey>`;
byId("copy-embed").addEventListener("click", () => copy(byId("copy-embed"), byId("embed").textContent));
copyLinks();

byId("invite").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  orSay(async () => {
    const answer = await ask("POST", `${path}/invitations`, { count: Number(byId("count").value) });
    const { invitations } = await answer.json();
    const text = invitations.map((/** @type {string} */ one) => `${link}#invitation=${one}\n`).join("");
    byId("links").value = text;
    byId("download").href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    byId("invited").hidden = false;
    byId("download").focus();
  }, saved);
});
byId("copy-links").addEventListener("click", () => copy(byId("copy-links"), byId("links").value));

form.addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  orSay(async () => {
    await ask("PATCH", path, {
      invited: form.invited.checked,
      public_from: form.public.value === "never" ? null : Number(form.public_from.value),
      origins: form.origins.value.split(/\s+/).filter(Boolean),
    });
    saved.textContent = "Saved.";
  }, saved);
});

byId("close").addEventListener("click", () => {
  if (confirm("Close this survey? It will take no more reports; its results stay."))
    orSay(async () => (await ask("POST", `${path}/close`), location.reload()), saved);
});
byId("delete").addEventListener("click", () => {
  if (prompt(`This removes all reports and results for good. To go on, type the survey’s name: ${id}`) === id)
    orSay(async () => (await ask("DELETE", path), location.assign(`${root}/`)), saved);
});
