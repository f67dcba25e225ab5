// A desk in a worker: what might take long does not hold up the page.

import { Desk } from "./privet-desk.js";

/** @type {any} */
const desk = new Desk();

onmessage = async ({ data: { call, method, args } }) => {
  try {
    postMessage({ call, result: await desk[method](...args) });
  } catch (error) {
    postMessage({ call, error }); // which is cloned as an Error or a TypeError
  }
};
