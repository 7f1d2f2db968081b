/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.js - stacks, heaps and slabs that a program shares out itself: how
 * full they were over time, at most, and in pieces
 */
import { axisBottom } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { select } from "d3-selection";
import { area, curveStepAfter } from "d3-shape";

import { facts, make, makeSvg } from "./elements.js";
import { bytes, count, percent, seconds } from "./numbers.js";
import { View } from "./view.js";

const HEIGHT = 90, FOOT = 24;

export class RegionsView extends View {
  update() {
    const { regions } = this.profile.head;
    this.root.replaceChildren(...regions.map((region) =>
      this.#region(region)));
    for (const [index, region] of regions.entries()) {
      if (region.points?.length > 0)
        this.#plot(this.root.children[index], region);
    }
  }

  #region(region) {
    const known = [
      ["used", `${bytes(region.used)} of ${bytes(region.size)}, ` +
        percent(region.used, region.size)],
      ["at most", `${bytes(region.peak)}, ` +
        `${percent(region.peak, region.size)}${region.peak_place ===
        undefined ? "" : `, at ${this.#place(region.peak_place)}`}`],
      ["trend", region.trend],
      ["largest free piece", region.largest ?? null, bytes],
      ["refused", region.refused, count],
      ["waiting now", region.waiting, count],
      ["longest wait", region.longest_wait_ns, seconds],
    ].filter(([, value]) => value !== undefined && value !== null);
    return make("section", {}, make("h2", {},
      `${region.kind} ${region.name ?? region.address}`),
    facts(known.map(([name, value, say = String]) => [name, say(value)])));
  }

  #place(place) {
    return this.profile.head.has_times ? seconds(place) :
      `event ${count(place + 1)}`;
  }

  /* Steps: what a point says holds until the next one. */
  #plot(section, region) {
    const { width } = this;
    const x = scaleLinear().domain([0, this.profile.head.last || 1])
      .range([40, width - 40]);
    const y = scaleLinear().domain([0, region.size || 1])
      .range([HEIGHT - FOOT, 2]);
    const svg = makeSvg("svg", { class: "time", role: "img",
      viewBox: `0 0 ${width} ${HEIGHT}`,
      "aria-label": `${region.name ?? region.address} over time` });
    const points = [...region.points,
      [this.profile.head.last, region.used]];
    select(svg).append("path").attr("class", "used").attr("d", area()
      .x((one) => x(one[0])).y0(y(0)).y1((one) => y(one[1]))
      .curve(curveStepAfter)(points));
    select(svg).append("path").attr("class", "line")
      .attr("d", `M${x.range()[0]},${y(region.peak)}H${x.range()[1]}`);
    select(svg).append("g").attr("transform", `translate(0,${HEIGHT - FOOT})`)
      .call(axisBottom(x).tickValues(x.ticks(Math.floor(width / 110))
        .filter(Number.isInteger)).tickFormat((place) => this.#place(place)));
    section.append(svg);
  }

  rows() {
    return [["kind", "name", "address", "size", "used", "peak"],
      ...this.profile.head.regions.map((one) => [one.kind,
        one.name ?? "", one.address, one.size, one.used, one.peak])];
  }
}
