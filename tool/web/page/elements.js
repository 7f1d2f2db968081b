/* SPDX-License-Identifier: Apache-2.0 */
/* elements.js - pieces of the document, all text as text */
import { amount, exactly, greatest, share } from "./model/numbers.js";

const SVG = "http://www.w3.org/2000/svg", GAP = 14;

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "style") /* as a text the page's policy forbids it */
      Object.assign(element.style, value);
    else if (value !== null && value !== false)
      element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export const make = (name, attributes = {}, ...children) =>
  fill(document.createElement(name), attributes, children);

export const makeSvg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);

/* Make a pattern of lines for mmap memory, to lie above a colour. */
export const hatch = (id) =>
  makeSvg("defs", {}, makeSvg("pattern", { id, width: 6, height: 6,
    patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
  makeSvg("rect", { width: 1.5, height: 6, opacity: 0.25 })));

export const button = (text, onclick, attributes = {}) =>
  make("button", { type: "button", onclick, ...attributes }, text);

export const legend = (entries) =>
  make("ul", { class: "legend" }, ...entries.map(([text, color]) =>
    make("li", {}, make("span", { class: "swatch", "aria-hidden": "true",
      style: { background: color } }), ` ${text}`)));

/* Make a list of known facts, each formatted by its function. */
export const facts = (entries) => make("dl", { class: "facts" }, ...entries
  .filter(([, value]) => (value ?? null) !== null)
  .flatMap(([name, value, say = String]) =>
    [make("dt", {}, name), make("dd", {}, say(value))]));

/* Rows of elements below headings, of which some are of numbers. */
export const table = (headings, rows) =>
  make("table", {}, make("thead", {}, make("tr", {},
    ...headings.map(([text, kind = null]) =>
      make("th", { scope: "col", class: kind }, text)))),
  make("tbody", {}, ...rows.map((cells) => make("tr", {}, ...cells))));

/* Parts of a whole, from 0 to 1; an interval is a line over its end. */
export function bar(part, color, interval = null) {
  const size = (value) => `${Math.max(value, 0) * 100}%`;
  const box = make("span", { class: "bar", "aria-hidden": "true",
    style: { width: size(part), backgroundColor: color ?? "" } });
  if (interval === null) return box;
  const [left, right] = interval.map((end) => Math.max(end, 0));
  const width = size(Math.min(right, 1) - left);
  return make("div", { class: "barred" }, box, make("span",
    { class: "range", style: { left: size(left), width } }));
}

/* Rows of amounts and parts, or other cells, and a heading with a bar. */
export function bars(rows, figure, all,
  longest = Math.max(all, greatest(rows.map(({ value }) => Math.abs(value))))) {
  const part = (value) => longest > 0 ? value / longest : 0;
  return make("table", { class: "bars" }, make("tbody", {}, ...rows.map(
    ({ value, interval = null, head, color = null, cells =
      [amount(figure, value), share(figure, value, all)] }) => {
      head.append(bar(part(Math.abs(value)), color, interval?.map(part)));
      return make("tr", { title: exactly(figure, value, interval) },
        ...cells.map((text) => make("td", { class: "number" }, text)), head);
    })));
}

const tip = make("div", { class: "tip", "aria-hidden": "true", hidden: true });

/* Show at the pointer a title, rows of a name, value and colour, and a hint. */
export function showTip(event, title, rows, hint = "") {
  if (!tip.isConnected) document.body.append(tip);
  tip.replaceChildren(make("b", {}, title), make("dl", {},
    ...rows.flatMap(([name, value, color]) => [
      make("dt", { style: { borderColor: color ?? "transparent" } }, name),
      make("dd", {}, value)])), make("small", {}, hint));
  tip.hidden = false;
  const beside = (at, size, room) => `${at + GAP + size < room ? at + GAP :
    Math.max(at - GAP - size, 0)}px`;
  tip.style.left = beside(event.clientX, tip.offsetWidth, innerWidth);
  tip.style.top = beside(event.clientY, tip.offsetHeight, innerHeight);
}

export function hideTip() {
  tip.hidden = true;
}

/* Live bytes over time as a small line. */
export function sparkline(series, width = 80, height = 18) {
  const most = Math.max(greatest(series), 1);
  const points = Array.from(series, (value, index) =>
    `${((index / Math.max(series.length - 1, 1)) * width).toFixed(1)},` +
    `${(height - 1 - (Math.max(value, 0) / most) * (height - 2)).toFixed(1)}`);
  return makeSvg("svg", { class: "spark", width, height,
    "aria-hidden": "true" },
  makeSvg("polyline", { points: points.join(" "), fill: "none",
    stroke: "currentColor" }));
}

/* Rows of texts, as RFC 4180 has them. */
export function csv(rows) {
  const cell = (value) => {
    /* No name is a formula. */
    const text = typeof value === "string" && /^[=+@-]/.test(value) ?
      `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",") + "\r\n").join("");
}
