/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.js - rows by the call to blame, with all figures; a row opens to its
 * heaviest stacks
 */
import { amount, exactly, percent } from "./numbers.js";
import { make, makeSvg } from "./elements.js";
import { regularExpression } from "./profile.js";
import * as state from "./state.js";

const STEP = 100, STACKS = 5, SPARK = [80, 18];

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

export class TableView {
  constructor(app) {
    this.app = app;
    this.limit = STEP;
    this.opened = new Set();
    this.head = make("tr");
    this.body = make("tbody");
    this.note = make("p", { class: "said", role: "status" });
    this.root = make("div", {}, this.note, make("div", { class: "wide",
      tabindex: 0, role: "region", "aria-label": "rows by call" },
    make("table", {}, make("thead", {}, this.head), this.body)),
    make("button", { type: "button", class: "more",
      onclick: () => {
        this.limit += STEP;
        this.update();
      } }, "more rows"));
  }

  /* Figures that a column is for: of an interval only those it tells. */
  #figures() {
    const { selection, profile } = this.app;
    return profile.figures.filter((figure) => selection.interval === null ||
      profile.constructor.isOverTime(figure.key));
  }

  update() {
    const { selection, profile } = this.app;
    const figures = this.#figures();
    const sorted = state.get("sort") || selection.figure.key;
    const sums = new Map(figures.map((figure) =>
      [figure.key, selection.rowSums(figure.key)]));
    const names = selection.rows.names;
    const sought = state.get("find") === "" ? null :
      regularExpression(state.get("find"));
    let order = names.map((_, index) => index).filter((index) =>
      figures.some(({ key }) => sums.get(key)[index] !== 0) &&
      (sought === null || sought.test(profile.label(names[index].name)) ||
        sought.test(profile.place(names[index].name))));
    const by = sums.get(sorted) || sums.get(figures[0].key);
    order = sorted === "function" ?
      order.sort((a, b) => profile.label(names[a].name)
        .localeCompare(profile.label(names[b].name))) :
      order.sort((a, b) => by[b] - by[a] || a - b);
    this.shown = { order, sums, figures, names };
    this.#write(sorted);
  }

  #write(sorted) {
    const { order, figures } = this.shown;
    const visible = order.slice(0, this.limit);
    const series = this.app.profile.instants.length > 1 ?
      this.app.selection.series(visible) : null;
    this.note.textContent = `${order.length} row${order.length === 1 ? "" :
      "s"}${visible.length < order.length ? `, ${visible.length} shown` : ""}`;
    this.head.replaceChildren(
      ...figures.map((figure) => this.#heading(figure.key, figure.title,
        sorted)),
      ...(series === null ? [] : [make("th", { scope: "col" }, "over time")]),
      this.#heading("function", "call", sorted));
    this.body.replaceChildren(...visible.flatMap((row, index) =>
      this.#row(row, series === null ? null : series[index])));
    this.root.querySelector(".more").hidden = visible.length === order.length;
  }

  #heading(key, title, sorted) {
    return make("th", { scope: "col",
      "aria-sort": key === sorted ? "descending" : "none" },
    make("button", { type: "button", onclick: () => state.set({ sort: key }) },
      title));
  }

  #row(row, series) {
    const { sums, figures, names } = this.shown, profile = this.app.profile;
    const { name, isMap } = names[row];
    const isOpen = this.opened.has(row);
    const call = make("button", { type: "button", class: "call",
      "aria-expanded": String(isOpen), title: profile.place(name),
      onclick: () => {
        this.opened[isOpen ? "delete" : "add"](row);
        this.update();
      } },
    `${profile.label(name)}${isMap ? " [map]" : ""}`);
    const place = make("span", { class: "place" }, profile.place(name));
    const line = make("tr", {},
      ...figures.map((figure) => make("td", { class: "number",
        title: exactly(figure, sums.get(figure.key)[row]) },
      amount(figure, sums.get(figure.key)[row]))),
      ...(series === null ? [] : [make("td", {}, sparkline(series))]),
      make("th", { scope: "row" }, call, " ", place));
    return isOpen ? [line, this.#stacks(row)] : [line];
  }

  #stacks(row) {
    const { selection, profile } = this.app;
    const values = selection.values(), figure = selection.figure;
    const numbers = selection.rows.numbers, wanted = selection.wanted;
    const ends = [];
    for (let i = 1; i < numbers.length; i++) {
      if (numbers[i] === row && wanted[i] && values[i] !== 0)
        ends.push(i);
    }
    ends.sort((a, b) => values[b] - values[a]);
    const all = ends.reduce((sum, end) => sum + values[end], 0);
    return make("tr", { class: "stacks" }, make("td", {
      colspan: this.head.children.length },
    ...ends.slice(0, STACKS).map((end) => make("div", {},
      make("p", {}, `${exactly(figure, values[end])}, ` +
        `${percent(values[end], all)} of this row`),
      make("ol", {}, ...profile.stack(profile.endNodes[end]).map((name) =>
        make("li", {}, profile.label(name), " ",
          make("span", { class: "place" }, profile.place(name))))))),
    ends.length > STACKS ?
      make("p", {}, `${ends.length - STACKS} more stacks`) : null));
  }

  rows() {
    const { order, sums, figures, names } = this.shown;
    const profile = this.app.profile;
    return [["function", "place", "module", "kind",
      ...figures.map(({ key }) => key)],
    ...order.map((row) => [profile.label(names[row].name),
      profile.place(names[row].name),
      profile.text(names[row].name, "module"),
      names[row].isMap ? "map" : "heap",
      ...figures.map(({ key }) => sums.get(key)[row])])];
  }
}
