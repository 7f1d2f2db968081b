/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.js - what is new, gone, grown and shrunk, by the call to blame */
import { make } from "./elements.js";
import { amount, count, exactly, seconds, signed } from "./numbers.js";
import { View } from "./view.js";

const ROWS = 50;

export class ComparisonView extends View {
  update() {
    const { selection, profile } = this;
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
    const { instants, head: { compared, duration_ns: end } } = this.profile;
    const { interval } = this.selection;
    if (compared !== undefined)
      return `From ${compared.before} to ${compared.after}, by ` +
        `${compared.value}.`;
    return interval === null ? `From the start to ${seconds(end ?? 0)}.` :
      `From ${seconds(instants[interval[0]])} to ` +
      `${seconds(instants[interval[1]])}.`;
  }

  #table(title, rows) {
    const figure = this.profile.figures.find(({ key }) => key === "growth");
    const cell = (value, text = amount(figure, value)) =>
      make("td", { class: "number", title: exactly(figure, value) }, text);
    return make("section", {},
      make("h2", {}, `${title}: ${count(rows.length)}`),
      make("table", {}, make("thead", {}, make("tr", {},
        ...["growth", "before", "after", "call"].map((text) =>
          make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows.slice(0, ROWS).map(([row, from, to]) => {
        const grown = to - from;
        return make("tr", {},
          cell(grown, signed(amount(figure, grown), grown)), cell(from),
          cell(to), this.link(row, { figure: "growth" }));
      }))), rows.length > ROWS ?
        make("p", {}, `${count(rows.length - ROWS)} more`) : null);
  }

  rows() {
    return [["change", "function", "place", "before", "after"],
      ...this.changes.flatMap(([title, rows]) => rows.map(([row, from, to]) =>
        [title.toLowerCase(), ...this.words(row), from, to]))];
  }
}
