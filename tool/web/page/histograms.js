/* SPDX-License-Identifier: Apache-2.0 */
/*
 * histograms.js - how large blocks are, and how long they live: of all, and by
 * stack
 *
 * A stack counts with the mean size of its blocks. A lifetime is how many bytes
 * were allocated meanwhile, as samples tell.
 */
import { bars, make, makeSvg } from "./elements.js";
import { bytes, count, estimated, percent } from "./numbers.js";
import { literally } from "./profile.js";
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
  return makeSvg("svg", { class: "spark", width: 5 * classes.length + 1, height,
    role: "img", "aria-label": classes.flatMap((value, number) =>
      value > 0 ? [`${name(number)}: ${count(value)}`] : []).join(", ") },
  ...classes.flatMap((value, number) => value <= 0 ? [] : [makeSvg("rect", {
    x: 5 * number, width: 4, fill: "currentColor",
    y: height - Math.max((value / most) * height, 1),
    height: Math.max((value / most) * height, 1),
  }, makeSvg("title", {}, `${name(number)}: ${count(value)}`))]));
}

function padded(classes, size) {
  return Array.from({ length: size }, (_, number) => classes[number] || 0);
}

export class HistogramsView extends View {
  /* Blocks by the class of their stack's mean: of all, and by row. */
  #sizes(what) {
    const { selection, profile } = this, { wanted } = selection;
    const sizes = selection.values(`${what}-bytes`), all = [], rows = new Map();
    const blocks = selection.values(`${what}-blocks`);
    const { numbers } = selection.rows;
    for (let end = 1; blocks && sizes && end < profile.endCount; end++) {
      if (!wanted[end] || blocks[end] <= 0)
        continue;
      const mean = sizes[end] / blocks[end];
      const number = mean < 1 ? 0 : Math.floor(Math.log2(mean)) + 1;
      this.#count(all, rows, numbers[end], number, blocks[end]);
    }
    return { all, rows };
  }

  #count(all, rows, row, number, value) {
    let own = rows.get(row);
    if (own === undefined)
      rows.set(row, own = []);
    all[number] = (all[number] || 0) + value;
    own[number] = (own[number] || 0) + value;
  }

  #lives() {
    const { columns } = this.profile, { wanted } = this.selection;
    const all = [], rows = new Map(), variances = [];
    const ends = columns["life.end"] ?? [];
    const { numbers } = this.selection.rows;
    for (const [at, end] of ends.entries()) {
      const number = columns["life.class"][at];
      if (!wanted[end])
        continue;
      this.#count(all, rows, numbers[end], number, columns["life.blocks"][at]);
      variances[number] = (variances[number] || 0) +
        columns["life.blocks.variance"][at];
    }
    return { all, rows, variances };
  }

  update() {
    const total = this.#sizes("total"), live = this.#sizes("live");
    const lives = this.#lives();
    this.tables = [
      ["All allocations, by their size", this.profile.head.sizes, sizeName],
      ["Allocations, by the mean size at their stack", total.all, sizeName],
      ["Live blocks, by the mean size at their stack", live.all, sizeName],
      ["Blocks by lifetime, in bytes allocated meanwhile", lives.all, lifeName,
        lives.variances],
    ].filter(([, classes]) => classes.some((value) => value > 0));
    this.root.replaceChildren(...this.tables.map((one) =>
      this.#histogram(...one)), ...this.#byRow(total.rows, lives.rows),
    lives.all.length > 0 ? "" : make("p", {}, "This source tells no " +
      "lifetimes: samples do, of tally record --stacks=sampled. Of others, " +
      "the figure temporary counts blocks that were freed at once."));
  }

  #histogram(title, classes, name, variances) {
    const { estimates } = this.profile;
    const all = classes.reduce((a, b) => a + (b || 0), 0);
    const most = Math.max(...padded(classes, classes.length));
    return make("section", {}, make("h2", {}, title),
      bars([...classes.entries()].filter(([, value]) => value > 0)
        .map(([number, value]) => {
          const interval = variances === undefined ? null :
            estimates.of(BLOCKS, value, variances[number]);
          return {
            cells: [count(value), percent(value, all)],
            title: estimated(BLOCKS, value, interval),
            head: make("th", { scope: "row" }, name(number)),
            part: value / most, color: null,
            interval: interval?.map((end) => end / most) ?? null,
          };
        })));
  }

  /* The heaviest calls, each with its own. */
  #byRow(sizes, lives) {
    const { selection, figure } = this;
    const order = selection.greatest(selection.rowSums(figure.key))
      .slice(0, ROWS);
    const largest = Math.max(0, ...[...sizes.values()].map(({ length }) =>
      length));
    const kinds = [["sizes", sizes, sizeName, largest],
      ["lifetimes", lives, lifeName, LIVES + 1]]
      .filter(([, rows]) => rows.size > 0);
    return kinds.length === 0 || order.length === 0 ? [] : [
      make("h2", {}, `By call, most by ${figure.title}`),
      make("table", {}, make("thead", {}, make("tr", {},
        ...[...kinds.map(([title]) => title), "call"].map((title) =>
          make("th", { scope: "col" }, title)))),
      make("tbody", {}, ...order.map((row) => make("tr", {},
        ...kinds.map(([, rows, name, size]) => make("td", {},
          miniature(padded(rows.get(row) ?? [], size), name))),
        this.link(row, { view: "sizes", find: "",
          only: `^${literally(this.words(row)[0])}` })))))];
  }

  rows() {
    return [["histogram", "class", "blocks"],
      ...this.tables.flatMap(([title, classes, name]) =>
        padded(classes, classes.length).map((value, number) =>
          [title, name(number), value]))];
  }
}
