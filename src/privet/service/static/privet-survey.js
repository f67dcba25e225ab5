// <privet-survey src="https://example.org/surveys/drinks"></privet-survey>
//
// Asks a survey's question, or a page of a questionnaire; sends one report per device; shows exactly
// what was sent. Attributes: src, invitation, max-epsilon, fingerprint, lang; state says waiting, sent or
// refused. Events: privet-sent and privet-refused. Looks: --privet-accent, --privet-on-accent,
// --privet-line; parts question and title.
// It writes no HTML from text, and needs no inline style.

import { messages, spoken } from "./messages.js";
import { deskFor } from "./privet-desk.js";
import { formOf, make } from "./privet-forms.js";
import { Outbox, piecesOf, Refused } from "./privet-outbox.js";
import { plain } from "./privet-plain.js";

/** @typedef {import("./privet-outbox.js").Kept} Kept @typedef {import("./privet-desk.js").Ask} Ask */

// What is said of the service's reasons; of others, the reason itself.
const KNOWN = new Map([["closed", "closed"], ["deleted", "closed"], ["not-invited", "uninvited"]]);

const style = new CSSStyleSheet();
style.replaceSync(`
  :host { display: block; font: inherit; max-width: 42rem; }
  fieldset { border: 0; margin: 0 0 1rem; padding: 0; min-width: 0; }
  legend { font-size: 1.15em; font-weight: 650; padding: 0; margin-bottom: .5rem; overflow-wrap: anywhere; }
  label { display: flex; align-items: center; gap: .7rem; min-height: 2.75rem; padding: .3rem .8rem; margin-bottom: .4rem;
    border: 1px solid var(--privet-line, currentColor); border-radius: .5rem; cursor: pointer; overflow-wrap: anywhere; }
  label:has(:checked) { border-color: var(--privet-accent, currentColor); box-shadow: inset 0 0 0 1px var(--privet-accent, currentColor); }
  label:has(:disabled) { cursor: not-allowed; opacity: .6; }
  label:has([type=number]) { border: 0; padding: 0; cursor: auto; }
  .list { max-height: 20rem; overflow: auto; padding: 2px; }
  button, input { font: inherit; color: inherit; }
  input { accent-color: var(--privet-accent, auto); }
  input:is([type=radio], [type=checkbox]) { width: 1.15rem; height: 1.15rem; margin: 0; flex: none; }
  input:not([type=radio], [type=checkbox]) { box-sizing: border-box; width: 100%; padding: .5rem .7rem; background: transparent;
    border: 1px solid var(--privet-line, currentColor); border-radius: .45rem; }
  input[type=number] { width: 8rem; flex: none; }
  fieldset p { margin: .4rem 0 0; }
  button { padding: .6rem 1.6rem; font-weight: 600; border: 1px solid; border-radius: .45rem; cursor: pointer;
    background: var(--privet-accent, ButtonFace); color: var(--privet-on-accent, ButtonText); }
  :focus-visible { outline: 3px solid var(--privet-accent, currentColor); outline-offset: 2px; }
  [role=status]:not(:empty) { font-weight: 650; }
  :host([state=sent]) [role=status]::before { content: "✓" / ""; margin-right: .4rem; color: var(--privet-accent, currentColor); }
  h2 { line-height: 1.3; margin: 1.2rem 0 .5rem; font-size: 1.1em; }
  section { border-top: 1px solid var(--privet-line, currentColor); }
  code { overflow-wrap: anywhere; }
  summary { cursor: pointer; }
  ul { display: flex; flex-wrap: wrap; gap: .4rem; padding: 0; list-style: none; }
  li { padding: .15rem .7rem; border: 1px solid var(--privet-line, currentColor); border-radius: 1rem; overflow-wrap: anywhere; }
  p:empty { display: none; }
`);

/**
 * The pieces of what is at an address, as they come: a long contract is never one long task.
 * @param {URL} url
 */
async function fetched(url) {
  const response = await fetch(url, { credentials: "omit" });
  if (!response.ok) throw new Error(`${response.status}`);
  return piecesOf(response);
}

