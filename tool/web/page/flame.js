/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.js - calls as wide as what they and those that they called hold
 *
 * Only frames that are seen are laid out and drawn. The keyboard moves a focus
 * from frame to frame, which is said aloud. What samples leave open of a
 * frame's width is a line at its foot.
 */
import { growthColor } from "./colors.js";
import { button, make } from "./elements.js";
import { exactly, percent } from "./numbers.js";
import { literally, regularExpression } from "./patterns.js";
import { canvasPen, layOut, LEAST_TEXT, ROW, svgPen } from "./pens.js";
import * as state from "./state.js";
import { View } from "./view.js";

/* From all that is held before to all that is held after. */
const GROWTH = [["gone", -1], ["-50 %", -0.5], ["no change", 0],
  ["+50 %", 0.5], ["new", 1]];

const HIGHEST = 32767;

export class FlameView extends View {
  constructor() {
    super();
    this.canvas = make("canvas", {
      tabindex: 0, role: "img", class: "flame",
      "aria-describedby": "flame-said", "aria-label": "flame graph",
      onclick: (event) => this.#zoom(this.#find(event)),
      onmousemove: (event) => this.#point(event),
      onmouseleave: () => this.#say(this.focus),
      onkeydown: (event) => this.#press(event),
    });
    this.said = make("p", { id: "flame-said", class: "said",
      "aria-live": "polite" });
    this.path = make("nav", { class: "path", "aria-label": "zoomed into" });
    this.root.append(this.path, make("div", { class: "flames" }, this.canvas),
      this.said);
    this.focus = 0;
  }

  update() {
    const { tree } = this.selection;
    this.zoomed = tree.follow(state.get("zoom"));
    if (this.tree !== tree)
      this.focus = this.zoomed;
    this.tree = tree;
    this.#draw();
    this.#writePath();
    this.#say(this.focus);
  }

