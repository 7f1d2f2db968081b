/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.js - what is new, gone, grown and shrunk, by the call to blame */
import { bytes, count, exactly, signed } from "./numbers.js";
import { make } from "./elements.js";
import * as state from "./state.js";

const ROWS = 50;

export class ComparisonView {
  constructor(app) {
    this.app = app;
    this.root = make("div");
  }

  /* Rows that changed: [row, before, after]. */
  #changes() {
    const { selection } = this.app;
    const [before, after] = this.app.profile.sides(selection.interval);
    const sums = [before, after].map((values) => selection.sums(values));
    return selection.rows.names.map((_, row) =>
      [row, sums[0][row], sums[1][row]])
      .filter(([, from, to]) => from !== to)
      .sort((a, b) => Math.abs(b[2] - b[1]) - Math.abs(a[2] - a[1]) ||
        a[0] - b[0]);
  }

  update() {
    const all = this.#changes();
    const groups = [
      ["New", all.filter(([, before]) => before === 0)],
      ["Grown", all.filter(([, before, after]) =>
        before !== 0 && after > before)],
      ["Shrunk", all.filter(([, before, after]) =>
        after !== 0 && after < before)],
      ["Gone", all.filter(([, , after]) => after === 0)],
    ].filter(([, rows]) => rows.length > 0);
    this.changes = groups;
    this.root.replaceChildren(this.#head(), ...groups.map(([title, rows]) =>
      this.#table(title, rows)));
    if (groups.length === 0)
      this.root.append(make("p", {}, "Nothing changed."));
  }

  #head() {
    const compared = this.app.profile.head.compared;
    return make("p", {}, compared === undefined ?
      "From the begin of the interval to its end." :
      `From ${compared.before} to ${compared.after}, by ${compared.value}.`);
  }

  #table(title, rows) {
    const { selection, profile } = this.app;
    return make("section", {}, make("h2", {}, `${title}: ${count(rows.length)}`),
      make("table", {}, make("thead", {}, make("tr", {},
        ...["growth", "before", "after", "call"].map((text) =>
          make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows.slice(0, ROWS).map(([row, before, after]) => {
        const name = selection.rows.names[row].name, grown = after - before;
        return make("tr", {},
          make("td", { class: "number",
            title: exactly({ unit: "bytes" }, grown) },
          signed(bytes(grown), grown)),
          make("td", { class: "number" }, bytes(before)),
          make("td", { class: "number" }, bytes(after)),
          make("th", { scope: "row" }, make("button", { type: "button",
            class: "call", onclick: () => state.set({ view: "flame",
              figure: "growth", find: profile.label(name) }, true) },
          profile.label(name)), " ",
          make("span", { class: "place" }, profile.place(name))));
      }))));
  }

  rows() {
    const { selection, profile } = this.app;
    return [["change", "function", "place", "before", "after"],
      ...this.changes.flatMap(([title, rows]) => rows.map(([row, from, to]) => [
        title.toLowerCase(), profile.label(selection.rows.names[row].name),
        profile.place(selection.rows.names[row].name), from, to]))];
  }
}
