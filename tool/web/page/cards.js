/* SPDX-License-Identifier: Apache-2.0 */
/* cards.js - metrics, the chosen one's total, and chips for what narrows it */
import { nest } from "d3-collection";

import { button, make } from "./elements.js";
import { amount, exactly, signed } from "./model/numbers.js";
import { plainText } from "./model/patterns.js";
import { KINDS } from "./model/profile.js";
import * as state from "./model/state.js";

const CHIPS = [["only", "include"], ["without", "exclude"], ["kind", "memory"]];

export class Cards {
  constructor(app) {
    this.app = app;
    this.cards = make("div", { class: "cards", role: "group",
      "aria-label": "Metric" });
    this.sum = make("p", { class: "sum" });
    this.chips = make("span", { class: "chips" });
    this.root = make("div", {}, this.cards,
      make("div", { class: "scope" }, this.sum, this.chips));
  }

  /* Bytes and blocks of one metric share a card. */
  update() {
    const cards = nest().key(({ key }) => key.replace(/-(bytes|blocks)$/, ""))
      .entries(this.app.selection.figures);
    this.cards.replaceChildren(...cards.map(({ values }) =>
      make("div", { class: "card" }, ...values.map((figure, index) =>
        this.#button(figure, index > 0)))));
    this.#writeSum();
    this.chips.replaceChildren(...this.#chips());
  }

  #button(figure, isSecond) {
    const { selection } = this.app, { key, title } = figure;
    const value = selection.total(key);
    const text = amount(figure, value);
    const said = make("span", {},
      isSecond ? null : make("span", { class: "name" }, title),
      make("span", { class: isSecond ? "second" : "value" },
        key === "growth" ? signed(text, value) : text));
    return button(said, () => state.set({ figure: key, sort: "" }), {
      id: `figure-${key}`, "data-figure": key, title: `${title}: ${text}`,
      "aria-pressed": String(key === selection.figure.key) });
  }

  #writeSum() {
    const { profile, selection } = this.app, { figure } = selection;
    this.sum.textContent = `${figure.title}: ` +
      exactly(figure, selection.sum, selection.sumInterval()) +
      (selection.interval !== null && profile.isOverTime(figure.key) ?
        ", in the chosen interval" : "");
  }

  #chips() {
    const said = (key) => key !== "kind" ?
      plainText(state.get(key)) :
      KINDS.find(([kind]) => kind === state.get(key))?.[1] ?? "all";
    const chips = CHIPS.filter(([key]) => state.get(key) !==
      state.usual(key)).map(([key, title]) => [`${title} ${said(key)}`,
      { [key]: state.usual(key), zoom: "" }]);
    if (this.app.selection.interval !== null)
      chips.unshift([this.app.selection.times, { from: "", to: "" }]);
    return chips.map(([text, parts]) => button(`${text} \u00d7`,
      () => state.set(parts, true), { class: "chip", title: "remove" }));
  }
}
