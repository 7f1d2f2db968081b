/* SPDX-License-Identifier: Apache-2.0 */
/* pens.js - frames of a flame graph, on a canvas or as elements of SVG */
import { makeSvg } from "./elements.js";

export const ROW = 20;

const PADDING = 4, FONT = "12px system-ui, sans-serif";

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

export class CanvasPen {
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

  foot(from, y, to) {
    this.context.fillStyle = this.ink;
    this.context.fillRect(from, y + ROW - 3, to - from, 2);
  }

  text(x, y, width, text) {
    const shown = cut(text, width, (part) =>
      this.context.measureText(part).width);
    this.context.fillStyle = this.ink;
    this.context.fillText(shown, x + PADDING, y + ROW / 2);
  }
}

export class SvgPen {
  constructor(width, height, ink) {
    this.ink = ink;
    this.svg = makeSvg("svg", {
      xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`,
      width: "100%", "font-family": "system-ui, sans-serif", "font-size": 12,
    });
  }

  #add(name, attributes, ...children) {
    this.svg.append(makeSvg(name, attributes, ...children));
  }

  rect(x, y, width, fill) {
    this.#add("rect", { x, y, width: Math.max(width - 0.5, 0.5),
      height: ROW - 1, fill });
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
