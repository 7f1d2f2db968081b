/* SPDX-License-Identifier: Apache-2.0 */
/* treemap.js - areas by module, file and function */
import { nest } from "d3-collection";
import { hierarchy, treemap, treemapBinary } from "d3-hierarchy";

import { exactly } from "./numbers.js";
import { make, makeSvg } from "./elements.js";
import { cut } from "./pens.js";
import * as state from "./state.js";
import { View } from "./view.js";

const HEIGHT = 480, LEAVES = 400, CHARACTER = 7, LINE = 16;

export class TreemapView extends View {
  constructor() {
    super();
    this.svg = makeSvg("svg", { class: "treemap", role: "img",
      "aria-label": "areas by module, file and function" });
    this.said = make("p", { class: "said", role: "status" });
    this.root.append(this.said, this.svg);
  }

  /* Modules, in them files, in them functions; what is minor is one leaf. */
  #nest() {
    const { selection, profile } = this;
    const sums = selection.rowSums(this.figure.key);
    const order = selection.greatest(sums);
    const leaves = order.slice(0, LEAVES).map((row) => {
      const { name } = selection.rows.names[row];
      return { title: profile.label(name), value: sums[row], row,
        module: profile.module(name), file: profile.text(name, "file") };
    });
    const rest = order.slice(LEAVES).reduce((sum, row) => sum + sums[row], 0);
    return { values: [...nest().key(({ module }) => module)
      .key(({ file }) => file).entries(leaves),
    ...(rest > 0 ? [{ title: "minor", value: rest }] : [])] };
  }

  update() {
    const { selection, colors, figure, width } = this;
    const intervalOf = selection.rowInterval(figure);
    const root = hierarchy(this.#nest(), ({ values }) => values)
      .sum((one) => one.value || 0).sort((a, b) => b.value - a.value);
    treemap().tile(treemapBinary).size([width, HEIGHT]).paddingInner(1)
      .paddingTop((node) => node.depth === 1 && node.children ? LINE + 2 : 0)(
        root);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.svg.replaceChildren(
      ...(root.children || []).filter((one) => one.children &&
        one.y1 - one.y0 > LINE).map((one) =>
        this.#label(one, one.x0, one.y0 + LINE - 3, one.x1 - one.x0,
          "module")),
      ...root.leaves().flatMap((leaf) => {
        const data = leaf.data, wide = leaf.x1 - leaf.x0;
        const open = data.row === undefined ? null : intervalOf(data.row);
        const text = `${data.title}${data.file ? ` (${data.file})` : ""}: ` +
          exactly(figure, leaf.value, open);
        const box = makeSvg("rect", {
          class: data.row !== undefined && state.get("find") !== "" &&
            this.isFound(data.row) ? "found" : null,
          x: leaf.x0, y: leaf.y0, width: wide, height: leaf.y1 - leaf.y0,
          fill: data.row === undefined ? colors.of(null) :
            colors.ofRow(selection.rows.names[data.row]),
          onclick: () => state.set({ view: "table", find: data.title }, true),
          onmousemove: () => {
            this.said.textContent = text;
          },
        }, makeSvg("title", {}, text));
        /* A line at the bottom is the 95 % interval. */
        const known = open === null ? 1 : Math.max(open[0], 0) / leaf.value;
        const foot = open === null ? [] : [makeSvg("rect", { class: "foot",
          x: leaf.x0 + wide * known, y: leaf.y1 - 3,
          width: wide * (1 - known), height: 2 })];
        return leaf.y1 - leaf.y0 < LINE ? [box, ...foot] : [box, ...foot,
          this.#label(leaf, leaf.x0, leaf.y0 + LINE - 2, wide, "leaf")];
      }));
    this.leaves = root.leaves();
    this.said.textContent = `${this.leaves.length} calls by ${figure.title}: ` +
      exactly(figure, root.value ?? 0);
  }

  #label(node, x, y, width, kind) {
    return makeSvg("text", { x: x + 3, y, class: kind },
      cut(node.data.title ?? (node.data.key || "no module"), width,
        (text) => text.length * CHARACTER));
  }

  rows() {
    return [["module", "file", "function", this.figure.key],
      ...this.leaves.map((leaf) => [leaf.data.module ?? "",
        leaf.data.file ?? "", leaf.data.title, leaf.value])];
  }
}
