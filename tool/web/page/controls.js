/* SPDX-License-Identifier: Apache-2.0 */
/* controls.js - options of views, and keys */
import { make } from "./elements.js";
import { KINDS } from "./model/profile.js";
import * as state from "./model/state.js";

/* By key: a part of the state, its name, and the only view that has it. */
const FLIPPED = { w: ["fold", "fold wrappers"], l: ["lines", "by line"],
  i: ["inverted", "inverted", "flame"], u: ["up", "root at bottom", "flame"] };

export class Controls {
  constructor(app) {
    this.app = app;
    this.kind = make("select", { "aria-label": "Memory", id: "kind",
      onchange: () => state.set({ kind: this.kind.value }) });
    this.flips = Object.entries(FLIPPED).map(([press, [key, title, view]]) => {
      const box = make("input", { type: "checkbox",
        onchange: () => state.flip(key) });
      return { key, view, box, root: make("label",
        { title: `key ${press}` }, box, ` ${title}`) };
    });
    this.root = make("div", { class: "controls" }, this.kind,
      ...this.flips.map(({ root }) => root));
  }

  /* Heap and maps are memory; the rest is address space, in no sum of it. */
  take() {
    const there = this.app.profile.kindsThere;
    this.kind.replaceChildren(...[["memory", "heap and mmap"],
      ...KINDS.filter((_, kind) => there.has(kind)),
      ...(there.has(2) || there.has(3) ? [["all", "all memory"]] : [])]
      .map(([value, title]) => make("option", { value }, title)));
  }

  update() {
    const { list, view, views } = this.app;
    const shown = list.find(([key]) => views.get(key) === view)[0];
    this.kind.value = state.get("kind");
    for (const { key, view: only, box, root } of this.flips) {
      box.checked = state.is(key);
      root.hidden = only !== undefined && only !== shown;
    }
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      document.activeElement?.blur();
      document.querySelectorAll(".menu").forEach((one) => one.open = false);
      document.querySelector(".sheet.open > button")?.click();
      return state.set(state.ALL, true);
    }
    if (event.target.matches("input:not([type=checkbox]), select")) return;
    if (event.key in FLIPPED) state.flip(FLIPPED[event.key][0]);
    else if (event.key === "/") {
      event.preventDefault();
      document.getElementById("find").focus();
    } else if (this.app.list[event.key - 1] !== undefined)
      state.set({ view: this.app.list[event.key - 1][0] }, true);
  }
}
