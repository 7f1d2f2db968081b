/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.js - stacks, heaps and slabs that a program shares out itself: how
 * full they were over time, at most, and in pieces; of two traces what they
 * were before stands beside it
 */
import { scaleLinear } from "d3-scale";
import { area, curveStepAfter } from "d3-shape";

import { facts, make, makeSvg } from "./elements.js";
import { bytes, count, exactly, moment, percent, seconds, signed }
  from "./numbers.js";
import { View } from "./view.js";

const HEIGHT = 90, FOOT = 24, BYTES = { unit: "bytes" };

/* A region, what it was before, and what became of it. */
function pairOf({ before: was, ...region }) {
  const is = region.kind === undefined ? undefined : region;
  const [used, peak] = ["used", "peak"].map((key) =>
    (is?.[key] ?? 0) - (was?.[key] ?? 0));
  const grown = used || peak;
  return { is, was, seen: is ?? was, used, peak, state: was === undefined ?
    "new" : is === undefined ? "gone" : grown > 0 ? "grown" : grown < 0 ?
      "shrunk" : "as before" };
}

function known(region, when = "") {
  return region === undefined ? [] : [
    ["used", `${bytes(region.used)} of ${bytes(region.size)}, ` +
      percent(region.used, region.size)],
    ["at most", `${bytes(region.peak)}, ` +
      `${percent(region.peak, region.size)}${region.peak_place ===
      undefined ? "" : `, at ${moment(region, region.peak_place)}`}`],
    ["trend", region.trend],
    ["largest free piece", region.largest, bytes],
    ["refused", region.refused, count],
    ["waiting now", region.waiting, count],
    ["longest wait", region.longest_wait_ns, seconds],
  ].map(([name, ...rest]) => [name + when, ...rest]);
}

export class RegionsView extends View {
  update() {
    const { regions, compared } = this.profile.head;
    this.pairs = regions.map(pairOf);
    this.root.replaceChildren(compared === undefined ? "" : make("p", {},
      `From ${compared.before} to ${compared.after}; dashed: before.`),
    ...this.pairs.map((pair) => this.#region(pair, compared !== undefined)));
  }

  #region({ is, was, seen, state, used, peak }, isCompared) {
    const by = (value) => signed(exactly(BYTES, value), value);
    return make("section", {}, make("h2", {}, `${seen.kind} ` +
      `${seen.name ?? seen.address}${isCompared ? `: ${state}` : ""}`),
    facts([...(isCompared ?
      [["growth", `used ${by(used)}, at most ${by(peak)}`]] : []),
    ...known(is), ...known(was, " before")]), this.#plot(seen, was));
  }

  /* Steps: what a point says holds until the next one. */
  #plot(seen, was) {
    const { width } = this, sides = [...new Set([seen, was])].filter((one) =>
      one?.points?.length > 0 && one.has_times === seen.has_times);
    if (sides.length === 0)
      return null;
    const most = (key) => Math.max(...sides.map((side) => side[key]), 1);
    const x = scaleLinear().domain([0, most("last")]).range([40, width - 40]);
    const y = scaleLinear().domain([0, most("size")])
      .range([HEIGHT - FOOT, 2]);
    const svg = makeSvg("svg", { class: "time", role: "img",
      viewBox: `0 0 ${width} ${HEIGHT}`,
      "aria-label": `${seen.name ?? seen.address} over time` });
    const draw = (kind, d) => svg.append(makeSvg("path", { class: kind, d }));
    for (const side of sides)
      draw(side === was ? "open" : "used", area().x((one) => x(one[0]))
        .y0(y(0)).y1((one) => y(one[1])).curve(curveStepAfter)([...side.points,
          [side.last, side.used]]));
    draw("line", `M40,${y(seen.peak)}H${width - 40}`);
    this.addTimes(svg, x, HEIGHT - FOOT, seen);
    return svg;
  }

  rows() {
    return [["kind", "name", "address", "size", "used", "peak", "used_before",
      "peak_before"], ...this.pairs.map(({ is, was, seen }) => [seen.kind,
      seen.name ?? "", seen.address, seen.size, is?.used ?? "",
      is?.peak ?? "", was?.used ?? "", was?.peak ?? ""])];
  }
}
