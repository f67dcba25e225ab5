// One report per survey and device: drawn once, remembered, and sent until the service has it.
//
// What is sent again is the same key and the same bytes, which the service counts once. Nothing of the
// answer is remembered, so that a device with a report takes no further answer: a second report would
// spend a second ε, and whether a further answer is the same one cannot be known.

const FIRST_WAIT = 1000, LONGEST_WAIT = 300_000; // milliseconds, as all times are here
const REPLY_TIMEOUT = 30_000, LONGEST_TOLD = 86_400_000;
const MOST_REPLY_BYTES = 65_536;

// The service's reasons for not counting a report, by status. A stranger's reply, such as a hotel's login
// page, has none of them and decides nothing.
/** @type {Record<number, string>} */
const REASONS = {
  400: "invalid-report invalid-key invalid-invitation", 403: "not-invited", 404: "unknown", 409: "closed", 410: "deleted",
  413: "too-large", 415: "media-type", 422: "key-reused", 429: "too-many", 500: "fault", 503: "busy", 507: "full",
};

/**
 * @typedef {object} Kept what a device remembers of a survey
 * @property {number} [page] the page that was drawn
 * @property {string} [report] in hexadecimal digits
 * @property {string} [key]
 * @property {"waiting" | "sent" | "refused"} [state]
 * @property {string} [reason] why it was refused
 */

/** A report that was not made; the message says why in a word. */
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

/**
 * The pieces of a body as they come; none if it has more than `most` bytes.
 * @param {Response} response @param {number} [most]
 */
export async function piecesOf({ body }, most = Infinity) {
  /** @type {Uint8Array[]} */
  const pieces = [], reader = body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value);
    if ((most -= value.length) < 0) return reader.cancel().then(() => []);
  }
  return pieces;
}

/**
 * The JSON object in a reply, if its media type is this one; or else an empty object.
 * @param {Response} response @param {string} kind @returns {Promise<any>}
 */
async function fieldsOf(response, kind) {
  const [type] = (response.headers.get("Content-Type") ?? "").toLowerCase().split(";");
  try {
    if (type.trim() !== kind) await response.body?.cancel();
    else return JSON.parse(await new Blob(await piecesOf(response, MOST_REPLY_BYTES)).text()) ?? {};
  } catch {
    // Not JSON, or not in time.
  }
  return {};
}

/**
 * Read or write what is remembered, where the browser lets a page do so.
 * @template T @param {() => T} run
 */
function remembered(run) {
  try {
    return run();
  } catch {
    throw new Refused("forgetful");
  }
}

/**
 * Remove the answers that version 0.2 stored beside reports. A report that it called refused is sent once
 * more, because it took any page's word for the service's.
 */
function removeAnswers() {
  for (const name of remembered(() => Object.keys(localStorage))) {
    if (!name.startsWith("privet ")) continue;
    try {
      const { answer, ...kept } = JSON.parse(localStorage[name]);
      if (answer === undefined) continue;
      if (kept.state === "refused") kept.state = "waiting";
      localStorage.setItem(name, JSON.stringify(kept));
    } catch {
      continue; // not a record of ours
    }
  }
}

export class Outbox {
  /**
   * @param {URL} src the survey's address @param {string} id @param {string} fingerprint
   * @param {string | null} invitation @param {(kept: Kept) => void} changed is told what became of the report
   */
  constructor(src, id, fingerprint, invitation, changed) {
    removeAnswers();
    this.src = src;
    this.id = id;
    this.fingerprint = fingerprint;
    this.name = `privet ${src.origin} ${id} ${fingerprint}`;
    this.invitation = invitation;
    this.changed = changed;
    this.failures = 0;
    this.told = 0;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.ended = new AbortController();
    const { signal } = this.ended;
    addEventListener("online", () => this.#soon(this.told - Date.now()), { signal });
    addEventListener("pagehide", () => this.beacon(), { signal });
    // Another page of this survey has remembered more.
    addEventListener("storage", ({ key }) => key === this.name && this.kept.state && this.changed(this.kept), { signal });
  }

  /** Stop sending; the next outbox of the survey goes on. */
  close() {
    this.changed = () => {};
    clearTimeout(this.timer);
    this.ended.abort();
  }

  /** @returns {Kept} */
  get kept() {
    return remembered(() => JSON.parse(localStorage.getItem(this.name) ?? "{}"));
  }

  /**
   * Remember more.
   * @param {Kept} more
   */
  keep(more) {
    const kept = { ...this.kept, ...more }, text = JSON.stringify(kept);
    remembered(() => localStorage.setItem(this.name, text));
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
   * Make the one report of this device, and send it. Refuse if there is one, whatever was answered.
   * @param {() => string | Promise<string>} draw
   */
  async answer(draw) {
    await this.#alone(async () => {
      const report = this.kept.report ?? (await draw());
      if (this.kept.report) throw new Refused("answered"); // perhaps by another page meanwhile, without locks
      this.keep({ report, key: newKey(), state: "waiting" });
    });
    await this.send();
  }

  /** Send what was drawn, as often as need be; only the service's own reply settles what became of it. */
  async send() {
    const { report, key, state } = this.kept;
    if (!report || !key || state === "sent") return;
    clearTimeout(this.timer);
    const here = this.src.origin === location.origin;
    /** @type {Record<string, string>} */
    const headers = { "Content-Type": "application/octet-stream" };
    if (here) headers["Idempotency-Key"] = key;
    if (here && this.invitation) headers.Invitation = this.invitation;
    let status = 0, told = "", said;
    try {
      const response = await fetch(here ? this.#address() : this.#address(key), {
        method: "POST", body: unhex(report), headers, credentials: "omit", cache: "no-store", redirect: "error",
        signal: /** @type {any} */ (AbortSignal).timeout(REPLY_TIMEOUT),
      });
      status = response.status;
      told = response.headers.get("Retry-After") ?? "";
      said = await fieldsOf(response, status === 200 ? "application/json" : "application/problem+json");
    } catch {
      return this.retry(0);
    }
    if (this.kept.state === "sent") return; // by another page, meanwhile
    const { survey, fingerprint, outcome, reason } = said;
    const counted = status === 200 && fingerprint === this.fingerprint && ["counted", "already"].includes(outcome);
    const known = said.status === status && REASONS[status]?.split(" ").includes(reason);
    if (survey !== this.id || !(counted || known)) return this.retry(0);
    if (counted) return this.keep({ state: "sent", reason: undefined });
    if (status === 429 || status >= 500)
      return this.retry(Math.min(Math.max(1000 * Number(told) || 0, 0), LONGEST_TOLD));
    this.keep({ state: "refused", reason });
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
