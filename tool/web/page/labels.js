/* SPDX-License-Identifier: Apache-2.0 */
/* labels.js - on whose behalf: by what the program called its threads' work */
import { amount, percent } from "./numbers.js";
import { make } from "./elements.js";
import * as state from "./state.js";

const PAIR = 8, NONE = "no label";

/* Calls in brackets that are no labels. */
const OTHERS = "anonymous map|mapped file|thread stack|truncated";

/* Stacks with the label, or without any. */
function below(text) {
  return text === NONE ?
    { only: "", without: `^\\[(?!(${OTHERS})\\]).*\\]$` } :
    { only: `^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`, without: "" };
}

export class LabelsView {
  constructor(app) {
    this.app = app;
    this.root = make("div");
  }

  /* Sums by pair; a stack with several counts in each. */
  #sums() {
    const { selection, profile } = this.app;
    const values = selection.values(), wanted = selection.wanted;
    const flags = profile.columns["name.flags"], sums = new Map();
    let without = 0;
    for (let i = 1; i < profile.endCount; i++) {
      if (!wanted[i] || values[i] === 0)
        continue;
      const pairs = profile.stack(profile.endNodes[i])
        .filter((name) => (flags[name] & PAIR) !== 0);
      for (const pair of pairs) {
        const text = profile.text(pair, "label");
        sums.set(text, (sums.get(text) || 0) + values[i]);
      }
      without += pairs.length === 0 ? values[i] : 0;
    }
    return [...[...sums].sort((a, b) => b[1] - a[1]), [NONE, without]];
  }

  update() {
    const { selection } = this.app, figure = selection.figure;
    this.sums = this.#sums();
    if (this.sums.length === 1) {
      this.root.replaceChildren(make("p", {}, "The program says no labels. " +
        "With tally/label.h it can say on whose behalf a thread works."));
      return;
    }
    this.root.replaceChildren(make("table", { class: "bars" },
      make("tbody", {}, ...this.sums.map(([text, value]) => {
        const bar = make("span", { class: "bar" });
        bar.style.width = `${selection.sum > 0 ?
          (value / selection.sum) * 100 : 0}%`;
        return make("tr", {},
          make("td", { class: "number" }, amount(figure, value)),
          make("td", { class: "number" }, percent(value, selection.sum)),
          make("th", { scope: "row" }, make("button", { type: "button",
            onclick: () => state.set({ view: "flame", ...below(text) }, true) },
          text), bar));
      }))));
  }

  rows() {
    return [["label", this.app.selection.figure.key], ...this.sums];
  }
}
