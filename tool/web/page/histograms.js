/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histograms.js - how large blocks are, and how long they live: of all, and by
 * stack
 *
 * A lifetime is how many bytes were allocated meanwhile, as samples tell.
 */
import { bars, make, makeSvg, table } from "./elements.js";
import { bytes, count } from "./numbers.js";
import { literally } from "./patterns.js";
import { View } from "./view.js";

const LIVES = 13, ROWS = 30, BLOCKS = { key: "life", unit: "blocks" };

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

/* Classes side by side; what each is stands in its title. */
function miniature(classes, name) {
  const most = Math.max(...classes, 1), height = 24;
  const known = [...classes.entries()].filter(([, value]) => value > 0)
    .map(([number, value]) => [number, value / most * height,
      `${name(number)}: ${count(value)}`]);
  return known.length === 0 ? "" : makeSvg("svg", { class: "spark",
    width: 5 * classes.length + 1, height, role: "img",
    "aria-label": known.map(([, , text]) => text).join(", ") },
  ...known.map(([number, high, text]) => makeSvg("rect", { x: 5 * number,
    y: height - Math.max(high, 1), width: 4, height: Math.max(high, 1),
    fill: "currentColor" }, makeSvg("title", {}, text))));
}

export class HistogramsView extends View {
  /* By class: of all stacks that are wanted, and of each row that is shown. */
  #sum(ends, classOf, values) {
    const { wanted, rows: { numbers } } = this.selection;
    const rows = new Map(this.order.map((row) => [row, []])), all = [];
    ends.forEach((end, at) => {
      if (!wanted[end] || !(values[at] > 0))
        return;
      const number = classOf(at);
      for (const sums of [all, rows.get(numbers[end]) ?? []]) {
        while (sums.length <= number)
          sums.push(0);
        sums[number] += values[at];
      }
    });
    return { all, rows };
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
    const { selection, figure } = this;
    this.order = selection.greatest(selection.rowSums(figure.key))
      .slice(0, ROWS);
    const total = this.#sizes("total"), live = this.#sizes("live");
    const lives = this.#lives("life.blocks");
    const classes = [];
    for (const { least_bytes: least, allocations } of this.profile.head.sizes)
      classes[least === 0 ? 0 : Math.log2(least) + 1] = allocations;
    this.tables = [
      ["All allocations by size, over the whole run",
        Array.from(classes, (count) => count ?? 0), sizeName],
      ["Allocations, by mean size of their stack", total.all, sizeName],
      ["Live blocks, by mean size of their stack", live.all, sizeName],
      ["Blocks by lifetime, in bytes allocated meanwhile, over the whole run",
        lives.all, lifeName, this.#lives("life.blocks.variance").all],
    ].filter(([, classes]) => classes.some((value) => value > 0));
    this.root.replaceChildren(...this.tables.map((one) =>
      this.#histogram(...one)), ...this.#byRow(total, lives),
    lives.all.length > 0 ? "" : make("p", {}, "This source has no " +
      "lifetimes: record with tally record --stacks=sampled. Others have " +
      "the metric temporary: blocks freed at once."));
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

  /* The heaviest calls, each with its own. */
  #byRow(sizes, lives) {
    const kinds = [["sizes", sizes, sizeName], ["lifetimes", lives, lifeName]]
      .filter(([, { all }]) => all.length > 0);
    return kinds.length === 0 || this.order.length === 0 ? [] : [
      make("h2", {}, `By call, most by ${this.figure.title}`),
      table([...kinds.map(([title]) => [title]), ["call"]], this.order.map(
        (row) => [...kinds.map(([, { all, rows }, name]) => make("td", {},
          miniature(all.map((_, number) => rows.get(row)[number] ?? 0), name))),
        this.link(row, { view: "sizes", find: "",
          only: `^${literally(this.words(row)[0])}` })]))];
  }

  rows() {
    return [["histogram", "class", "blocks"],
      ...this.tables.flatMap(([title, classes, name]) =>
        classes.map((value, number) => [title, name(number), value]))];
  }
}
