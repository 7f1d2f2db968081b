/* SPDX-License-Identifier: Apache-2.0 */
/* controls.js - what is selected, and keys for it */
import { button, facts, make } from "./elements.js";
import { keepCsv, keepPng, keepSvg } from "./keep.js";
import { KINDS } from "./profile.js";
import * as state from "./state.js";

const KEYS = [
  ["1 to 9", "select a view"],
  ["/", "find functions"],
  ["i", "invert: innermost call first"],
  ["w", "fold or show wrappers"],
  ["l", "group by line or by function"],
  ["u", "root at bottom or at top"],
  ["arrows, Enter", "in the flame graph: move, zoom"],
  ["arrows, Shift", "in the timeline: move the end or the start of the range"],
  ["Esc", "reset search, zoom and range"],
  ["?", "this help"],
];

const FLIPPED = { w: ["fold", "fold wrappers"], l: ["lines", "by line"],
  i: ["inverted", "inverted"], u: ["up", "root at bottom"] };

/* Parts of the state that are shown here. */
const SHOWN = ["figure", "from", "kind", "find", "only", "without",
  ...Object.values(FLIPPED).map(([key]) => key)];

function choice(label, value, options, choose) {
  const select = make("select", {
    "aria-label": label,
    onchange: () => choose(select.value),
  }, ...options.map(([key, title]) =>
    make("option", { value: key, selected: key === value }, title)));
  return make("label", {}, `${label} `, select);
}

function field(label, key) {
  const input = make("input", {
    type: "search", value: state.get(key), id: key, spellcheck: "false",
    onchange: () => state.set({ [key]: input.value, zoom: "" }),
  });
  return make("label", {}, `${label} `, input);
}

function toggle([key, label]) {
  return make("label", {}, make("input", { type: "checkbox",
    checked: state.is(key), onchange: () => state.flip(key) }), ` ${label}`);
}

export class Controls {
  constructor(app) {
    this.app = app;
    this.root = make("div", { class: "controls" });
    this.help = make("dialog", { "aria-label": "keys" },
      make("h2", {}, "Keys"), facts(KEYS),
      make("form", { method: "dialog" }, make("button", {}, "Close")));
  }

  /* Heap and maps are memory; the rest is address space, in no sum of it. */
  #kinds() {
    const there = this.app.profile.kindsThere;
    return [["memory", "heap and mmap"],
      ...KINDS.filter((_, kind) => there.has(kind)),
      ...(there.has(2) || there.has(3) ? [["all", "all"]] : [])];
  }

  /* Unless they are what they were; of newer data what is typed stays. */
  update(isNewer) {
    const { profile, selection } = this.app;
    const said = SHOWN.map((key) => state.get(key)).join("\u0000");
    if (isNewer ? this.root.contains(document.activeElement) :
      said === this.said)
      return;
    this.said = said;
    const keep = make("span", { class: "keep" },
      button("CSV", () => keepCsv(this.app.view)),
      button("SVG", () => keepSvg(this.app.view)),
      button("PNG", () => keepPng(this.app.view)),
      button("?", () => this.help.showModal(), { "aria-label": "help" }));
    this.root.replaceChildren(...(profile.endCount <= 1 ? [] : [
      choice("Metric", selection.figure.key, profile.figures.map((figure) =>
        [figure.key, selection.called(figure).title]),
      (figure) => state.set({ figure })),
      choice("Memory", state.get("kind"), this.#kinds(),
        (kind) => state.set({ kind })),
      field("Find", "find"), field("Include", "only"),
      field("Exclude", "without"), ...Object.values(FLIPPED).map(toggle)]),
    keep);
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open)
      return;
    if (event.key === "Escape") {
      document.activeElement?.blur();
      return state.set(state.ALL, true);
    }
    if (event.target.matches("input, select, textarea"))
      return;
    if (event.key in FLIPPED)
      state.flip(FLIPPED[event.key][0]);
    else if (event.key === "?")
      this.help.showModal();
    else if (event.key === "/") {
      event.preventDefault();
      document.getElementById("find")?.focus();
    } else if (this.app.list[event.key - 1] !== undefined)
      state.set({ view: this.app.list[event.key - 1][0] }, true);
  }
}
