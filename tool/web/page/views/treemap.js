/* SPDX-License-Identifier: Apache-2.0 */
/* treemap.js - areas by module, namespace or folder, and function */
import { nest } from "d3-collection";
import { hierarchy, treemap, treemapBinary } from "d3-hierarchy";

import { growthColor } from "../colors.js";
import { hatch, hideTip, make, makeSvg, showTip } from "../elements.js";
import { amount, count, exactly, percent } from "../model/numbers.js";
import { cut, widthOf } from "./pens.js";
import * as state from "../model/state.js";
import { View } from "./view.js";

const HEIGHT = 520, LEAVES = 400, LINE = 16;

/* Return the namespace of a function, or else its file's folder. */
function groupOf(label, file) {
  const scope = /^([\w:]+)::/.exec(label.replace(/<.*/, ""))?.[1];
  return scope ?? (file.includes("/") ? `${file.split("/").slice(0, -1)
    .slice(file.startsWith("/") ? -2 : 0).join("/")}/` : "");
}

/* Return true if a group has room for its title. */
const isTitled = ({ depth, children, data, x0, x1, y0, y1 }) =>
  children && depth > 0 && data.key !== "" && x1 - x0 > 48 &&
    y1 - y0 > 2 * LINE;

export class TreemapView extends View {
  showsGrowth = true;

  constructor() {
    super();
    this.svg = makeSvg("svg", { class: "treemap", role: "img",
      "aria-label": "areas by module, namespace or folder, and function",
      onmouseleave: hideTip });
    this.said = make("p", { class: "said", role: "status" });
    this.root.append(this.said, this.svg);
  }

  /* What is minor is one leaf. Of growth, an area is a change either way. */
  #nest() {
    const { selection, profile, figure } = this;
    const sums = selection.rowSums(figure.key);
    const sizes = figure.key === "growth" ? sums.map(Math.abs) : sums;
    const order = selection.greatest(sizes);
    const leaves = order.slice(0, LEAVES).map((row) => {
      const { name } = selection.rows.names[row], title = profile.label(name);
      const file = profile.text(name, "file");
      return { title, value: sizes[row], amount: sums[row], row, file,
        module: profile.module(name) || "built-in",
        group: groupOf(title, file) };
    });
    const rest = order.slice(LEAVES).reduce((sum, row) => sum + sizes[row], 0);
    return { values: [...nest().key(({ module }) => module)
      .key(({ group }) => group).entries(leaves),
    ...(rest > 0 ? [{ title: "minor", value: rest }] : [])] };
  }

  update() {
    const { width } = this;
    const { blocks } = this.selection;
    this.intervalOf = this.selection.rowInterval(this.figure);
    this.blocks = blocks && this.selection.sums(blocks);
    this.sides = this.figure.key === "growth" ? this.profile.sides(
      this.selection.interval).map((one) => this.selection.sums(one)) : null;
    const root = hierarchy(this.#nest(), ({ values }) => values)
      .sum((one) => one.value || 0).sort((a, b) => b.value - a.value);
    treemap().tile(treemapBinary).size([width, HEIGHT]).paddingInner(1)
      .paddingTop((one) => isTitled(one) ? LINE + 2 : 0)(root);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    const leaves = root.leaves().filter(({ data }) => data.title);
    this.svg.replaceChildren(hatch("hatch-map"),
      ...root.descendants().filter(isTitled)
        .map((one) => this.#label(one, "module")),
      ...leaves.flatMap((leaf) => this.#leaf(leaf, root.value)));
    this.said.textContent = `${leaves.length} functions by ` +
      `${this.figure.title}: ${exactly(this.figure, this.selection.sum)}`;
  }

  #color({ row, amount: grown }) {
    return row === undefined ? this.colors.grey() : this.sides === null ?
      this.colors.ofRow(this.selection.rows.names[row]) :
      growthColor(grown, Math.max(...this.sides.map((side) => side[row])));
  }

  #leaf(leaf, all) {
    const { data, x0: x, y0: y, y1 } = leaf, { row } = data;
    const { figure } = this, wide = leaf.x1 - x;
    const open = row === undefined ? null : this.intervalOf(row);
    const said = exactly(figure, data.amount ?? leaf.value, open);
    const isFound = row !== undefined && state.get("find") !== "" &&
      this.isFound(row);
    const place = data.file ? ` (${data.file})` : "", blocks = this.blocks?.[row];
    const rect = (fill, attributes = {}) => makeSvg("rect",
      { x, y, width: wide, height: y1 - y, fill, ...attributes });
    const boxes = [rect(this.#color(data), { class: isFound ? "found" : null,
      onclick: () => row === undefined || state.set({ pick: data.title }, true),
      opacity: row === undefined || isFound || state.get("find") === "" ? 1 : 0.3,
      onmousemove: (event) => showTip(event, data.title, [
        [row === undefined ? "" : this.words(row)[1], ""],
        [figure.title, said], ["", amount(figure, data.amount ?? leaf.value)],
        ["of all", percent(leaf.value, all)],
        [`of ${leaf.parent.data.key ?? "all"}`,
          percent(leaf.value, leaf.parent.value)],
        ...(blocks > 0 ? [["blocks", count(blocks)]] : [])],
      row === undefined ? "" : "click: details") })];
    boxes[0].append(makeSvg("desc", {}, `${data.title}${place}: ${said}`));
    if (this.selection.rows.names[row]?.kind === 1)
      boxes.push(rect("url(#hatch-map)", { "pointer-events": "none" }));
    /* A line at the bottom is the 95 % interval. */
    const known = open === null ? 1 : Math.max(open[0], 0) / leaf.value;
    if (known < 1)
      boxes.push(rect(null, { class: "foot", x: x + wide * known, y: y1 - 3,
        width: wide * (1 - known), height: 2 }));
    return [...boxes, this.#label(leaf, "leaf")];
  }

  #label({ data, x0, x1, y0, y1 }, kind) {
    const value = data.amount ?? data.value, lines = [data.title ?? data.key,
      ...(value === undefined ? [] : [amount(this.figure, value)])];
    return makeSvg("text", { class: kind }, ...lines.slice(0,
      Math.floor((y1 - y0) / LINE)).map((text, line) => makeSvg("tspan",
      { x: x0 + 3, y: y0 + (line + 1) * LINE - 3 }, line > 0 && widthOf(text) >
        x1 - x0 - 6 ? "" : cut(text, x1 - x0, widthOf)))); /* no part of a number */
  }
}
