/* SPDX-License-Identifier: Apache-2.0 */
/* elements.js - pieces of the document, all text as text */

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on"))
      element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false)
      element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function makeSvg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

export function button(text, onclick, attributes = {}) {
  return make("button", { type: "button", onclick, ...attributes }, text);
}

/* A box of colour, which its style sheet sizes. */
export function swatch(color) {
  const box = make("span", { class: "swatch", "aria-hidden": "true" });
  box.style.backgroundColor = color;
  return box;
}

export function legend(entries) {
  return make("ul", { class: "legend" }, ...entries.map(([text, color]) =>
    make("li", {}, swatch(color), ` ${text}`)));
}

export function facts(entries) {
  return make("dl", { class: "facts" }, ...entries.flatMap(([name, value]) =>
    [make("dt", {}, name), make("dd", {}, value)]));
}

/* Parts of a whole, from 0 to 1; an interval is a line over its end. */
export function bar(part, color, interval = null) {
  const box = make("span", { class: "bar", "aria-hidden": "true" });
  box.style.width = `${Math.max(part, 0) * 100}%`;
  if (color)
    box.style.backgroundColor = color;
  if (interval === null)
    return box;
  const range = make("span", { class: "range" }), [low, high] = interval;
  range.style.left = `${low * 100}%`;
  range.style.width = `${Math.min(high - low, 1 - low) * 100}%`;
  return make("span", { class: "barred" }, box, range);
}

/* Rows of cells of numbers, and behind them a heading with a bar. */
export function bars(rows) {
  return make("table", { class: "bars" }, make("tbody", {}, ...rows.map(
    ({ cells, title, head, part, color, interval }) => {
      head.append(bar(part, color, interval));
      return make("tr", { title: title ?? null }, ...cells.map((text) =>
        make("td", { class: "number" }, text)), head);
    })));
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