  #color(node) {
    const { tree } = this;
    if (tree.isOfGrowth && node >= 0)
      return growthColor(tree.value(node), tree.totals[node]);
    return node <= 0 ? this.colors.of(null, node + 2) :
      this.colors.ofName(tree.name(node));
  }

  colorsMean() {
    return this.tree.isOfGrowth ? ["Colors show growth", GROWTH.map(
      ([text, part]) => [text, growthColor(part, 1)])] : super.colorsMean();
  }

  #interval(node) {
    return this.selection.estimate(this.figure, this.tree.sums[node]);
  }

  /* One colour after the other, for a change of it takes its time. */
  #paint(pen) {
    const colors = new Map(), isUp = state.is("up");
    for (const frame of this.frames) {
      const color = this.#color(frame.node);
      frame.y = (isUp ? this.levels - 1 - frame.depth : frame.depth) * ROW;
      if (!colors.has(color))
        colors.set(color, []);
      colors.get(color).push(frame);
    }
    for (const [color, frames] of colors) {
      pen.color = color;
      for (const { x, y, width } of frames)
        pen.rect(x, y, width);
    }
    pen.color = pen.ink;
    this.#write(pen);
  }

  #write(pen) {
    const { tree } = this;
    const sought = state.get("find") === "" ? null :
      regularExpression(state.get("find"));
    for (const { node, x, y, width } of this.frames) {
      const isWide = width >= LEAST_TEXT;
      const title = !isWide && sought === null ? "" :
        node < 0 ? "minor" : tree.title(node);
      if (node > 0 && (node === this.focus || sought?.test(title)))
        pen.outline(x, y, width, node === this.focus ? pen.ink : "#d5008f");
      if (isWide)
        pen.text(x, y, width, title);
      const open = node < 0 || width <= 4 || !(tree.totals[node] > 0) ? null :
        this.#interval(node);
      if (open !== null) {
        const part = Math.min((tree.value(node) - open[0]) / tree.totals[node],
          1);
        pen.foot(x + width * (1 - part), y, x + width);
      }
    }
  }

  /* No browser draws a higher canvas. */
  #draw() {
    const { width } = this;
    const most = Math.floor(HIGHEST / (window.devicePixelRatio || 1) / ROW);
    this.frames = layOut(this.tree, this.zoomed, width);
    const levels = 1 + this.frames
      .reduce((deepest, frame) => Math.max(deepest, frame.depth), 0);
    this.levels = Math.min(levels, most);
    this.hidden = levels - this.levels;
    this.frames = this.frames.filter((frame) => frame.depth < this.levels);
    this.#paint(canvasPen(this.canvas, width, this.levels * ROW));
  }

  #find(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return this.frames.find((frame) => frame.node >= 0 &&
      x >= frame.x && x < frame.x + frame.width &&
      y >= frame.y && y < frame.y + ROW)?.node;
  }

  #point(event) {
    const node = this.#find(event);
    this.canvas.title = node === undefined ? "" : this.#describe(node);
    if (node !== undefined)
      this.#say(node);
  }

  #describe(node) {
    const { figure, tree } = this;
    const place = tree.place(node);
    const call = `${node > 0 ? this.profile.text(tree.name(node), "label") :
      "all"}${place === "" ? "" : ` (${place})`}: `;
    const value = exactly(figure, tree.value(node), this.#interval(node));
    return tree.isOfGrowth ?
      `${call}growth ${value}; peak ` +
        exactly(figure, tree.totals[node]) :
      `${call}${value}, ${percent(tree.totals[node], tree.totals[0])} of ` +
        `all; self ${exactly(figure, tree.own(node))}`;
  }

  #say(node) {
    const { hidden, tree } = this;
    this.said.textContent = this.#describe(node) +
      (hidden > 0 ? `; ${hidden} deeper levels hidden: zoom in` : "") +
      (tree.negative < 0 ? "; shrunk calls not drawn: " +
        exactly(this.figure, tree.negative) : "");
  }

  #zoom(node) {
    if (node === undefined)
      return;
    this.focus = node;
    state.set({ zoom: this.tree.path(node) }, true);
  }

  /* Return actions on the zoomed call. */
  #actions(node) {
    const label = this.tree.label(node), pattern = `^${literally(label)}$`;
    return [
      ["include", { only: pattern, zoom: "" }],
      ["exclude", { without: pattern, zoom: "" }],
      ["callees", { of: label, inverted: "no", zoom: "" }],
      ["callers", { of: label, inverted: "yes", zoom: "" }],
    ].map(([text, parts]) => button(text, () => state.set(parts, true)));
  }

  /* Shorten a deep path to its ends. */
  #writePath() {
    const parts = [], of = state.get("of");
    for (let at = this.zoomed; at > 0; at = this.tree.parents[at])
      parts.unshift(at);
    const shown = parts.length <= 24 ? parts :
      [...parts.slice(0, 8), 0, ...parts.slice(-15)];
    this.path.replaceChildren(
      ...(of === "" ? [] : [button(`all but ${state.is("inverted") ?
        "callers" : "callees"} of ${of}`, () =>
        state.set({ of: "", inverted: "no", zoom: "" }, true))]),
      ...(parts.length === 0 ? [] : [button("all", () => this.#zoom(0)),
        ...shown.map((at) => at === 0 ? "\u2026" :
          button(this.tree.title(at), () => this.#zoom(at))),
        make("span", { class: "actions" }, ...this.#actions(this.zoomed))]));
  }

  /* Enter zooms, arrows go to the caller, the heaviest callee, a neighbour. */
  #press(event) {
    const tree = this.tree, at = this.focus;
    const outwards = state.is("up") ? "ArrowDown" : "ArrowUp";
    const inwards = outwards === "ArrowUp" ? "ArrowDown" : "ArrowUp";
    let next;
    if (event.key === "Enter")
      return this.#zoom(at);
    if (event.key === outwards)
      next = tree.parents[at];
    else if (event.key === inwards)
      next = tree.children(at)[0];
    else if ((event.key === "ArrowRight" || event.key === "ArrowLeft") && at) {
      const all = tree.children(tree.parents[at]);
      next = all[all.indexOf(at) + (event.key === "ArrowRight" ? 1 : -1)];
    } else {
      return;
    }
    event.preventDefault();
    if (next >= 0) {
      this.focus = next;
      this.#draw();
      this.#say(next);
    }
  }

  svg() {
    const pen = svgPen(this.width, this.levels * ROW,
      getComputedStyle(this.canvas).color);
    this.#paint(pen);
    return pen.svg;
  }

  rows() {
    const { tree } = this;
    return [["call", "place", "depth", "total", "own"],
      ...this.frames.filter(({ node }) => node > 0).map(({ node }) => [
        tree.label(node), tree.place(node), tree.depths[node],
        tree.totals[node], tree.own(node)])];
  }
}
