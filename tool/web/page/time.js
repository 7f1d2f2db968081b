/* SPDX-License-Identifier: Apache-2.0 */
/*
 * time.js - who held how much over time, what of the program lay in memory, and
 * how fast it allocated; a brush chooses the interval of all views
 */
import { axisLeft } from "d3-axis";
import { brushX } from "d3-brush";
import { scaleLinear } from "d3-scale";
import { event as current, select } from "d3-selection";
import { area, curveStepAfter, curveStepBefore, line, stack } from "d3-shape";

import { button, legend, make, makeSvg } from "./elements.js";
import { bytes, exactly } from "./numbers.js";
import * as state from "./state.js";
import { View } from "./view.js";

const GREATEST = 7, TOP = 10, LEFT = 84, RIGHT = 28;
const BOTTOM = 300, RATE_TOP = 336, RATE_BOTTOM = 412, HEIGHT = 440;
const BYTES = { key: "live-bytes", unit: "bytes" };

/* Some round sizes up to the most. */
function binaryTicks(most, wanted) {
  const step = 2 ** Math.max(0, Math.ceil(Math.log2(most / wanted)));
  return Array.from({ length: Math.floor(most / step) + 1 },
    (_, index) => index * step);
}

function greatest(values) {
  return values.reduce((a, b) => Math.max(a, b), 0);
}

export class TimeView extends View {
  constructor() {
    super();
    this.svg = makeSvg("svg", { class: "time", role: "img", tabindex: 0,
      "aria-label": "live bytes, resident bytes and bytes allocated a second " +
      "over time" });
    this.svg.addEventListener("keydown", (event) => this.#press(event));
    this.legend = make("div");
    this.said = make("p", { class: "said", role: "status" });
    this.root.append(this.said, this.svg, this.legend);
  }

  /* Numbers of the rows that held most at some instant, the greatest first. */
  #rows() {
    const { selection, profile: { columns } } = this;
    const inherited = selection.sums(columns["inherited-bytes"] ?? []);
    const sums = selection.rowSums("total-bytes" in columns ?
      "total-bytes" : "live-bytes").map((sum, row) => sum + inherited[row]);
    const all = selection.greatest(sums).slice(0, 200);
    const most = selection.series(all).map(greatest);
    return [...all.keys()].filter((index) => most[index] > 0)
      .sort((a, b) => most[b] - most[a]).slice(0, GREATEST)
      .map((index) => all[index]);
  }