export class PrivetSurvey extends HTMLElement {
  static observedAttributes = ["src"];
  /** @type {Outbox | undefined} */ #outbox;
  /** @type {Ask} */ #ask = () => undefined;
  #lang = "en";
  #page = 0;
  #started = 0;
  /** @type {any} what the report says, which is asked once */ #said;
  /** @type {HTMLElement[]} */ #title = [];
  #status = make("p", { role: "status", tabIndex: -1 });

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [style];
  }

  connectedCallback() {
    this.#start();
  }

  disconnectedCallback() {
    this.#started++;
    this.#end();
  }

  attributeChangedCallback() {
    if (this.isConnected && this.#started) this.#start();
  }

  /**
   * Answer as the form does: an answer or, to a questionnaire, those to its page by their ids.
   * @param {any} answers
   */
  async answer(answers) {
    try {
      await this.#ask("check", this.#page, answers);
    } catch (error) {
      return this.#say("invalid", { reason: /** @type {Error} */ (error).message });
    }
    await this.#orRefused(() => this.#outbox?.answer(() => this.#ask("randomize", this.#page, answers)));
  }

  #end() {
    this.#outbox?.close();
    this.#ask.end?.();
  }

  /** @param {string} key @param {Record<string, any>} [values] */
  #words(key, values = {}) {
    const lang = this.#lang;
    return (messages[lang][key] ?? messages.en[key]).replace(/{(\w+)}/g, (_, name) => {
      const value = values[name], digits = Number.isInteger(value) ? 21 : 3;
      const number = { maximumSignificantDigits: digits };
      return typeof value === "number" ? value.toLocaleString(lang, number) : plain(value);
    });
  }

  /** @param {string} key @param {Record<string, any>} [values] */
  #say(key, values) {
    this.#status.textContent = this.#words(key, values);
  }

  async #start() {
    const started = ++this.#started, src = new URL(this.getAttribute("src") ?? "", document.baseURI);
    this.#end();
    this.removeAttribute("state");
    this.shadowRoot?.replaceChildren(this.#status);
    /** @type {Uint8Array[] | undefined} */
    let pieces;
    try {
      const around = /** @type {HTMLElement | null} */ (this.closest("[lang]"));
      this.#lang = await spoken(around?.lang || navigator.language);
      this.#say("loading");
      const found = (pieces = await fetched(src));
      const ask = await deskFor(found.reduce((sum, one) => sum + one.length, 0));
      if (started !== this.#started) return ask.end?.();
      this.#ask = ask;
      await this.#orRefused(() => this.#open(src, found));
    } catch (error) {
      if (started !== this.#started) return;
      if (error instanceof TypeError && !pieces) // there is no network now
        return setTimeout(() => started === this.#started && this.#start(), 5000);
      this.#say("unsafe", { reason: /** @type {Error} */ (error).message });
      this.#tell("refused", { reason: "unsafe" });
    }
  }

  /** @param {URL} src @param {Uint8Array[]} pieces */
  async #open(src, pieces) {
    const most = this.getAttribute("max-epsilon"), fingerprint = this.getAttribute("fingerprint") ?? undefined;
    const info = await this.#ask("open", pieces, { mostEpsilon: most ? Number(most) : undefined, fingerprint });
    const invitation = this.getAttribute("invitation");
    this.#said = null;
    this.#outbox = new Outbox(src, info.id, info.fingerprint, invitation, (kept) => this.#changed(kept));
    await this.#render(info, this.#outbox);
  }

  /** @param {any} info @param {Outbox} outbox */
  async #render(info, outbox) {
    this.#page = info.single ? 0 : await outbox.page(() => this.#ask("draw"));
    this.#title = [make("h2", { textContent: info.title, part: "title" })];
    if (outbox.kept.report) {
      await this.#show(outbox.kept);
      return outbox.kept.state === "waiting" && outbox.send();
    }
    const questions = await this.#ask("asks", this.#page);
    const words = this.#words.bind(this), epsilon = `${info.epsilon}`;
    const parts = questions.map((/** @type {any} */ question, /** @type {number} */ i) =>
      formOf({ question, name: `q${i}`, say: words, find: (typed) => this.#ask("find", this.#page, i, typed) }));
    const button = make("button", { textContent: words("send") });
    const form = make(
      "form", { autocomplete: "off" }, // or else browsers may keep what was chosen, to fill it in again
      ...parts.map((/** @type {any} */ one) => one.element),
      make("p", { textContent: words("private", { epsilon }) }),
      button,
    );
    form.addEventListener("submit", async (/** @type {Event} */ event) => {
      event.preventDefault();
      const answers = parts.map((/** @type {any} */ one) => [one.id, one.answer()]);
      button.disabled = true;
      await this.answer(info.single ? answers[0][1] : Object.fromEntries(answers));
      button.disabled = false;
    });
    this.#status.textContent = "";
    this.shadowRoot?.replaceChildren(...(info.single ? [] : this.#title), form, this.#status);
  }

  /** @param {() => any} run */
  async #orRefused(run) {
    try {
      await run();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (error.message === "answered") await this.#show(/** @type {Outbox} */ (this.#outbox).kept);
      this.#say(error.message);
      this.#tell("refused", { reason: error.message });
    }
  }

  /** @param {Kept} kept */
  async #changed(kept) {
    await this.#show(kept);
    if (kept.state !== "waiting") this.#tell(/** @type {string} */ (kept.state), { reason: kept.reason });
  }

  /** @param {string} what @param {any} detail */
  #tell(what, detail) {
    this.dispatchEvent(new CustomEvent(`privet-${what}`, { detail, bubbles: true, composed: true }));
  }

  /**
   * Show in the form's place what became of the report, and what it says. One that is not counted can be sent again.
   * @param {Kept} kept
   */
  async #show({ state = "waiting", reason = "", report }) {
    const started = this.#started, words = this.#words.bind(this);
    this.#say(state === "refused" ? KNOWN.get(reason) ?? state : state, { reason });
    this.setAttribute("state", state);
    const said = await (this.#said ??= this.#ask("shown", report)), root = /** @type {ShadowRoot} */ (this.shadowRoot);
    if (started !== this.#started) return; // another survey has taken its place
    const more = said.count - said.names.length, denies = said.denied.length;
    const listed = [...(denies ? said.denied : said.names), ...(more ? [words("more", { count: more })] : [])];
    const chances = { own: 100 * said.own, other: 100 * said.other };
    const again = () => make("button", { textContent: words("again"), onclick: () => this.#outbox?.send() });
    const sent = make(
      "section", {},
      make("h2", { textContent: words("report") }),
      make("p", { textContent: denies ? words("denies") : words("names", said) }),
      make("ul", {}, ...listed.map((textContent) => make("li", { textContent }))),
      make("p", { textContent: said.other === undefined ? "" : words("chances", chances) }),
      make("p", { textContent: words("ratio", said) }),
      make("details", {}, make("summary", { textContent: words("bytes") }), make("code", { textContent: report })),
    );
    const focused = root.activeElement, ended = this.getAttribute("state") === "sent";
    root.replaceChildren(...this.#title, this.#status, ended ? "" : again(), sent);
    if (focused && !focused.isConnected) this.#status.focus();
  }
}

if (!customElements.get("privet-survey")) customElements.define("privet-survey", PrivetSurvey);
