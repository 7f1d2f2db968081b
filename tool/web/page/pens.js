/* SPDX-License-Identifier: Apache-2.0 */
/* pens.js - frames of a flame graph, on a canvas or as elements of SVG */
import { makeSvg } from "./elements.js";

export const ROW = 20, LEAST_TEXT = 28;

const NARROWEST = 1, PADDING = 4, FONT = "system-ui, sans-serif", ABOVE = 20;

/* Frames that are seen: the nearest above the zoomed one are as wide as all. */
export function layOut(tree, zoomed, width) {
  const frames = [], whole = tree.totals[zoomed];
  const base = Math.max(tree.depths[zoomed] - ABOVE, 0);
  for (let at = tree.parents[zoomed]; tree.depths[at] >= base;
    at = tree.parents[at])
    frames.push({ node: at, x: 0, width, depth: tree.depths[at] - base });
  const waiting = [{ node: zoomed, x: 0 }];
  while (waiting.length > 0) {
    const { node, x } = waiting.pop();
    const size = whole > 0 ? (tree.totals[node] / whole) * width : width;
    const depth = tree.depths[node] - base;
    frames.push({ node, x, width: size, depth });
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
      frames.push({ node: -1, x: start, width: minor, depth: depth + 1 });
  }
  return frames;
}

/* Cut a text to fit, or return "". */
export function cut(text, width, measure) {
  const room = width - 2 * PADDING;
  const wide = measure(text.length > 400 ? text.slice(0, 400) : text);
  if (wide <= room)
    return text;
  const part = text.slice(0, Math.floor((text.length * room) / wide) - 1);
  return part.length < 3 ? "" : `${part}\u2026`;
}

/* On what draws as a canvas does. */
class Pen {
  constructor(context, ink, svg) {
    Object.assign(this, { context, ink, svg });
  }

  /* Set the color of the next rectangles and texts. */
  set color(color) {
    this.context.fillStyle = color;
  }

  rect(x, y, width) {
    this.context.fillRect(x, y, Math.max(width - 0.5, 0.5), ROW - 1);
  }

  outline(x, y, width, color) {
    this.context.strokeStyle = color;
    this.context.lineWidth = 2;
    this.context.strokeRect(x + 1, y + 1, Math.max(width - 2.5, 1), ROW - 3);
  }

  foot(from, y, to) {
    this.context.fillRect(from, y + ROW - 3, to - from, 2);
  }

  text(x, y, width, text) {
    const shown = cut(text, width, (part) =>
      this.context.measureText(part).width);
    this.context.fillText(shown, x + PADDING, y + ROW / 2, width - PADDING);
  }
}

export function canvasPen(canvas, width, height) {
  const scale = window.devicePixelRatio || 1, context = canvas.getContext("2d");
  const wide = Math.floor(width * scale), high = Math.floor(height * scale);
  canvas.parentNode.style.height = `${height}px`;
  if (canvas.width !== wide || canvas.height < high) {
    canvas.width = wide;
    canvas.height = high;
    canvas.style.height = `${height}px`;
  } else { /* a new canvas takes its time: what is below stays hidden */
    context.clearRect(0, 0, width, height);
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = `12px ${FONT}`;
  context.textBaseline = "middle";
  return new Pen(context, getComputedStyle(canvas).color);
}

export function svgPen(width, height, ink) {
  const svg = makeSvg("svg", { viewBox: `0 0 ${width} ${height}`,
    "font-family": FONT, "font-size": 12, "dominant-baseline": "central" });
  const context = {
    measureText: (text) => ({ width: text.length * 7.5 }),
    fillRect: (x, y, wide, high) => svg.append(makeSvg("rect",
      { x, y, width: wide, height: high, fill: context.fillStyle })),
    strokeRect: (x, y, wide, high) => svg.append(makeSvg("rect",
      { x, y, width: wide, height: high, fill: "none",
        stroke: context.strokeStyle, "stroke-width": context.lineWidth })),
    fillText: (text, x, y) => svg.append(makeSvg("text",
      { x, y, fill: context.fillStyle }, text)),
  };
  return new Pen(context, ink, svg);
}
