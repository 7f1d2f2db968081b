/* SPDX-License-Identifier: Apache-2.0 */
/* flame.js - a frame's width is the bytes of a call and its callees. The
   keyboard moves a focus from frame to frame, which is said aloud. A line at a
   frame's foot is what samples leave open of its width. */
import { growthColor } from "../colors.js";
import { button, hideTip, make, showTip } from "../elements.js";
import { amount, count, exactly, greatest, percent }
  from "../model/numbers.js";
import { regularExpression, soughtPattern } from "../model/patterns.js";
import { clearContext, cut, hatched, layOut, LEAST_TEXT, PADDING, ROW, widthOf }
  from "./pens.js";
import * as state from "../model/state.js";
import { View } from "./view.js";

const HIGHEST = 32767;

export class FlameView extends View {
  showsGrowth = true;

  constructor() {
    super();
    this.canvas = make("canvas", {
      tabindex: 0, role: "img", class: "flame",
      "aria-describedby": "flame-said", "aria-label": "flame graph",
      onclick: (event) => this.#pick(this.#find(event)),
      ondblclick: (event) => this.#zoom(this.#find(event)),
      onmousemove: (event) => this.#point(event),
      onmouseleave: hideTip,
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
    if (this.tree !== tree) this.focus = this.zoomed;
    this.tree = tree;
    this.#draw();
    this.#writePath();
    this.#say(this.focus);
  }

  #color(node) {
    const { tree } = this;
    if (tree.isOfGrowth && node >= 0)
      return growthColor(tree.value(node), tree.totals[node]);
    return node <= 0 ? this.colors.grey(node + 2) :
      this.colors.ofName(tree.name(node));
  }

  #interval(node) {
    return this.selection.estimate(this.figure, this.tree.sums[node]);
  }

