/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizes.js - how large blocks are: of all allocations, and by stack, where a
 * stack counts with the mean size of its blocks
 */
import { bytes, count, percent } from "./numbers.js";
import { make } from "./elements.js";

/* The least size of class c: 0, then powers of two. */
function least(number) {
  return number === 0 ? 0 : 2 ** (number - 1);
}

function range(number) {
  return number < 2 ? bytes(least(number)) :
    `${bytes(least(number))} to ${bytes(2 * least(number) - 1)}`;
}

export class SizesView {
  constructor(app) {
    this.app = app;
    this.root = make("div");
  }

  /* Blocks by the class of their stack's mean. */
  #means(bytesKey, blocksKey) {
    const { selection, profile } = this.app;
    if (!(bytesKey in profile.columns) || !(blocksKey in profile.columns))
      return null;
    const sizes = selection.values(bytesKey);
    const blocks = selection.values(blocksKey), wanted = selection.wanted;
    const classes = [];
    for (let i = 1; i < profile.endCount; i++) {
      if (!wanted[i] || blocks[i] <= 0)
        continue;
      const mean = sizes[i] / blocks[i];
      const number = mean < 1 ? 0 : Math.floor(Math.log2(mean)) + 1;
      classes[number] = (classes[number] || 0) + blocks[i];
    }
    return Array.from(classes, (value) => value || 0);
  }

  update() {
    const head = this.app.profile.head;
    this.tables = [
      ["All allocations, by their size", head.sizes],
      ["Allocations, by the mean size at their stack",
        this.#means("total-bytes", "total-blocks")],
      ["Live blocks, by the mean size at their stack",
        this.#means("live-bytes", "live-blocks")],
    ].filter(([, classes]) => classes && classes.some((value) => value > 0));
    this.root.replaceChildren(...this.tables.map(([title, classes]) =>
      this.#histogram(title, classes)));
    if (this.tables.length === 0)
      this.root.append(make("p", {}, "The source does not tell sizes."));
  }

  #histogram(title, classes) {
    const all = classes.reduce((a, b) => a + b, 0);
    const most = classes.reduce((a, b) => Math.max(a, b), 0);
    return make("section", {}, make("h2", {}, title),
      make("table", { class: "bars" }, make("tbody", {},
        ...[...classes.entries()].filter(([, value]) => value > 0)
          .map(([number, value]) => {
            const bar = make("span", { class: "bar" });
            bar.style.width = `${(value / most) * 100}%`;
            return make("tr", {},
              make("td", { class: "number" }, count(value)),
              make("td", { class: "number" }, percent(value, all)),
              make("th", { scope: "row" }, range(number), bar));
          }))));
  }

  rows() {
    return [["histogram", "size", "blocks"],
      ...this.tables.flatMap(([title, classes]) => classes.map((value, index) =>
        [title, least(index), value]))];
  }
}
