/* SPDX-License-Identifier: Apache-2.0 */
/* sparkline.js - live bytes over time as a small line */
import { makeSvg } from "./elements.js";

export function sparkline(series, width = 80, height = 18) {
  const most = series.reduce((a, b) => Math.max(a, b), 1);
  const points = Array.from(series, (value, index) =>
    `${((index / Math.max(series.length - 1, 1)) * width).toFixed(1)},` +
    `${(height - 1 - (Math.max(value, 0) / most) * (height - 2)).toFixed(1)}`);
  return makeSvg("svg", { class: "spark", width, height,
    "aria-hidden": "true" },
  makeSvg("polyline", { points: points.join(" "), fill: "none",
    stroke: "currentColor" }));
}
