/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flame.js - calls as wide as what they and those that they called hold
 *
 * Only frames that are seen are laid out and drawn. The keyboard moves a focus
 * from frame to frame, which is said aloud.
 */
import { growthColor } from "./colors.js";
import { exactly, percent } from "./numbers.js";
import { make, makeSvg } from "./elements.js";
import { regularExpression } from "./profile.js";
import * as state from "./state.js";

const ROW = 20, HIGHEST = 32767, NARROWEST = 0.5, FONT = "12px system-ui, sans-serif";
const PADDING = 4;

/* As much of a text as fits, or nothing. */
function cut(text, width, measure) {
  const room = width - 2 * PADDING;
  if (room < 20)
    return "";
  const wide = measure(text.length > 400 ? text.slice(0, 400) : text);
  if (wide <= room)
    return text;
  const part = text.slice(0, Math.floor((text.length * room) / wide) - 1);
  return part.length < 3 ? "" : `${part}\u2026`;
}

/* Draws on a canvas; the other one makes elements of SVG. */
class CanvasPen {
  constructor(canvas, width, height) {
    const scale = window.devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    canvas.style.height = `${height}px`;
    this.context = canvas.getContext("2d");
    this.context.scale(scale, scale);
    this.context.font = FONT;
    this.context.textBaseline = "middle";
    this.ink = getComputedStyle(canvas).color;
  }

  rect(x, y, width, color, frame) {
    this.context.fillStyle = color;
    this.context.fillRect(x, y, Math.max(width - 0.5, 0.5), ROW - 1);
    if (frame !== null) {
      this.context.strokeStyle = frame;
      this.context.lineWidth = 2;
      this.context.strokeRect(x + 1, y + 1, Math.max(width - 2.5, 1), ROW - 3);
    }
  }

  text(x, y, width, text) {
    const shown = cut(text, width, (part) =>
      this.context.measureText(part).width);
    if (shown === "")
      return;
    this.context.fillStyle = this.ink;
    this.context.fillText(shown, x + PADDING, y + ROW / 2);
  }
}

