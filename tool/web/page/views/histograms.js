/* SPDX-License-Identifier: Apache-2.0 */
/* histograms.js - sizes of blocks, and lifetimes as bytes allocated in them */
import { bars, make } from "../elements.js";
import { bytes } from "../model/numbers.js";
import { View } from "./view.js";

const LIVES = 13, BLOCKS = { key: "life", unit: "blocks" };

/* The least size of class c: 0, then powers of two. */
function sizeName(number) {
  const least = number === 0 ? 0 : 2 ** (number - 1);
  return number < 2 ? bytes(least) :
    `${bytes(least)} to ${bytes(2 * least - 1)}`;
}

function lifeName(number) {
  const limit = (which) => bytes(1024 * 4 ** (which - 1)).replace(".0", "");
  return number === 0 ? "freed at once" : number === LIVES ? "not freed" :
    number === LIVES - 1 ? `${limit(number - 1)} or more` :
      `below ${limit(number)}`;
}

export class HistogramsView extends View {
  /* By class, of stacks that are wanted. */
  #sum(ends, classOf, values) {
    const { wanted } = this.selection, sums = [];
    ends.forEach((end, at) => {
      if (wanted[end] && values[at] > 0)
        sums[classOf(at)] = (sums[classOf(at)] ?? 0) + values[at];
    });
    return Array.from(sums, (sum) => sum ?? 0);
  }

  /* A stack counts with the mean of its blocks. */
  #sizes(what) {
    const [sizes, blocks] = ["bytes", "blocks"].map((unit) =>
      this.selection.values(`${what}-${unit}`) ?? []);
    return this.#sum(this.profile.endNodes.map((_, end) => end), (end) =>
      Math.max(Math.floor(Math.log2(sizes[end] / blocks[end])) + 1, 0), blocks);
  }

  #lives(what) {
    const { columns } = this.profile;
    return this.#sum(columns["life.end"] ?? [], (at) =>
      columns["life.class"][at], columns[what]);
  }

  update() {
    const total = this.#sizes("total"), live = this.#sizes("live");
    const lives = this.#lives("life.blocks");
    const classes = [];
    for (const { least_bytes: least, allocations } of this.profile.head.sizes)
      classes[least === 0 ? 0 : Math.log2(least) + 1] = allocations;
    this.tables = [
      ["All allocations by size, over the whole run",
        Array.from(classes, (count) => count ?? 0), sizeName],
      ["Allocations, by mean size of their stack", total, sizeName],
      ["Live blocks, by mean size of their stack", live, sizeName],
      ["Blocks by lifetime, in bytes allocated meanwhile, over the whole run",
        lives, lifeName, this.#lives("life.blocks.variance")],
    ].filter(([, classes]) => classes.some((value) => value > 0));
    this.root.replaceChildren(...this.tables.map((one) =>
      this.#histogram(...one)),
    lives.length > 0 ? "" : make("p", {}, "Only sampled recordings have " +
      "lifetimes. Short-lived blocks are freed by their thread's next " +
      "allocation."));
  }

  #histogram(title, classes, name, variances) {
    const all = classes.reduce((a, b) => a + b, 0), most = Math.max(...classes);
    return make("section", {}, make("h2", {}, title),
      bars([...classes.entries()].filter(([, value]) => value > 0)
        .map(([number, value]) => ({ value,
          interval: variances === undefined ? null :
            this.profile.estimates.of(BLOCKS, value, variances[number] ?? 0),
          head: make("th", { scope: "row" }, name(number)),
        })), BLOCKS, all, most));
  }

  rows() {
    return [["histogram", "class", "blocks"],
      ...this.tables.flatMap(([title, classes, name]) =>
        classes.map((value, number) => [title, name(number), value]))];
  }
}
