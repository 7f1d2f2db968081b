/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.js - what is new, gone, grown and shrunk, by the call to blame */
import { button, make, table } from "./elements.js";
import { amount, count, seconds, signed } from "./numbers.js";
import { View } from "./view.js";

const ROWS = 50, UNSURE = "Within the sampling error";

export class ComparisonView extends View {
  limit = ROWS;

  update() {
    const { selection, profile } = this, { figures, head } = profile;
    const [before, after] = profile.sides(selection.interval)
      .map((values) => selection.sums(values));
    const { unit } = head.compared ?? {};
    const intervals = ["growth", `before-${unit}`, `after-${unit}`]
      .map((key) => figures.find((figure) => figure.key === key))
      .map((figure) => figure ? selection.rowInterval(figure) : () => null);
    const all = [...before.keys()].filter((row) => before[row] !== after[row])
      .map((row) => ({ row, from: before[row], to: after[row],
        grown: after[row] - before[row],
        intervals: intervals.map((intervalOf) => intervalOf(row)) }))
      .sort((a, b) => Math.abs(b.grown) - Math.abs(a.grown) || a.row - b.row);
    const groups = Object.groupBy(all, ({ from, to, intervals: [open] }) =>
      open?.[0] <= 0 && open[1] >= 0 ? UNSURE : from === 0 ? "New" :
        to === 0 ? "Gone" : to > from ? "Grown" : "Shrunk");
    this.most = Math.abs(all[0]?.grown);
    this.changes = ["New", "Grown", "Shrunk", "Gone", UNSURE]
      .filter((title) => title in groups)
      .map((title) => [title, groups[title]]);
    this.root.replaceChildren(make("p", {}, this.#head()),
      ...this.changes.map(([title, rows]) => this.#table(title, rows)),
      all.length === 0 ? "Nothing changed." : "");
  }

  #head() {
    const { compared, duration_ns: end } = this.profile.head;
    return compared !== undefined ?
      `From ${compared.before} to ${compared.after}, by ${compared.value}.` :
      `From ${this.selection.times ?? `the start to ${seconds(end ?? 0)}`}.`;
  }

  #table(title, rows) {
    const figure = this.profile.figures.find(({ key }) => key === "growth");
    return make("section", {},
      make("h2", {}, `${title}: ${count(rows.length)}`),
      table([["growth", "number"], ["before", "number"], ["after", "number"],
        ["call"]], rows.slice(0, this.limit).map(
        ({ row, from, to, grown, intervals: [open, was, is] }) => [
          this.cell(figure, grown, open, this.most,
            signed(amount(figure, grown), grown)),
          this.cell(figure, from, was), this.cell(figure, to, is),
          this.link(row, { figure: "growth" })])),
      rows.length <= this.limit ? null :
        button(`${count(rows.length - this.limit)} more`, () => {
          this.limit = Infinity;
          this.update();
        }, { class: "more" }));
  }

  rows() {
    return [["change", "function", "place", "before", "after"],
      ...this.changes.flatMap(([title, rows]) => rows.map((one) =>
        [title.toLowerCase(), ...this.words(one.row), one.from, one.to]))];
  }
}
