// Pictures of estimates: shares with whiskers, numbers as bars of bands, tables as heat maps.

import { count, h, svg } from "./ui.js";

const FEW = 20, MANY = 500;
const NICE = [0.02, 0.05, 0.1, 0.2, 0.25, 0.4, 0.5, 0.6, 0.8, 1];

/** @param {number} share @param {number} [digits] */
export const percent = (share, digits = 1) => `${(100 * Math.min(Math.max(share, 0), 1)).toFixed(digits)} %`;

/**
 * The largest of numbers, however many there are: `Math.max` of 150,000 arguments exceeds the stack.
 * @param {number[]} numbers
 */
const largest = (numbers) => numbers.reduce((most, one) => Math.max(most, one), -Infinity);

/**
 * How many decimals of a percentage show that intervals are not empty.
 * @param {number[]} low @param {number[]} high
 */
const digitsFor = (low, high) => (high.some((end, i) => end - low[i] < 0.004) ? 2 : 1);

/**
 * How many of so many shares a table has rows for, usually and at most.
 * @param {number} count @param {boolean} all
 */
export const rowsOf = (count, all) => Math.min(count, all ? MANY : FEW);

/**
 * A table of shares, with a bar and a whisker each; of many, the largest.
 * @param {{ categories: string[], frequencies: number[], low: number[], high: number[], found?: boolean[] }} estimate
 * @param {{ caption: string, sort?: boolean, all?: boolean, numbers?: boolean }} options
 */
export function shares(estimate, { caption, sort = false, all = false, numbers = true }) {
  const { categories, frequencies, low, high, found } = estimate;
  const order = categories.map((_, i) => i), digits = digitsFor(low, high);
  const few = rowsOf(order.length, all);
  if (sort || few < order.length) order.sort((a, b) => frequencies[b] - frequencies[a] || a - b);
  const shown = order.slice(0, few), most = largest(shown.map((i) => high[i]));
  const top = NICE.find((one) => one >= most) ?? 1;
  const rows = shown.map((i) => {
    const sure = found?.[i] ?? true;
    return h("tr", { role: "row", class: sure ? "sure" : "unsure" },
      h("th", { role: "rowheader", scope: "row" }, categories[i]),
      h("td", { role: "cell", class: "bar" }, bar(frequencies[i] / top, low[i] / top, high[i] / top)),
      h("td", { role: "cell", class: "number share" }, sure ? percent(frequencies[i], digits) : `(${percent(frequencies[i], digits)})`),
      numbers ? h("td", { role: "cell", class: "number ends" }, `${percent(low[i], digits)} – ${percent(high[i], digits)}`) : null);
  });
  const head = (/** @type {string} */ kind, /** @type {any[]} */ ...said) => h("th", { role: "columnheader", scope: "col", class: kind }, ...said);
  return h("table", { class: "shares", role: "table" },
    h("caption", { class: "visually-hidden" }, caption),
    h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head("", "answer"),
      head("bar", h("span", {}, h("span", {}, "0"), h("span", {}, percent(top, 0)))), head("number", "share"), numbers ? head("number", "95 % interval") : null)),
    h("tbody", { role: "rowgroup" }, rows));
}

/**
 * A bar, and the interval across it.
 * @param {number} share @param {number} low @param {number} high
 */
function bar(share, low, high) {
  const at = (/** @type {number} */ x) => (100 * Math.min(Math.max(x, 0), 1)).toFixed(2);
  return svg("svg", { class: "bars", viewBox: "0 0 100 24", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { y: "4", width: at(share), height: "16" }),
    svg("path", { d: `M${at(low)} 12H${at(high)}M${at(low)} 8v8M${at(high)} 8v8` }));
}

/**
 * How numbers are spread: a bar for each band, its area the share, with its interval; the distribution as a line; the mean.
 * @param {any} estimate @param {string} label
 */
export function histogram({ bands, curve: { at, shares: line }, mean }, label) {
  const width = 640, height = 200, first = bands[0].from, last = bands[bands.length - 1].to, step = at[1] - at[0];
  const per = (/** @type {any} */ band, /** @type {number} */ share) => share / (band.to - band.from);
  const most = (/** @type {"high" | "value"} */ key) => largest(bands.map((/** @type {any} */ band) => per(band, band[key])));
  const top = Math.min(Math.max(most("high"), largest(line) / step), 2.5 * most("value"));
  const x = (/** @type {number} */ one) => (20 + (600 * (one - first)) / (last - first)).toFixed(1);
  const y = (/** @type {number} */ one) => (height - (190 * Math.min(one, top)) / top).toFixed(1);
  const bars = bands.flatMap((/** @type {any} */ band) => {
    const [left, right, middle] = [band.from, band.to, (band.from + band.to) / 2].map(x);
    const [low, high, value] = [band.low, band.high, band.value].map((one) => y(per(band, one)));
    return [
      svg("path", { class: "band", d: `M${left} ${height}V${value}H${right}V${height}Z` }),
      svg("path", { class: "whisker", d: `M${middle} ${low}V${high}m-4 0h8M${middle} ${low}m-4 0h8` }),
      svg("text", { class: "inside", x: middle, y: `${height - 18}`, "text-anchor": "middle" }, percent(band.value, 0)),
    ];
  });
  const ticks = steps(first, last).flatMap((one) => [
    svg("path", { class: "axis", d: `M${x(one)} ${height}v5` }),
    svg("text", { x: x(one), y: `${height + 10}`, "text-anchor": "middle" }, count(one, 2)),
  ]);
  const points = at.map((/** @type {number} */ one, /** @type {number} */ i) => `${x(one)} ${y(line[i] / step)}`);
  return svg("svg", { class: "curve", viewBox: `0 0 ${width} ${height + 36}`, role: "img", "aria-label": label },
    bars, svg("path", { class: "line", d: `M${points.join("L")}` }),
    svg("path", { class: "axis", d: `M20 ${height}H620` }), ticks,
    svg("path", { class: "mean", d: `M${x(mean.low)} ${height}H${x(mean.high)}M${x(mean.value)} ${height - 8}v16` }));
}

