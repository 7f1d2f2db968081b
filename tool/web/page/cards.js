/* SPDX-License-Identifier: Apache-2.0 */
/* cards.js - metrics, the chosen one's total, and chips for what narrows it */
import { nest } from "d3-collection";

import { button, make } from "./elements.js";
import { amount, bytes, exactly, signed } from "./model/numbers.js";
import { plainText } from "./model/patterns.js";
import { KINDS } from "./model/profile.js";
import * as state from "./model/state.js";

const FILTERS = [["only", "include"], ["without", "exclude"]];

export class Cards {
  constructor(app) {
    this.app = app;
    this.cards = make("div", { class: "cards", role: "group",
      "aria-label": "Metric" });
    this.sum = make("p", { class: "sum" });
    this.chips = make("span", { class: "chips" });
    this.scope = make("div", { class: "scope" }, this.sum, this.chips);
  }

  update() {
    const { profile } = this.app;
    this.cards.replaceChildren(...profile.compared === undefined ?
      this.#metrics() : profile.compared.values.map((one) =>
        this.#compared(one)));
    this.#writeSum();
    this.chips.replaceChildren(...this.#chips());
  }

  /* Bytes and blocks of one metric share a card. */
  #metrics() {
    const { selection } = this.app;
    return nest().key(({ key }) => key.replace(/-(bytes|blocks)$/, ""))
      .entries(selection.figures).map(({ values }) =>
        make("div", { class: "card" }, ...values.map((figure, index) =>
          this.#button(figure, selection.total(figure.key), index > 0)),
        values[0].key !== "growth" ? null : make("p", { class: "second" },
          ["before", "after"].map((side) => bytes(selection.total(side)))
            .join(" \u2192 "))));
  }

  /* The growth of a compared value, and its totals before and after. */
  #compared({ name, title, unit, ...columns }) {
    const { profile: { compared }, selection } = this.app;
    const isShown = name === compared.name;
    const [before, after] = ["before", "after"].map((side) =>
      selection.total(`${side}-${columns[unit]}`));
    const button = (key, value, what) => this.#button({ key, unit,
      title: title + what }, value, key !== "growth", { value: name }, isShown);
    const is = name === "blocks" ? " blocks" : "";
    return make("div", { class: "card" }, button("growth", after - before, is),
      make("div", {}, button(`before-${unit}`, before, `${is} before`),
        " \u2192 ", button(`after-${unit}`, after, `${is} after`)));
  }

  #button(figure, value, isSecond, parts = {}, isShown = true) {
    const { key, title } = figure, { selection } = this.app;
    const text = amount(figure, value);
    const said = make("span", {},
      isSecond ? null : make("span", { class: "name" }, title),
      make("span", { class: isSecond ? "second" : "value" },
        key === "growth" ? signed(text, value) : text));
    return button(said, () => state.set({ figure: key, sort: "", ...parts }), {
      id: `figure-${[key, parts.value].filter(Boolean).join("-of-")}`,
      "data-figure": isShown ? key : null, title: `${title}: ${text}`,
      "aria-pressed": String(isShown && key === selection.figure.key) });
  }

  #writeSum() {
    const { profile, selection } = this.app, { figure } = selection;
    this.sum.textContent = `${figure.title}: ` +
      exactly(figure, selection.sum, selection.sumInterval()) +
      (selection.interval !== null && profile.isOverTime(figure.key) ?
        ", in the chosen interval" : "");
  }

  #chips() {
    const chips = FILTERS.flatMap(([key, title]) => state.lines(key).map(
      (line) => [`${title} ${plainText(line)}`, { zoom: "",
        [key]: state.lines(key).filter((one) => one !== line).join("\n") }]));
    const kind = state.get("kind"), usual = state.usual("kind");
    if (kind !== usual)
      chips.push([`memory ${KINDS.find(([key]) => key === kind)?.[1] ?? "all"}`,
        { kind: usual, zoom: "" }]);
    if (this.app.selection.interval !== null)
      chips.unshift([this.app.selection.times, { from: "", to: "" }]);
    return chips.map(([text, parts]) => button(`${text} \u00d7`,
      () => state.set(parts, true), { class: "chip", title: `remove ${text}` }));
  }
}
