// What all pages of the service share: elements without HTML from text, requests, links to copy.

import { plain } from "./privet-plain.js";

export const root = document.body.dataset.root ?? "";

/**
 * Make an element. Properties that are no strings are set as such, the others are attributes. Children may be
 * in lists: a call with 100,000 arguments exceeds the stack.
 * @param {string} tag @param {Record<string, any>} [properties] @param {...any} children @returns {any}
 */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/**
 * The same for SVG.
 * @param {string} tag @param {Record<string, any>} [properties] @param {...any} children @returns {any}
 */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), properties, children);
}

/** @param {any} element @param {Record<string, any>} properties @param {any[]} children */
function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  for (const one of children.flat()) if (one !== null) element.append(one);
  return element;
}

/**
 * The only element of an id.
 * @param {string} id @returns {any}
 */
export const byId = (id) => document.getElementById(id);

/**
 * Ask the service. What it refuses is thrown, as the sentence that it says.
 * @param {string} method @param {string} path @param {any} [body] @param {RequestInit} [options]
 */
export async function ask(method, path, body, options = {}) {
  const given = typeof body === "string" ? body : body && JSON.stringify(body);
  const headers = { ...(body ? { "Content-Type": "application/json" } : {}), ...options.headers };
  const response = await fetch(root + path, { method, body: given, cache: "no-store", ...options, headers });
  if (response.ok || response.status === 304) return response;
  const detail = await response.json().then((problem) => problem.detail).catch(() => null);
  if (response.status === 401) location.assign(`${root}/login`);
  throw new Error(typeof detail === "string" ? plain(detail) : `The service says ${response.status}.`);
}

/** @param {number} number @param {number} [digits] */
export const count = (number, digits = 0) => number.toLocaleString("en", { maximumFractionDigits: digits });

/**
 * Copy a text, and say so on the button.
 * @param {HTMLElement} button @param {string} text
 */
export async function copy(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    prompt("Copy this:", text);
  }
  setTimeout(() => (button.textContent = before), 1500);
}

/** Make all buttons work that copy an address of this service. */
export function copyLinks() {
  for (const button of /** @type {any} */ (document.querySelectorAll("[data-copy]")))
    button.addEventListener("click", () => copy(button, new URL(button.dataset.copy, location.href).href));
}

/**
 * Run again and again while somebody looks.
 * @param {() => Promise<any>} run @param {number} seconds
 */
export function often(run, seconds) {
  const again = async () => {
    if (!document.hidden) await run().catch(() => undefined); // the next time may do better
    setTimeout(again, 1000 * seconds);
  };
  setTimeout(again, 1000 * seconds);
}
