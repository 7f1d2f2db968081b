/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.js - what is new, gone, grown and shrunk, by the call to blame */
import { callOf, make } from "./elements.js";
import { amount, count, exactly, seconds, signed } from "./numbers.js";
import { literally } from "./profile.js";
import * as state from "./state.js";

const ROWS = 50;

export class ComparisonView {
  constructor(app) {
    this.app = app;
    this.root = make("div");
  }

  update() {
    const { selection, profile } = this.app;
    const [before, after] = profile.sides(selection.interval)
      .map((values) => selection.sums(values));
    const all = [...before.keys()].filter((row) => before[row] !== after[row])
      .sort((a, b) => Math.abs(after[b] - before[b]) -
        Math.abs(after[a] - before[a]) || a - b)
      .map((row) => [row, before[row], after[row]]);
    this.changes = [
      ["New", all.filter(([, from]) => from === 0)],
      ["Grown", all.filter(([, from, to]) => from !== 0 && to > from)],
      ["Shrunk", all.filter(([, from, to]) => to !== 0 && to < from)],
      ["Gone", all.filter(([, , to]) => to === 0)],
    ].filter(([, rows]) => rows.length > 0);
    this.root.replaceChildren(make("p", {}, this.#head()),
      ...this.changes.map(([title, rows]) => this.#table(title, rows)),
      all.length === 0 ? "Nothing changed." : "");
  }

  #head() {
    const { compared, duration_ns: end } = this.app.profile.head;
    const { instants } = this.app.profile, { interval } = this.app.selection;
    if (compared !== undefined)
      return `From ${compared.before} to ${compared.after}, by ` +
        `${compared.value}.`;
    return interval === null ? `From the start to ${seconds(end ?? 0)}.` :
      `From ${seconds(instants[interval[0]])} to ` +
      `${seconds(instants[interval[1]])}.`;
  }

  #table(title, rows) {
    const { selection, profile } = this.app;
    const figure = profile.figures.find(({ key }) => key === "growth");
    const cell = (value, text = amount(figure, value)) =>
      make("td", { class: "number", title: exactly(figure, value) }, text);
    return make("section", {}, make("h2", {}, `${title}: ${count(rows.length)}`),
      make("table", {}, make("thead", {}, make("tr", {},
        ...["growth", "before", "after", "call"].map((text) =>
          make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows.slice(0, ROWS).map(([row, from, to]) => {
        const { name } = selection.rows.names[row], grown = to - from;
        return make("tr", {},
          cell(grown, signed(amount(figure, grown), grown)), cell(from),
          cell(to), callOf(profile, name, () => state.set({ view: "flame",
            figure: "growth", find: `^${literally(profile.label(name))}` },
          true)));
      }))), rows.length > ROWS ?
        make("p", {}, `${count(rows.length - ROWS)} more`) : null);
  }

  rows() {
    const { selection, profile } = this.app, { names } = selection.rows;
    return [["change", "function", "place", "before", "after"],
      ...this.changes.flatMap(([title, rows]) => rows.map(([row, from, to]) => [
        title.toLowerCase(), profile.label(names[row].name),
        profile.place(names[row].name), from, to]))];
  }
}