  /* Collect series by row from the history, or the total from the timeline. */
  #collect() {
    const { profile, selection, colors } = this;
    const { timeline, resident_at: resident } = profile.head;
    const { areExact } = profile.estimates;
    if (profile.instants.length <= 1) {
      const series = [Float64Array.from(timeline, (one) => one.live_bytes)];
      return {
        series,
        times: timeline.map((one) => (one.ns ?? one.event) - profile.startNs),
        sampled: areExact ? [] : series[0],
        allocated: Float64Array.from(timeline, (one) => one.total_bytes),
        resident: [], name: () => "live bytes of the heap",
        color: () => colors.of(null, 4),
      };
    }
    const rows = this.#rows(), { names } = selection.rows;
    return {
      times: profile.instants, series: selection.series(rows), resident,
      sampled: areExact ? [] : selection.series([], selection.wanted.map(
        (is, end) => is && profile.isEstimate(end) ? 1 : 0))[0],
      allocated: profile.allocated(selection.wanted),
      name: (index) => index < rows.length ? this.words(rows[index])[0] :
        "all others",
      color: (index) => index < rows.length ?
        colors.ofRow(names[rows[index]], index) : colors.of(null, 4),
    };
  }

  update() {
    const { profile, width } = this;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    this.svg.replaceChildren();
    this.shown = this.#collect();
    this.x = scaleLinear().range([LEFT, width - RIGHT])
      .domain([0, this.shown.times[this.shown.times.length - 1]]);
    this.#drawHeld();
    if (profile.head.has_times)
      this.#drawRate();
    if (profile.instants.length > 1)
      this.#addBrush(width);
    this.#sayInterval();
  }

  #axis(y, bottom, ticks, format) {
    this.addTimes(this.svg, this.x, bottom);
    select(this.svg).append("g").attr("transform", `translate(${LEFT},0)`)
      .call(axisLeft(y).tickValues(binaryTicks(y.domain()[1], ticks))
        .tickFormat(format));
  }

  #add(kind, path, attributes, title) {
    this.svg.append(makeSvg("path", { class: kind, d: path, ...attributes },
      makeSvg("title", {}, title)));
  }

  #drawHeld() {
    const { times, series, resident, sampled, name, color } = this.shown;
    const { estimates, head: { process: image } } = this.profile;
    const layers = stack().keys([...series.keys()])
      .value((at, key) => Math.max(series[key][at], 0))([...times.keys()]);
    const sums = layers[layers.length - 1].map((one) => one[1]);
    const range = sums.map((sum, at) => estimates.of(BYTES, sum,
      (sampled[at] ?? 0) * estimates.steps[0]) ?? [sum, sum]);
    const most = Math.max(greatest(sums), greatest(resident), 1,
      greatest(range.map((one) => one[1])));
    const y = scaleLinear().domain([0, most * 1.03]).range([BOTTOM, TOP]);
    const shape = area().x((_, at) => this.x(times[at])).y0((one) => y(one[0]))
      .y1((one) => y(one[1])).curve(curveStepAfter);
    for (const layer of [...layers].reverse())
      this.#add("layer", shape(layer), { fill: color(layer.key) },
        name(layer.key));
    if (greatest(sampled) > 0)
      this.#add("open", shape(range), {}, "95 % interval");
    const known = line().x((_, at) => this.x(times[at])).y(y)
      .defined((value) => value > 0).curve(curveStepAfter);
    if (greatest(resident) > 0)
      this.#add("line", known(resident), {}, "resident memory");
    this.#axis(y, BOTTOM, 8, bytes);
    const entries = series.map((one, index) =>
      [`${name(index)}: at most ${bytes(greatest(one))}`, color(index)]);
    if (greatest(resident) > 0)
      entries.push([`the line: resident memory of process ${image.pid}, at ` +
        `most ${bytes(greatest(resident))}`, "var(--accent)"]);
    this.legend.replaceChildren(legend(entries));
  }

  /* Bytes a second since the instant before, or where instants of several
     processes lie close together, for some time. */
  #drawRate() {
    const { times, allocated } = this.shown;
    const least = times[times.length - 1] / times.length / 4;
    let from = 0;
    const rates = Array.from(times, (ns, at) => {
      while (from + 1 < at && times[from + 1] <= ns - least)
        from++;
      return at === 0 ? 0 : ((allocated[at] - allocated[from]) * 1e9) /
        Math.max(ns - times[from], least, 1);
    });
    const y = scaleLinear().domain([0, Math.max(greatest(rates), 1)])
      .range([RATE_BOTTOM, RATE_TOP]);
    this.shown.rates = rates;
    this.#add("used", area().x((_, at) => this.x(times[at])).y0(y(0)).y1(y)
      .curve(curveStepBefore)(rates), {}, "bytes allocated a second");
    this.svg.append(makeSvg("text", { x: LEFT + 6, y: RATE_TOP + 6 },
      "allocated a second"));
    this.#axis(y, RATE_BOTTOM, 2, (value) => `${bytes(value)}/s`);
  }

  #choose(from, to) {
    state.set(to > from ? { from: String(from), to: String(to),
      figure: "growth" } : { from: "", to: "" }, true);
  }

  #addBrush(width) {
    const { times } = this.shown, { interval } = this.selection;
    const brush = brushX().extent([[LEFT, TOP], [width - RIGHT, BOTTOM]]);
    const group = select(this.svg).append("g").attr("class", "brush")
      .call(brush);
    if (interval !== null)
      group.call(brush.move, interval.map((at) => this.x(times[at])));
    brush.on("end", () => this.#choose(...(current.selection ?? [LEFT, LEFT])
      .map((at) => this.profile.nearest(this.x.invert(at)))));
  }

  /* Arrows move the end of the interval, with Shift its begin. */
  #press(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const last = this.profile.instants.length - 1;
    if (step === undefined || last < 1)
      return;
    event.preventDefault();
    let [from, to] = this.selection.interval ?? [0, last];
    if (event.shiftKey)
      from = Math.max(0, Math.min(from + step, to - 1));
    else
      to = Math.max(from + 1, Math.min(to + step, last));
    this.#choose(from, to);
  }

  #sayInterval() {
    const { profile, selection } = this, { interval } = selection;
    if (profile.instants.length <= 1)
      this.said.textContent = "This source has live bytes over time in total " +
        "only, not by call." + (!(profile.head.process?.images > 1) ? "" :
        " All heaps are summed. For resident memory, open one process.");
    else if (interval === null)
      this.said.textContent = `${profile.instants.length} data points. ` +
        "Drag to select a time range (or Shift+arrows) for all views.";
    else
      this.said.replaceChildren(
        `From ${selection.times}: grew by ${exactly(BYTES, profile.sum(
          profile.own("growth", interval), selection.wanted))} `,
        button("whole run", () => state.set({ from: "", to: "" }, true)));
  }

  rows() {
    const { times, series, resident, rates = [], name } = this.shown;
    return [["ns", ...series.map((_, index) => name(index)),
      "allocated_per_second", "resident"],
    ...times.map((ns, at) => [ns, ...series.map((one) => one[at]),
      Math.round(rates[at] ?? 0), resident[at] || ""])];
  }
}
