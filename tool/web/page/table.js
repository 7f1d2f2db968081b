/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.js - rows by the call to blame, with all figures; a row opens to its
 * heaviest stacks
 */
import { button, make, makeSvg } from "./elements.js";
import { bytes, count, exactly, percent } from "./numbers.js";
import { KINDS } from "./profile.js";
import * as state from "./state.js";
import { View } from "./view.js";

const STEP = 50, STACKS = 5, SPARK = [80, 18];

function sparkline(series) {
  const [width, height] = SPARK;
  const most = series.reduce((a, b) => Math.max(a, b), 1);
  const points = Array.from(series, (value, index) =>
    `${((index / Math.max(series.length - 1, 1)) * width).toFixed(1)},` +
    `${(height - 1 - (Math.max(value, 0) / most) * (height - 2)).toFixed(1)}`);
  return makeSvg("svg", { class: "spark", width, height,
    "aria-hidden": "true" },
  makeSvg("polyline", { points: points.join(" "), fill: "none",
    stroke: "currentColor" }));
}

export class TableView extends View {
  constructor() {
    super();
    this.limit = STEP;
    this.opened = new Set();
    this.head = make("tr");
    this.body = make("tbody");
    this.note = make("p", { class: "said", role: "status" });
    this.more = button("more rows", () => {
      this.limit += STEP;
      this.update();
    }, { class: "more" });
    this.root.append(this.note, make("div", { class: "wide",
      tabindex: 0, role: "region", "aria-label": "rows by call" },
    make("table", {}, make("thead", {}, this.head), this.body)), this.more);
  }

  update() {
    const { selection, profile } = this;
    const { rows: { names }, figures } = selection;
    const sorted = state.get("sort") || this.figure.key;
    const sums = new Map(figures.map(({ key }) =>
      [key, selection.rowSums(key)]));
    const intervals = new Map(figures.map((figure) =>
      [figure.key, selection.rowInterval(figure)]));
    const by = sums.get(sorted) ?? sums.get(figures[0].key);
    const order = [...names.keys()].filter((row) =>
      figures.some(({ key }) => sums.get(key)[row] !== 0) &&
      this.isFound(row));
    order.sort(sorted === "function" ?
      (a, b) => this.words(a)[0].localeCompare(this.words(b)[0]) :
      (a, b) => by[b] - by[a] || a - b);
    this.shown = { order, sums, intervals, figures, names, sorted,
      most: by[order[0]] };
    const visible = order.slice(0, this.limit);
    const series = profile.instants.length > 1 ?
      selection.series(visible) : null;
    this.note.textContent = `${order.length} row${order.length === 1 ? "" :
      "s"}${visible.length < order.length ? `, ${visible.length} shown` : ""}`;
    this.head.replaceChildren(this.#heading("function", "call"),
      ...(series === null ? [] : [make("th", { scope: "col" }, "over time")]),
      ...figures.map(({ key, title }) => this.#heading(key, title)));
    this.body.replaceChildren(...visible.flatMap((row, index) =>
      this.#row(row, series === null ? null : series[index])));
    this.more.hidden = visible.length === order.length;
  }

  #heading(key, title) {
    return make("th", { scope: "col",
      "aria-sort": key === this.shown.sorted ? "descending" : "none" },
    button(title, () => state.set({ sort: key })));
  }

  /* With an interval the figure that rows are sorted by is drawn. */
  #cell(figure, row) {
    const { sums, intervals, sorted, most } = this.shown;
    const value = sums.get(figure.key)[row];
    return this.cell(figure, value, intervals.get(figure.key)(row),
      figure.key === sorted ? most : 0,
      figure.unit === "bytes" ? bytes(value) : count(value));
  }

  #row(row, series) {
    const { figures, names } = this.shown, { kind } = names[row];
    const isOpen = this.opened.has(row), call = this.call(row, () => {
      this.opened[isOpen ? "delete" : "add"](row);
      this.update();
    }, { "aria-expanded": String(isOpen) });
    if (kind > 0)
      call.firstChild.append(` [${KINDS[kind][1].replace(/s$/, "")}]`);
    const line = make("tr", {}, call,
      series === null ? null : make("td", {}, sparkline(series)),
      ...figures.map((figure) => this.#cell(figure, row)));
    return isOpen ? [line, this.#stacks(row)] : [line];
  }

  #stacks(row) {
    const { selection, profile } = this, { wanted } = selection;
    const values = selection.values(), { numbers } = selection.rows;
    const ends = [...numbers.keys()].filter((end) =>
      numbers[end] === row && wanted[end] && values[end] !== 0)
      .sort((a, b) => values[b] - values[a]);
    const all = ends.reduce((sum, end) => sum + values[end], 0);
    return make("tr", { class: "stacks" }, make("td", {
      colspan: this.head.children.length },
    ...ends.slice(0, STACKS).map((end) => make("div", {},
      make("p", {}, `${exactly(this.figure, values[end])}, ` +
        `${percent(values[end], all)} of this row`),
      make("ol", {}, ...profile.stack(profile.endNodes[end]).map((name) =>
        make("li", {}, profile.label(name), " ",
          make("span", { class: "place" }, profile.place(name)),
          make("code", { class: "source" }, profile.source(name))))))),
    ends.length > STACKS ?
      make("p", {}, `${ends.length - STACKS} more stacks`) : null));
  }

  rows() {
    const { order, sums, figures, names } = this.shown, { profile } = this;
    return [["function", "place", "module", "kind", "source",
      ...figures.map(({ key }) => key)],
    ...order.map((row) => [...this.words(row),
      profile.text(names[row].name, "module"),
      KINDS[names[row].kind][0], profile.source(names[row].name),
      ...figures.map(({ key }) => sums.get(key)[row])])];
  }
}
