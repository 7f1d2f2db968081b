/* SPDX-License-Identifier: Apache-2.0 */
/* pens.js - frames of a flame graph, on a canvas or as elements of SVG */
import { makeSvg } from "./elements.js";

export const ROW = 20;

export const LEAST_TEXT = 28;

const PADDING = 4, FONT = "12px system-ui, sans-serif";

/* As much of a text as fits, or nothing. */
export function cut(text, width, measure) {
  const room = width - 2 * PADDING;
  const wide = measure(text.length > 400 ? text.slice(0, 400) : text);
  if (wide <= room)
    return text;
  const part = text.slice(0, Math.floor((text.length * room) / wide) - 1);
  return part.length < 3 ? "" : `${part}\u2026`;
}

export class CanvasPen {
  constructor(canvas, width, height) {
    const scale = window.devicePixelRatio || 1;
    const wide = Math.floor(width * scale), high = Math.floor(height * scale);
    this.context = canvas.getContext("2d");
    canvas.parentNode.style.height = `${height}px`;
    if (canvas.width !== wide || canvas.height < high) {
      canvas.width = wide;
      canvas.height = high;
      canvas.style.height = `${height}px`;
    } else { /* a new canvas takes its time: what is below stays hidden */
      this.context.clearRect(0, 0, width, height);
    }
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.font = FONT;
    this.context.textBaseline = "middle";
    this.ink = getComputedStyle(canvas).color;
  }

  /* Of rectangles and texts until the next one. */
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

export class SvgPen {
  constructor(width, height, ink) {
    this.color = this.ink = ink;
    this.svg = makeSvg("svg", {
      xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`,
      width: "100%", "font-family": "system-ui, sans-serif", "font-size": 12,
    });
  }

  #add(name, attributes, ...children) {
    this.svg.append(makeSvg(name, attributes, ...children));
  }

  rect(x, y, width) {
    this.#add("rect", { x, y, width: Math.max(width - 0.5, 0.5),
      height: ROW - 1, fill: this.color });
  }

  outline(x, y, width, stroke) {
    this.#add("rect", { x: x + 0.5, y: y + 0.5, width: Math.max(width - 1.5, 1),
      height: ROW - 2, fill: "none", stroke });
  }

  foot(from, y, to) {
    this.#add("rect", { x: from, y: y + ROW - 3, width: to - from, height: 2,
      fill: this.ink });
  }

  text(x, y, width, text) {
    const shown = cut(text, width, (part) => part.length * 7.5);
    if (shown !== "")
      this.#add("text", { x: x + PADDING, y: y + ROW / 2 + 4, fill: this.ink },
        shown);
  }
}
