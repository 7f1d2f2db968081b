/* SPDX-License-Identifier: Apache-2.0 */
/* pens.js - frames of a flame graph, on a canvas */
import { make } from "../elements.js";

export const ROW = 20, LEAST_TEXT = 28, PADDING = 4;

const SCOPES = /^(thread )?.*::(?!operator\b)/;
const NARROWEST = 1, FONT = "system-ui, sans-serif", ABOVE = 20;

const pen = make("canvas").getContext("2d");
pen.font = `12px ${FONT}`;
export const widthOf = (text) => pen.measureText(text).width;

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
      frames.push({ node: -1, x: start, width: minor, depth: depth + 1,
        value: (minor / width) * whole });
  }
  return frames;
}

/* Cut a text to fit, its scopes first, or return "". */
export function cut(text, width, measure) {
  const room = width - 2 * PADDING, short = text.replace(SCOPES, "$1");
  const part = text.slice(0, 400);
  const wide = measure(part) * (text.length / Math.max(part.length, 1));
  if (wide <= room) return text;
  if (short !== text) return cut(short, width, measure);
  const shown = text.slice(0, Math.max((text.length * room) / wide - 1, 0));
  return shown.length < 3 ? "" : `${shown}\u2026`;
}

/* Lines for mmap memory, to lie above a colour. */
export function hatched(context, ink) {
  const tile = make("canvas", { width: 6, height: 6 });
  const lines = tile.getContext("2d");
  lines.strokeStyle = ink;
  lines.globalAlpha = 0.4;
  for (const x of [-3, 3, 9]) {
    lines.moveTo(x - 4, 7);
    lines.lineTo(x + 4, -1);
  }
  lines.stroke();
  return context.createPattern(tile, "repeat");
}

/* Return a context that is clear, with room for so many pixels. */
export function clearContext(canvas, width, height) {
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
  return context;
}