  /* One colour after the other, for a change of it takes its time. */
  #paint(context) {
    const colors = new Map(), isUp = state.is("up"), { tree } = this;
    const sought = state.get("find") === "" ? null :
      regularExpression(soughtPattern(state.get("find")));
    for (const frame of this.frames) {
      const color = this.#color(frame.node), { node } = frame;
      frame.title = node < 0 ? "minor" : tree.title(node);
      frame.isFound = node > 0 && sought?.test(frame.title) === true;
      frame.y = (isUp ? this.levels - 1 - frame.depth : frame.depth) * ROW;
      if (!colors.has(color)) colors.set(color, []);
      colors.get(color).push(frame);
    }
    const rect = ({ x, y, width }) =>
      context.fillRect(x, y, Math.max(width - 0.5, 0.5), ROW - 1);
    for (const [color, frames] of colors) {
      context.fillStyle = color;
      for (const frame of frames) {
        context.globalAlpha = sought !== null && !frame.isFound ? 0.3 : 1;
        rect(frame);
      }
    }
    context.globalAlpha = 1;
    const ink = getComputedStyle(this.canvas).color;
    context.fillStyle = hatched(context, ink);
    for (const { node, x, y, width } of this.frames) {
      const wide = width * (tree.maps[node] / tree.totals[node]);
      if (wide > 0) rect({ x: x + width - wide, y, width: wide });
    }
    context.fillStyle = ink;
    this.#write(context, ink);
  }

  #write(context, ink) {
    const { tree } = this, picked = state.get("pick");
    context.lineWidth = 2;
    for (const { node, x, y, width, title, isFound } of this.frames) {
      const isPicked = node === this.focus || tree.label(node) === picked;
      if (node > 0 && (isPicked || isFound)) {
        context.strokeStyle = isPicked ? ink : "#d5008f";
        context.strokeRect(x + 1, y + 1, Math.max(width - 2.5, 1), ROW - 3);
      }
      if (width >= LEAST_TEXT)
        context.fillText(cut(title, width, widthOf), x + PADDING, y + ROW / 2,
          width - PADDING);
      const open = node < 0 || width <= 4 || !(tree.totals[node] > 0) ? null :
        this.#interval(node);
      if (open !== null) {
        const wide = width * Math.min((tree.value(node) - open[0]) /
          tree.totals[node], 1);
        context.fillRect(x + width - wide, y + ROW - 3, wide, 2);
      }
    }
  }

  /* No browser draws a higher canvas. */
  #draw() {
    const { width } = this;
    const most = Math.floor(HIGHEST / (window.devicePixelRatio || 1) / ROW);
    this.frames = layOut(this.tree, this.zoomed, width);
    const levels = 1 + greatest(this.frames.map(({ depth }) => depth));
    this.levels = Math.min(levels, most);
    this.hidden = levels - this.levels;
    this.frames = this.frames.filter((frame) => frame.depth < this.levels);
    this.#paint(clearContext(this.canvas, width, this.levels * ROW));
  }

  #frame(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return this.frames.find((frame) => x >= frame.x &&
      x < frame.x + frame.width && y >= frame.y && y < frame.y + ROW);
  }

  #find(event) {
    const node = this.#frame(event)?.node;
    return node < 0 ? undefined : node;
  }

  /* Return what is known of a frame: names and texts. */
  #facts(node) {
    const { tree, figure } = this;
    const parent = tree.totals[Math.max(tree.parents[node], 0)];
    return [[tree.isOfGrowth ? "growth" : figure.title,
      exactly(figure, tree.value(node), this.#interval(node))],
    ...(tree.isOfGrowth ? ["before", "after"].map((side, at) =>
      [side, exactly(figure, tree.sums[node][at])]) : [
      ["of all", percent(tree.totals[node], tree.totals[0])],
      ["of its caller", percent(tree.totals[node], parent)],
      ["self", exactly(figure, tree.own(node))],
      ...(tree.counts[node] > 0 ? [["blocks", count(tree.counts[node])]] : []),
    ])];
  }

  #point(event) {
    const { node, value: minor } = this.#frame(event) ?? {};
    const { tree, figure } = this;
    if (node === undefined) return hideTip();
    if (node < 0)
      return showTip(event, "minor", [[figure.title, amount(figure, minor)]],
        "too narrow to draw: zoom into the caller");
    const [value, ...rest] = this.#facts(node);
    showTip(event, tree.thread(node) + tree.label(node), [
      [tree.place(node), ""], value, ["", amount(figure, tree.value(node))],
      ...rest], "click: details; double click: zoom");
  }

  /* Select the function of a frame, and show the state `parts`. */
  #pick(node, parts = {}) {
    if (node === undefined) return;
    const pick = node === 0 ? "" : this.tree.label(node);
    this.focus = node;
    state.set({ pick, ...parts }, true);
  }

  /* Move the focus to the next frame that the search finds. */
  next() {
    const found = this.frames.filter(({ isFound }) => isFound);
    const at = found.findIndex(({ node }) => node === this.focus) + 1;
    if (found.length > 0) this.#pick(found[at % found.length].node);
  }

  #say(node) {
    const { tree, hidden } = this, place = tree.place(node);
    const call = node === 0 ? "all" : tree.thread(node) +
      this.profile.text(tree.name(node), "label");
    const [[, value], ...rest] = this.#facts(node);
    this.said.textContent = `${call}${place === "" ? "" : ` (${place})`}: ` +
      [value, ...rest.map((pair) => pair.join(" "))].join("; ") +
      (hidden > 0 ? `; ${hidden} deeper levels hidden: zoom in` : "");
  }

  #zoom(node) {
    this.#pick(node, { zoom: this.tree.path(node) });
  }

  /* Shorten a deep path to its ends. */
  #writePath() {
    const parts = [], of = state.get("of");
    for (let at = this.zoomed; at > 0; at = this.tree.parents[at])
      parts.unshift(at);
    const shown = parts.length <= 24 ? parts :
      [...parts.slice(0, 8), 0, ...parts.slice(-15)];
    this.path.replaceChildren(
      ...(of === "" ? [] : [button(`only ${state.is("inverted") ?
        "callers" : "callees"} of ${of} \u00d7`, () =>
        state.set({ of: "", inverted: "no", zoom: "" }, true))]),
      ...(parts.length === 0 ? [] : [button("all", () => this.#zoom(0)),
        ...shown.map((at) => at === 0 ? "\u2026" :
          button(this.tree.title(at), () => this.#zoom(at)))]));
  }

  /* Enter zooms, arrows go to the caller, the heaviest callee, a neighbour. */
  #press(event) {
    const { tree, focus: at } = this, caller = tree.parents[at];
    const [above, below] = [caller, tree.children(at)[0]];
    const all = at === 0 ? [] : tree.children(caller), place = all.indexOf(at);
    const moves = { ArrowUp: state.is("up") ? below : above,
      ArrowDown: state.is("up") ? above : below,
      ArrowLeft: all[place - 1], ArrowRight: all[place + 1] };
    if (event.key === "Enter") return this.#zoom(at);
    if (!(event.key in moves)) return;
    const next = moves[event.key];
    event.preventDefault();
    if (next >= 0) {
      this.focus = next;
      this.#draw();
      this.#say(next);
    }
  }
}
