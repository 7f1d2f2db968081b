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

/* A box of colour, which its style sheet sizes. */
export function swatch(color) {
  const box = make("span", { class: "swatch", "aria-hidden": "true" });
  box.style.backgroundColor = color;
  return box;
}

export function choice(label, value, options, choose) {
  const select = make("select", {
    "aria-label": label,
    onchange: () => choose(select.value),
  }, ...options.map(([key, title]) =>
    make("option", { value: key, selected: key === value }, title)));
  return make("label", {}, `${label} `, select);
}

export function field(label, key, value, choose) {
  const input = make("input", {
    type: "search", value, id: key, spellcheck: "false",
    onchange: () => choose(input.value),
  });
  return make("label", {}, `${label} `, input);
}

export function toggle(label, isOn, choose) {
  const input = make("input", {
    type: "checkbox", checked: isOn, onchange: () => choose(input.checked),
  });
  return make("label", {}, input, ` ${label}`);
}

export function save(name, content, type) {
  const blob = content instanceof Blob ? content :
    new Blob([content], { type });
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
