// A desk in a worker, from the page's side: what might take long does not hold up the page.

/** @typedef {import("./privet-desk.js").Ask} Ask */

/**
 * Where scripts must be trusted, the page allows the policy "privet".
 * @type {any}
 */
let policy;

/**
 * A new worker's desk; null in a page of another origin, or one that allows no worker.
 * @returns {Ask | null}
 */
export function remoteDesk() {
  /** @type {Worker} */
  let worker;
  try {
    const url = new URL("privet-worker.js", import.meta.url).href;
    policy ??= /** @type {any} */ (globalThis).trustedTypes?.createPolicy("privet", {
      createScriptURL: (/** @type {string} */ one) => one,
    });
    worker = new Worker(policy ? policy.createScriptURL(url) : url, { type: "module" });
  } catch {
    return null;
  }
  /** @type {Map<number, { done: (result: any) => void, failed: (error: Error) => void }>} */
  const waiting = new Map();
  let calls = 0;
  worker.onmessage = ({ data: { call, result, error } }) => {
    const { done, failed } = /** @type {any} */ (waiting.get(call));
    waiting.delete(call);
    if (error) failed(error);
    else done(result);
  };
  worker.onerror = () => waiting.forEach(({ failed }) => failed(new TypeError("The worker cannot be started.")));
  /** @type {Ask} */
  const ask = (method, ...args) =>
    new Promise((done, failed) => {
      const moved = args.flat().filter((one) => one instanceof Uint8Array).map(({ buffer }) => buffer);
      waiting.set(++calls, { done, failed });
      worker.postMessage({ call: calls, method, args }, moved);
    });
  ask.end = () => worker.terminate();
  return ask;
}
