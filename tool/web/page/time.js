/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.js - who held how much over time; a brush chooses the interval of all
 * views
 */
import { axisBottom, axisLeft } from "d3-axis";
import { brushX } from "d3-brush";
import { scaleLinear } from "d3-scale";
import { event as current, select } from "d3-selection";
import { area, curveStepAfter, line, stack } from "d3-shape";

import { bytes, exactly, seconds } from "./numbers.js";
import { make, makeSvg, swatch } from "./elements.js";
import * as state from "./state.js";

const GREATEST = 7, HEIGHT = 320, MARGIN = { left: 76, right: 12, top: 10,
  bottom: 28 };

/* Some four to eight round sizes up to the most. */
function binaryTicks(most) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(most / 8)));
  return Array.from({ length: Math.floor(most / step) + 1 },
    (_, index) => index * step);
}

export class TimeView {
  constructor(app) {
    this.app = app;
    this.svg = makeSvg("svg", { class: "time", role: "img",
      "aria-label": "live bytes over time" });
    this.legend = make("ul", { class: "legend" });
    this.said = make("p", { class: "said", role: "status" });
    this.root = make("div", {}, this.said, this.svg, this.legend);
  }

  /* Numbers of the rows that held most at some instant, the greatest first. */
  #greatest() {
    const { selection } = this.app;
    const sums = selection.rowSums("total-bytes" in
      this.app.profile.columns ? "total-bytes" : "live-bytes");
    const all = [...sums.keys()].sort((a, b) => sums[b] - sums[a])
      .slice(0, 200);
    const series = selection.series(all);
    const most = all.map((row, index) =>
      [row, series[index].reduce((a, b) => Math.max(a, b), 0)]);
    return most.filter((one) => one[1] > 0).sort((a, b) => b[1] - a[1])
      .slice(0, GREATEST).map((one) => one[0]);
  }

  update() {
    const { profile } = this.app;
    const width = Math.max(this.root.clientWidth, 300);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.svg.replaceChildren();
    this.legend.replaceChildren();
    if (profile.instants.length > 1)
      this.#drawHistory(width);
    else if (profile.head.timeline.length > 1)
      this.#drawTimeline(width);
    else
      this.said.textContent = "The source has nothing over time.";
  }

  #axes(width, x, y) {
    const root = select(this.svg);
    root.append("g").attr("transform", `translate(0,${HEIGHT - MARGIN.bottom})`)
      .call(axisBottom(x).ticks(Math.floor(width / 110))
        .tickFormat((ns) => seconds(ns)));
    root.append("g").attr("transform", `translate(${MARGIN.left},0)`)
      .call(axisLeft(y).tickValues(binaryTicks(y.domain()[1]))
        .tickFormat((value) => bytes(value)));
  }

  #scales(width, last, most) {
    return [
      scaleLinear().domain([0, last]).range([MARGIN.left, width -
        MARGIN.right]),
      scaleLinear().domain([0, most * 1.03])
        .range([HEIGHT - MARGIN.bottom, MARGIN.top]),
    ];
  }

  #drawHistory(width) {
    const { profile, selection, colors } = this.app;
    const rows = this.#greatest(), series = selection.series(rows);
    const instants = profile.instants;
    const layers = stack().keys([...series.keys()])
      .value((instant, key) => Math.max(series[key][instant], 0))(
        [...instants.keys()]);
    const most = layers[layers.length - 1]
      .reduce((a, b) => Math.max(a, b[1]), 1);
    const [x, y] = this.#scales(width, instants[instants.length - 1], most);
    const shape = area().x((_, index) => x(instants[index]))
      .y0((one) => y(one[0])).y1((one) => y(one[1])).curve(curveStepAfter);
    const name = (index) => index < rows.length ?
      profile.label(selection.rows.names[rows[index]].name) : "all others";
    const color = (index) => colors.of(index < rows.length ?
      profile.module(selection.rows.names[rows[index]].name) : null,
    (index % 3) * 6);
    for (const layer of [...layers].reverse())
      select(this.svg).append("path").attr("d", shape(layer))
        .attr("fill", color(layer.key)).attr("class", "layer")
        .append("title").text(name(layer.key));
    this.legend.replaceChildren(...series.map((one, index) => make("li", {},
      swatch(color(index)), ` ${name(index)}: at most ` +
      bytes(one.reduce((a, b) => Math.max(a, b), 0)))));
    this.#axes(width, x, y);
    this.#addBrush(width, x);
    this.shown = { instants, series, name };
    this.#sayInterval();
  }

  #drawTimeline(width) {
    const timeline = this.app.profile.head.timeline, start = timeline[0][0];
    const most = timeline.reduce((a, b) => Math.max(a, b[1]), 1);
    const [x, y] = this.#scales(width, timeline[timeline.length - 1][0] -
      start, most);
    select(this.svg).append("path").attr("class", "line").attr("d", line()
      .x((one) => x(one[0] - start)).y((one) => y(one[1]))(timeline));
    this.#axes(width, x, y);
    this.shown = null;
    this.said.textContent = "Live bytes of the heap. This source does not " +
      "tell who held them at each instant.";
  }

  #addBrush(width, x) {
    const instants = this.app.profile.instants;
    const interval = this.app.selection.interval;
    const brush = brushX().extent([[MARGIN.left, MARGIN.top],
      [width - MARGIN.right, HEIGHT - MARGIN.bottom]]);
    const group = select(this.svg).append("g").attr("class", "brush")
      .call(brush);
    if (interval !== null)
      group.call(brush.move, interval.map((at) => x(instants[at])));
    brush.on("end", () => {
      const [from, to] = current.selection === null ? [0, 0] :
        current.selection.map((at) => this.#nearest(instants, x.invert(at)));
      state.set(to > from ? { from: String(from), to: String(to),
        figure: "growth" } : { from: "", to: "" }, true);
    });
  }

  #nearest(instants, ns) {
    let best = 0;
    for (let i = 1; i < instants.length; i++) {
      if (Math.abs(instants[i] - ns) < Math.abs(instants[best] - ns))
        best = i;
    }
    return best;
  }

  #sayInterval() {
    const { profile, selection } = this.app, interval = selection.interval;
    if (interval === null) {
      this.said.textContent = `${profile.instants.length} instants. Draw over ` +
        "the picture to choose an interval for all views.";
      return;
    }
    const grown = profile.sum(profile.own("growth", interval),
      selection.wanted);
    this.said.replaceChildren(
      `From ${seconds(profile.instants[interval[0]])} to ` +
      `${seconds(profile.instants[interval[1]])}: grew by ` +
      `${exactly({ unit: "bytes" }, grown)} `,
      make("button", { type: "button",
        onclick: () => state.set({ from: "", to: "" }, true) }, "all of it"));
  }

  rows() {
    if (!this.shown)
      return [["ns", "live_bytes"],
        ...this.app.profile.head.timeline.map((one) => [one[0], one[1]])];
    const { instants, series, name } = this.shown;
    return [["ns", ...series.map((_, index) => name(index))],
      ...instants.map((ns, at) => [ns, ...series.map((one) => one[at])])];
  }
}