class SvgPen {
  constructor(width, height, ink) {
    this.ink = ink;
    this.svg = makeSvg("svg", {
      xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`,
      width: "100%", "font-family": "system-ui, sans-serif", "font-size": 12,
    });
  }

  rect(x, y, width, color) {
    this.svg.append(makeSvg("rect", {
      x, y, width: Math.max(width - 0.5, 0.5), height: ROW - 1, fill: color,
    }));
  }

  text(x, y, width, text) {
    const shown = cut(text, width, (part) => part.length * 7.5);
    if (shown !== "")
      this.svg.append(makeSvg("text", {
        x: x + PADDING, y: y + ROW / 2 + 4, fill: this.ink,
      }, shown));
  }
}

/* Frames that are seen: those above the zoomed one are as wide as all. */
function layOut(tree, zoomed, width) {
  const frames = [], whole = tree.totals[zoomed];
  for (let at = tree.parents[zoomed]; at >= 0; at = tree.parents[at])
    frames.push({ node: at, x: 0, width, depth: tree.depths[at] });
  const waiting = [{ node: zoomed, x: 0 }];
  while (waiting.length > 0) {
    const { node, x } = waiting.pop();
    const size = whole > 0 ? (tree.totals[node] / whole) * width : width;
    frames.push({ node, x, width: size, depth: tree.depths[node] });
    let start = x, minor = 0;
    for (const child of tree.children(node)) {
      const wide = (tree.totals[child] / whole) * width;
      if (wide >= NARROWEST) {
        waiting.push({ node: child, x: start });
        start += wide;
      } else {
        minor += wide;
      }
    }
    if (minor >= NARROWEST)
      frames.push({ node: -1, x: start, width: minor,
        depth: tree.depths[node] + 1 });
  }
  return frames;
}

export class FlameView {
  constructor(app) {
    this.app = app;
    this.canvas = make("canvas", {
      tabindex: 0, role: "img", class: "flame",
      "aria-describedby": "flame-said", "aria-label": "calls by what they hold",
      onclick: (event) => this.#zoom(this.#find(event)),
      onmousemove: (event) => this.#point(event),
      onmouseleave: () => this.#say(this.focus),
      onkeydown: (event) => this.#press(event),
    });
    this.said = make("p", { id: "flame-said", class: "said",
      "aria-live": "polite" });
    this.path = make("nav", { class: "path", "aria-label": "zoomed into" });
    this.root = make("div", {}, this.path, this.canvas, this.said);
    this.focus = 0;
  }

  update() {
    this.tree = this.app.selection.tree;
    this.zoomed = this.tree.follow(state.get("zoom"));
    if (this.focus >= this.tree.size)
      this.focus = this.zoomed;
    this.#draw();
    this.#writePath();
    this.#say(this.focus);
  }

  #color(node) {
    const { colors } = this.app, { grown, totals } = this.tree;
    if (grown !== null && node >= 0)
      return growthColor(grown[node], totals[node]);
    return node <= 0 ? colors.of(null, node + 2) :
      colors.ofName(this.tree.name(node));
  }

  #paint(pen, width) {
    const sought = state.get("find") === "" ? null :
      regularExpression(state.get("find"));
    this.frames = layOut(this.tree, this.zoomed, width)
      .filter((frame) => frame.depth < this.levels);
    for (const frame of this.frames) {
      const y = this.#y(frame.depth);
      const label = frame.node < 0 ? "minor" : this.tree.label(frame.node);
      const isFound = sought !== null && frame.node > 0 && sought.test(label);
      pen.rect(frame.x, y, frame.width, this.#color(frame.node),
        frame.node === this.focus && frame.node > 0 ? pen.ink :
          isFound ? "#d5008f" : null);
      pen.text(frame.x, y, frame.width, label);
    }
  }

  /* No browser draws a higher canvas. */
  #mostLevels() {
    return Math.floor(HIGHEST / ROW / (window.devicePixelRatio || 1));
  }

  #y(depth) {
    return state.get("up") === "yes" ?
      (this.levels - 1 - depth) * ROW : depth * ROW;
  }

  #draw() {
    const width = Math.max(this.root.clientWidth, 200);
    this.levels = 1 + layOut(this.tree, this.zoomed, width)
      .reduce((most, frame) => Math.max(most, frame.depth), 0);
    this.hidden = Math.max(this.levels - this.#mostLevels(), 0);
    this.levels -= this.hidden;
    this.#paint(new CanvasPen(this.canvas, width, this.levels * ROW), width);
  }

  #find(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left, y = event.clientY - box.top;
    return this.frames.find((frame) => frame.node >= 0 &&
      x >= frame.x && x < frame.x + frame.width &&
      y >= this.#y(frame.depth) && y < this.#y(frame.depth) + ROW)?.node;
  }

  #point(event) {
    const node = this.#find(event);
    this.canvas.title = node === undefined ? "" : this.#describe(node);
    if (node !== undefined)
      this.#say(node);
  }

  #describe(node) {
    const figure = this.app.selection.figure, tree = this.tree;
    const place = node > 0 ? this.app.profile.place(tree.name(node)) : "";
    if (tree.grown !== null)
      return `${tree.label(node)}${place === "" ? "" : ` (${place})`}: grew by ` +
        `${exactly(figure, tree.grown[node])}, held at most ` +
        exactly(figure, tree.totals[node]);
    return `${tree.label(node)}${place === "" ? "" : ` (${place})`}: ` +
      `${exactly(figure, tree.totals[node])}, ` +
      `${percent(tree.totals[node], tree.totals[0])} of all; itself ` +
      exactly(figure, tree.own(node));
  }

  #say(node) {
    const deeper = this.hidden > 0 ?
      `; ${this.hidden} levels more are not drawn: zoom in` : "";
    this.said.textContent = this.#describe(node) + deeper +
      (this.tree.negative < 0 ?
      `; what shrank is not drawn: ${exactly(this.app.selection.figure,
        this.tree.negative)}` : "");
  }

  #zoom(node) {
    if (node === undefined)
      return;
    this.focus = node;
    state.set({ zoom: this.tree.path(node) }, true);
  }

  #writePath() {
    const parts = [];
    for (let at = this.zoomed; at > 0; at = this.tree.parents[at])
      parts.unshift(make("button", { type: "button",
        onclick: () => this.#zoom(at) }, this.tree.label(at)));
    this.path.replaceChildren(...(parts.length === 0 ? [] : [
      make("button", { type: "button", onclick: () => this.#zoom(0) }, "all"),
      ...parts,
      make("button", { type: "button",
        onclick: () => state.set({ only: `^${this.tree.label(this.zoomed)
          .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`, zoom: "" }, true),
      }, "only this"),
    ]));
  }

  /* Enter zooms, arrows go to the caller, the heaviest callee, a neighbour. */
  #press(event) {
    const tree = this.tree, at = this.focus;
    const outwards = state.get("up") === "yes" ? "ArrowDown" : "ArrowUp";
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
    } else
      return;
    event.preventDefault();
    if (next >= 0) {
      this.focus = next;
      this.#draw();
      this.#say(next);
    }
  }

  svg() {
    const width = this.root.clientWidth;
    const pen = new SvgPen(width, this.levels * ROW,
      getComputedStyle(this.canvas).color);
    this.#paint(pen, width);
    return pen.svg;
  }

  rows() {
    return [["call", "place", "depth", "total", "own"],
      ...this.frames.filter((frame) => frame.node > 0).map(({ node }) => [
        this.tree.label(node), this.app.profile.place(this.tree.name(node)),
        this.tree.depths[node], this.tree.totals[node],
        this.tree.own(node)])];
  }
}
