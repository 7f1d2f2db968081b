/* SPDX-License-Identifier: Apache-2.0 */
/* view.js - what all views have */
import { axisBottom, axisLeft } from "d3-axis";
import { select } from "d3-selection";

import { growthLegend } from "../colors.js";
import { bar, button, make } from "../elements.js";
import { amount, bytes, exactly, moment } from "../model/numbers.js";
import { regularExpression, soughtPattern } from "../model/patterns.js";
import * as state from "../model/state.js";

export const LEFT = 76; /* room for amounts left of a picture */

export class View {
  static paper = 0; /* width of what is drawn to print */
  root = make("div");

  show({ profile, selection, colors }) {
    const { figure } = selection;
    Object.assign(this, { profile, selection, colors, figure });
    this.update();
  }

  /* A title, and what each colour means. */
  colorsMean() {
    return this.showsGrowth && this.figure.key === "growth" ?
      ["Colours show growth", growthLegend()] :
      ["Each function has its colour", this.colors.legend()];
  }

  get width() {
    return View.paper || Math.max(this.root.clientWidth, 200);
  }

  /* Make a cell; with the maximum given, draw the 95 % interval. */
  cell(figure, value, interval, most = 0, text = amount(figure, value)) {
    const part = (one) => (value < 0 ? -one : one) / most;
    return make("td", { class: "number",
      title: exactly(figure, value, interval) }, text,
    interval === null || !(most > 0) ? null :
      bar(part(value), null, interval.map(part).sort((a, b) => a - b)));
  }

  /* A row in words: its call and where that is. */
  words(row) {
    const { name, first, last } = this.selection.rows.names[row];
    return [this.profile.label(name), this.profile.place(name, first, last)];
  }

  /* Return true if it matches the search, or there is none. */
  isFound(row) {
    const sought = regularExpression(soughtPattern(state.get("find")));
    return this.words(row).some((text) => sought.test(text));
  }

  /* Pick the function that the search finds behind the picked one. */
  next() {
    const { selection, figure: { key } } = this;
    const labels = selection.greatest(selection.rowSums(key))
      .filter((row) => this.isFound(row)).map((row) => this.words(row)[0]);
    const at = labels.indexOf(state.get("pick")) + 1;
    if (labels.length > 0)
      state.set({ pick: labels[at % labels.length] }, true);
  }

  addBytes(svg, y, ticks) {
    select(svg).append("g").attr("transform", `translate(${LEFT},0)`)
      .call(axisLeft(y).tickValues(ticks).tickFormat(bytes));
  }

  /* Times below a picture. */
  addTimes(svg, x, y, of = this.profile.head,
    ticks = Math.floor(this.width / 110)) {
    select(svg).append("g").attr("transform", `translate(0,${y})`)
      .call(axisBottom(x).tickValues(x.ticks(ticks)
        .filter(Number.isInteger)).tickFormat((at) => moment(of, at)));
  }

  /* The call of a row and its place; press it to show the state `parts`. */
  link(row, parts = {}) {
    const { name } = this.selection.rows.names[row];
    const [label, place] = this.words(row), source = this.profile.source(name);
    const isFound = state.get("find") !== "" && this.isFound(row);
    return make("th", { scope: "row" }, button(label, () =>
      state.set({ pick: label, ...parts }, true),
    { class: isFound ? "call found" : "call" }), " ",
      make("span", { class: "place", title: place },
        place.split("/").slice(-2).join("/")),
      source === "" ? null : make("code", { class: "source" }, source));
  }

  /* Return the rows of a file: calls by the chosen metric. */
  rows() {
    const { selection, figure: { key } } = this, sums = selection.rowSums(key);
    return [["function", "place", key], ...selection.greatest(sums)
      .map((row) => [...this.words(row), sums[row]])];
  }
}
