/* SPDX-License-Identifier: Apache-2.0 */
/* table.js - rows by the call to blame, with the chosen metric first */
import { framesOf } from "../detail.js";
import { button, make, sparkline } from "../elements.js";
import { bytes, count } from "../model/numbers.js";
import { KINDS } from "../model/profile.js";
import * as state from "../model/state.js";
import { View } from "./view.js";

const STEP = 50, COLUMNS = 6;

export class TableView extends View {
  constructor() {
    super();
    this.limit = STEP;
    this.head = make("tr");
    this.body = make("tbody");
    this.note = make("p", { class: "said", role: "status" });
    this.wider = button("", () => state.set({
      columns: state.get("columns") === "" ? "all" : "" }, true));
    this.more = button("more rows", () => {
      this.limit += STEP;
      this.update();
    }, { class: "more" });
    this.root.append(make("div", { class: "scope" }, this.note, this.wider),
      make("div", { class: "wide", tabindex: 0, role: "region",
        "aria-label": "rows by function" }, make("table", {},
        make("thead", {}, this.head), this.body)), this.more);
  }

  columns() {
    return [this.figure, ...this.selection.figures.filter(({ key }) =>
      key !== this.figure.key)];
  }

  isShown(row) {
    return this.shown.figures.some(({ sums }) => sums[row] !== 0);
  }

  update() {
    const { selection, profile } = this, { rows: { names } } = selection;
    const all = this.columns();
    const hasAll = state.get("columns") === "all";
    this.wider.hidden = all.length <= COLUMNS;
    this.wider.textContent = `${hasAll ? "fewer" : "more"} columns`;
    const figures = all.slice(0, hasAll ? all.length : COLUMNS)
      .map((figure) => ({ ...figure, sums: selection.rowSums(figure.key),
        intervalOf: selection.rowInterval(figure) }));
    const sorted = [state.get("sort"), figures[0].key].find((sort) =>
      sort === "function" || figures.some(({ key }) => key === sort));
    this.shown = { figures, names, sorted };
    const by = figures.find(({ key }) => key === sorted)?.sums.map(Math.abs);
    const order = [...names.keys()].filter((row) => this.isShown(row) &&
      this.isFound(row)).sort(sorted === "function" ?
      (a, b) => this.words(a)[0].localeCompare(this.words(b)[0]) :
      (a, b) => by[b] - by[a] || a - b);
    this.shown.order = order;
    this.most = by?.[order[0]];
    const visible = order.slice(0, this.limit);
    const series = profile.instants.length > 1 ?
      selection.series(visible) : null;
    this.note.textContent = `${order.length} row${order.length === 1 ? "" :
      "s"}${visible.length < order.length ? `, ${visible.length} shown` : ""}`;
    this.head.replaceChildren(this.#heading("function", "function"),
      ...(series === null ? [] : [make("th", { scope: "col" }, "over time")]),
      ...figures.map(({ key, title }) => this.#heading(key, title)));
    this.body.replaceChildren(...visible.flatMap((row, index) => {
      const isOpen = this.words(row)[0] === state.get("pick");
      return [make("tr", { class: isOpen ? "picked" : null }, this.callOf(row),
        series === null ? null : make("td", {}, sparkline(series[index])),
        ...figures.map((figure) => this.cellOf(figure, row))),
      ...(isOpen ? this.#opened(row) : [])];
    }));
    this.more.hidden = visible.length === order.length;
  }

  /* Show the heaviest stack of a row. */
  #opened(row) {
    const { selection: { rows: { numbers }, wanted }, profile } = this;
    const values = this.selection.values();
    let end = 0;
    for (let at = 1; at < numbers.length; at++)
      if (numbers[at] === row && wanted[at] &&
        Math.abs(values[at]) > Math.abs(values[end])) end = at;
    return end === 0 ? [] : [make("tr", { class: "picked" },
      make("td", { colspan: 99 }, framesOf(profile, end)))];
  }

  #heading(key, title) {
    const isIt = key === this.shown.sorted;
    return make("th", { scope: "col", class: key === "function" ? null :
      "number", "aria-sort": isIt ? "descending" : "none" },
    button(title, () => state.set({ sort: key })));
  }

  /* With an interval the figure that rows are sorted by is drawn. */
  cellOf(figure, row) {
    const value = figure.sums[row];
    return this.cell(figure, value, figure.intervalOf(row),
      figure.key === this.shown.sorted ? this.most : 0,
      figure.unit === "bytes" ? bytes(value) : count(value));
  }

  callOf(row) {
    const call = this.link(row), { kind } = this.shown.names[row];
    if (kind > 0) call.firstChild.append(` ${KINDS[kind][2]}`);
    return call;
  }

  rows() {
    const { order, figures, names } = this.shown, { profile } = this;
    return [["function", "place", "module", "kind", "source",
      ...figures.map(({ key }) => key)],
    ...order.map((row) => [...this.words(row),
      profile.text(names[row].name, "module"),
      KINDS[names[row].kind][0], profile.source(names[row].name),
      ...figures.map(({ sums }) => sums[row])])];
  }
}
