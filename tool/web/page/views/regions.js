/* SPDX-License-Identifier: Apache-2.0 */
/* regions.js - stacks, heaps and slabs of a program, the fullest first */
import { scaleLinear } from "d3-scale";
import { area, curveStepAfter } from "d3-shape";

import { make, makeSvg, table } from "../elements.js";
import { bytes, count, moment, percent, seconds } from "../model/numbers.js";
import { LEFT, View } from "./view.js";

const HEIGHT = 110, TOP = 8, FOOT = 24, STEPS = 5, TICKS = 40;

const LINES = "Red dashes: capacity. Line: high-water mark. Ticks: refused " +
  "requests above, waiting ones below.";

/* least parts of a capacity, the highest first */
const LIGHTS = [[0.95, "full"], [0.8, "high"], [0, "low"]];

/* A region, what it was before, and what became of it. */
function pairOf({ before: was, ...region }) {
  const is = region.kind === undefined ? undefined : region;
  const [used, peak] = ["used", "peak"].map((key) =>
    (is?.[key] ?? 0) - (was?.[key] ?? 0));
  const grown = used || peak, seen = is ?? was;
  return { is, was, seen, fill: seen.peak / Math.max(seen.size, 1),
    title: [...new Set([seen.kind, seen.name ?? seen.address])].join(" "),
    state: was === undefined ? "new" : is === undefined ? "gone" :
      grown > 0 ? "grown" : grown < 0 ? "shrunk" : "as before" };
}

/* Columns: a title, and the text of a region, or null. */
const COLUMNS = [
  ["peak", (one) => `${bytes(one.peak)}, ${percent(one.peak, one.size)}` +
    (one.peak_place === undefined ? "" :
      `, at ${moment(one, one.peak_place)}`)],
  ["used", ({ used, size }) => `${bytes(used)}, ${percent(used, size)}`],
  ["size", ({ size }) => bytes(size)],
  ["trend", ({ trend, points = [] }) => points.length >= STEPS ? trend : null],
  ["largest free block", ({ largest }) => largest ?? null, bytes],
  ["refused", ({ refused }) => refused ?? null, count],
  ["waiting", ({ waiting }) => waiting ?? null, count],
  ["longest wait", (one) => one.longest_wait_ns ?? null, seconds],
];

export class RegionsView extends View {
  update() {
    const { regions, compared } = this.profile.head;
    this.pairs = regions.map(pairOf);
    const sorted = [...this.pairs].sort((a, b) => b.fill - a.fill);
    const columns = COLUMNS.filter(([, of]) =>
      sorted.some(({ seen }) => of(seen) !== null));
    this.root.replaceChildren(compared === undefined ? "" : make("p", {},
      `From ${compared.before} to ${compared.after}; dashed: before.`),
    make("div", { class: "wide", tabindex: 0, role: "region",
      "aria-label": "regions" }, table([["region"], ["fill"],
      ...columns.map(([title]) => [title, "number"]), ...(compared ? [["change"]] : [])],
    sorted.map((pair) => this.#row(pair, columns, compared)))),
    make("p", { class: "said" }, LINES), make("div", { class: "multiples" },
      ...sorted.map((pair) => this.#plot(pair))));
  }

  #row({ is, was, fill, title, state }, columns, compared) {
    const [, light] = LIGHTS.find(([least]) => fill >= least);
    const said = (one, [, of, say = String]) =>
      (of(one) ?? null) === null ? "" : say(of(one));
    return [make("th", { scope: "row" }, title),
      make("td", {}, make("span", { class: `light ${light}` }, light)),
      ...columns.map((column) => make("td", { class: "number" }, [...new Set([was, is]
        .filter(Boolean).map((one) => said(one, column)))].join(" \u2192 "))),
      ...(compared ? [make("td", {}, state)] : [])];
  }

  /* Steps: what a point says holds until the next one. */
  #plot({ seen, was, title }) {
    const width = Math.min(this.width, 420), right = width - 40;
    const sides = [...new Set([seen, was])].filter((one) =>
      one !== undefined && one.has_times === seen.has_times);
    const most = (key) => Math.max(...sides.map((side) => side[key] ?? 1), 1);
    const x = scaleLinear().domain([0, most("last")]).range([LEFT, right]);
    const y = scaleLinear().domain([0, most("size")])
      .range([HEIGHT - FOOT, TOP]);
    const svg = makeSvg("svg", { class: "time", role: "img",
      viewBox: `0 0 ${width} ${HEIGHT}`, "aria-label": `${title} over time` });
    const draw = (kind, d) => svg.append(makeSvg("path", { class: kind, d }));
    for (const side of sides) {
      const { points = [], used } = side, last = side.last || 1;
      draw(side === was ? "open" : "used", area().x((one) => x(one[0]))
        .y0(y(0)).y1((one) => y(one[1])).curve(curveStepAfter)([
          ...(points.length > 0 ? points : [[0, used]]), [last, used]]));
    }
    draw("line", `M${LEFT},${y(seen.peak)}H${right}`);
    draw("capacity", `M${LEFT},${y(seen.size)}H${right}`);
    for (const [kind, at, down] of [["refused", y(seen.size), -6],
      ["waiting", y(0), 6]]) {
      if (seen[kind] > 0)
        draw(kind, Array.from({ length: Math.min(seen[kind], TICKS) },
          (_, tick) => `M${right - 4 * tick},${at}v${down}`).join(""));
    }
    this.addBytes(svg, y, [0, seen.size]);
    if (seen.points?.length > 0) this.addTimes(svg, x, HEIGHT - FOOT, seen, 3);
    return make("section", {}, make("h2", {}, title), svg);
  }

  rows() {
    return [["kind", "name", "address", "size", "used", "peak", "used_before",
      "peak_before"], ...this.pairs.map(({ is, was, seen }) => [seen.kind,
      seen.name ?? "", seen.address, seen.size, is?.used ?? "",
      is?.peak ?? "", was?.used ?? "", was?.peak ?? ""])];
  }
}
