/* SPDX-License-Identifier: Apache-2.0 */
/* comparison.js - calls by their change, with the new and the gone ones */
import { growthColor, growthLegend } from "../colors.js";
import { make } from "../elements.js";
import { amount, greatest, signed } from "../model/numbers.js";
import { TableView } from "./table.js";

export class ComparisonView extends TableView {
  limit = 100;

  columns() {
    const { profile, selection } = this, { unit } = profile.figure("growth");
    const sides = ["before", "after"].map((side) => profile.figures.find(
      ({ key }) => key === `${side}-${unit}`) ??
      { key: side, title: side, unit });
    return [profile.figure("growth"), ...sides].map((figure) =>
      selection.called(figure));
  }

  isShown(row) {
    return this.shown.figures[0].sums[row] !== 0;
  }

  /* Return a mark of a change; an estimate's may be none. */
  #mark(row) {
    const [growth, before, after] = this.shown.figures;
    const open = growth.intervalOf(row);
    return open?.[0] <= 0 && open[1] >= 0 ? "within the sampling error" :
      before.sums[row] === 0 ? "new" : after.sums[row] === 0 ? "gone" : "";
  }

  callOf(row) {
    const call = this.link(row), mark = this.#mark(row);
    if (mark !== "") call.append(" ", make("span", { class: "mark" }, mark));
    return call;
  }

  /* Add a bar from the middle to the right of what grew, else to the left. */
  cellOf(figure, row) {
    const value = figure.sums[row], open = figure.intervalOf(row);
    if (figure.key !== "growth") return this.cell(figure, value, open);
    figure.most ??= greatest(figure.sums.map(Math.abs));
    const part = 50 * Math.abs(value) / figure.most;
    const cell = this.cell(figure, value, open, 0,
      signed(amount(figure, value), value));
    cell.prepend(make("span", { class: "diverging" }, make("span", { style: {
      left: `${value > 0 ? 50 : 50 - part}%`, width: `${part}%`,
      background: growthColor(value, Math.max(...this.shown.figures.slice(1)
        .map((side) => side.sums[row]))) } })));
    return cell;
  }

  colorsMean() {
    return ["Colours show growth", growthLegend()];
  }
}
