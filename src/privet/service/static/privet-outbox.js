// One report per survey and device: drawn once, remembered, and sent until the service has it.
//
// What is sent again is the same key and the same bytes, which the service counts once. A different
// answer is refused before anything is drawn, as a second report would spend a second ε.

const FIRST_WAIT = 1000, LONGEST_WAIT = 300_000;

/**
 * @typedef {object} Kept what a device remembers of a survey
 * @property {number} [page] the page that was drawn
 * @property {string} [answer] what stands for the answer
 * @property {string} [report] in hexadecimal digits
 * @property {string} [key]
 * @property {"waiting" | "sent" | "refused"} [state]
 * @property {string} [reason] why it was refused
 */

/** A report that was not made or not taken; the message says why in a word. */
export class Refused extends Error {}

/** @param {number} code of a hexadecimal digit */
const digit = (code) => (code & 15) + 9 * (code >> 6);

/**
 * Bytes from hexadecimal digits.
 * @param {string} text
 */
export const unhex = (text) =>
  new Uint8Array(text.length / 2).map((_, i) => 16 * digit(text.charCodeAt(2 * i)) + digit(text.charCodeAt(2 * i + 1)));

/** 128 random bits in base64url. */
const newKey = () =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

export class Outbox {
  /**
   * @param {URL} src the survey's address @param {string} id @param {string} fingerprint
   * @param {string | null} invitation @param {(kept: Kept) => void} changed is told what became of the report
   */
  constructor(src, id, fingerprint, invitation, changed) {
    this.src = src;
    this.name = `privet ${src.origin} ${id} ${fingerprint}`;
    this.invitation = invitation;
    this.changed = changed;
    this.failures = 0;
    this.told = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.online = () => this.#soon(this.told - Date.now());
    this.pagehide = () => this.beacon();
    addEventListener("online", this.online);
    addEventListener("pagehide", this.pagehide);
  }

  /** Stop sending; the next outbox of the survey goes on. */
  close() {
    this.changed = () => {};
    clearTimeout(this.timer);
    removeEventListener("online", this.online);
    removeEventListener("pagehide", this.pagehide);
  }

  /** @returns {Kept} */
  get kept() {
    try {
      return JSON.parse(localStorage.getItem(this.name) ?? "{}");
    } catch {
      throw new Refused("forgetful");
    }
  }

  /**
   * Remember more.
   * @param {Kept} more
   */
  keep(more) {
    const kept = { ...this.kept, ...more }, text = JSON.stringify(kept);
    try {
      localStorage.setItem(this.name, text);
    } catch {
      throw new Refused("forgetful");
    }
    if (kept.state) this.changed(kept);
  }

  /**
   * The page of this device, drawn once.
   * @param {() => number | Promise<number>} draw
   */
  async page(draw) {
    return this.#alone(async () => {
      if (this.kept.page === undefined) this.keep({ page: await draw() });
      return /** @type {number} */ (this.kept.page);
    });
  }

  /**
   * Make a report unless there is one, and send it.
   * @param {string} answer @param {() => string | Promise<string>} draw
   */
  async answer(answer, draw) {
    const made = () => {
      const { report, answer: before } = this.kept;
      if (report && before !== answer) throw new Refused("answered");
      return report;
    };
    await this.#alone(async () => {
      if (made()) return;
      const report = await draw();
      if (!made()) this.keep({ answer, report, key: newKey(), state: "waiting" });
    });
    await this.send();
  }

  /** Send what was drawn, as often as need be. */
  async send() {
    const { report, key, state } = this.kept;
    if (!report || !key) return;
    clearTimeout(this.timer);
    const here = this.src.origin === location.origin;
    /** @type {Record<string, string>} */
    const headers = { "Content-Type": "application/octet-stream" };
    if (here) headers["Idempotency-Key"] = key;
    if (here && this.invitation) headers.Invitation = this.invitation;
    let response;
    try {
      response = await fetch(here ? this.#address() : this.#address(key), {
        method: "POST", body: unhex(report), headers, credentials: "omit", cache: "no-store",
      });
    } catch {
      return this.retry(0);
    }
    const { status } = response;
    if (response.ok || state === "sent") return this.keep({ state: "sent", reason: undefined });
    if (status === 408 || status === 429 || status >= 500)
      return this.retry(1000 * Number(response.headers.get("Retry-After") ?? 0) || 0);
    const reason = await response.json().then((problem) => problem.reason, () => null);
    this.keep({ state: "refused", reason: reason ?? `${status}` });
  }

  /**
   * Try again later, at a time that others do not.
   * @param {number} told how long the service said
   */
  retry(told) {
    const wait = Math.min(FIRST_WAIT * 2 ** this.failures++, LONGEST_WAIT) * (0.5 + Math.random() / 2);
    this.told = Date.now() + told;
    this.changed(this.kept);
    this.#soon(told + wait);
  }

  /** @param {number} wait in milliseconds */
  #soon(wait) {
    clearTimeout(this.timer);
    if (this.kept.state === "waiting") this.timer = setTimeout(() => this.send(), wait);
  }

  /** Send what waits as the page goes away; if that fails too, the next visit does. */
  beacon() {
    const { state, report, key } = this.kept;
    if (state === "waiting" && report && key)
      navigator.sendBeacon(this.#address(key), new Blob([unhex(report)], { type: "application/octet-stream" }));
  }

  /**
   * The address of reports, with the key and the invitation where headers cannot be.
   * @param {string} [key]
   */
  #address(key) {
    const url = new URL(`${this.src.pathname}/reports`, this.src);
    if (key) url.searchParams.set("key", key);
    if (key && this.invitation) url.searchParams.set("invitation", this.invitation);
    return url.href;
  }

  /**
   * Run while no other page of this survey does, where browsers can tell.
   * @template T @param {() => Promise<T>} run
   */
  #alone(run) {
    return navigator.locks ? navigator.locks.request(this.name, run) : run();
  }
}