/**
 * Round numbers between two.
 * @param {number} first @param {number} last
 */
function steps(first, last) {
  const rough = (last - first) / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * /** @type {number} */ ([1, 2, 5, 10].find((one) => one * power >= rough));
  const found = [];
  for (let i = Math.ceil(first / step); i * step <= last; i++) found.push(i * step + 0); // not −0
  return found;
}

/**
 * A table of two questions.
 * @param {any} table @param {string[]} names
 */
export function heat({ categories: [down, across], frequencies, low, high }, names) {
  const most = Math.max(largest(frequencies.flat()), 1e-9);
  const head = h("tr", {}, h("td", {}), across.map((/** @type {string} */ one) => h("th", { scope: "col" }, one)));
  const rows = down.map((/** @type {string} */ one, /** @type {number} */ i) =>
    h("tr", {}, h("th", { scope: "row" }, one), across.map((/** @type {string} */ _, /** @type {number} */ j) => {
      const cell = h("td", {}, percent(frequencies[i][j]), h("small", {}, `${percent(low[i][j])} – ${percent(high[i][j])}`));
      cell.style.setProperty("--share", (Math.max(frequencies[i][j], 0) / most).toFixed(3));
      return cell;
    })));
  head.firstChild.className = "corner";
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": names.join(" and ") },
    h("table", { class: "heat" }, h("caption", { class: "visually-hidden" }, `Shares of ${names.join(" and ")}`), h("thead", {}, head), h("tbody", {}, rows)));
}

// --- an estimate, by its kind ----------------------------------------------------------------------

/** @param {any} one @param {string} unit */
const measured = (one, unit) => (one.value === null ? "unknown" : `${count(one.value, 1)} ${unit}`.trim());

/**
 * All shares, and how to read them.
 * @param {any} found @param {string} caption @param {{ sort: boolean, all: boolean }} view
 */
export function listed(found, caption, view) {
  const table = shares(found, { caption, ...view });
  return [table, table.querySelector(".unsure") ? h("p", { class: "hint" }, "In brackets, with a dashed bar: cannot be distinguished from zero.") : null];
}

/** @param {any} found @param {string} caption */
function numbers(found, caption) {
  const { mean, quantiles, bands, unit } = found;
  const row = (/** @type {string} */ name, /** @type {any} */ one) => h("tr", {}, h("th", { scope: "row" }, name),
    h("td", { class: "number share" }, measured(one, unit)), h("td", { class: "number ends" }, `${count(one.low, 1)} – ${count(one.high, 1)}`));
  const named = (/** @type {number} */ q) => (q === 0.5 ? "Median" : `${100 * q} % are below`);
  const column = (/** @type {string} */ key) => bands.map((/** @type {any} */ one) => one[key]);
  const table = h("table", { class: "shares" }, h("caption", { class: "visually-hidden" }, "Mean and quantiles"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "figure"), h("th", { scope: "col", class: "number" }, unit || "number"), h("th", { scope: "col", class: "number" }, "95 % interval"))),
    h("tbody", {}, row("Mean", mean), ...quantiles.map((/** @type {any} */ one) => row(named(one.q), one))));
  return [histogram(found, `${caption}: mean ${measured(mean, unit)}`), h("p", { class: "hint" }, "How the numbers are spread: each bar is a range, with its share and its 95 % interval. The line is the estimated distribution, and the mark the mean."), table,
    bands.length > 1 ? shares({ categories: column("name"), frequencies: column("value"), low: column("low"), high: column("high") }, { caption: "Shares of ranges" }) : null];
}

/**
 * @typedef {object} Picture
 * @property {(found: any) => any} planned an estimate of made-up answers
 * @property {(found: any, caption: string, view: { sort: boolean, all: boolean }) => any[]} results
 */

/** @type {Picture} */
const asShares = {
  planned: (found) => shares(found, { caption: "Made-up shares with their intervals", numbers: false }),
  results: listed,
};

/**
 * How estimates of a kind are shown, unless as shares.
 * @type {Map<string, Picture>}
 */
export const pictures = new Map(Object.entries({
  scale: { planned: (found) => histogram(found, "Made-up numbers with their intervals"), results: numbers },
}));

/**
 * How an estimate is shown.
 * @param {{ kind: string }} found
 */
export const pictureOf = ({ kind }) => pictures.get(kind) ?? asShares;
