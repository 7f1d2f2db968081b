/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.js - memory over time; a brush chooses the interval of all views */
import { bisectRight, range } from "d3-array";
import { brushX } from "d3-brush";
import { scaleLinear } from "d3-scale";
import { event as current, select } from "d3-selection";
import { area, curveStepAfter, line, stack } from "d3-shape";

import { isDark } from "./colors.js";
import { hatch, hideTip, make, makeSvg, showTip } from "./elements.js";
import { bytes, greatest, moment } from "./model/numbers.js";
import { cut, widthOf } from "./views/pens.js";
import * as state from "./model/state.js";
import { LEFT, View } from "./views/view.js";

const GREATEST = 7, TOP = 14, RIGHT = 16;
const NAMES = 210, WIDE = 900, STEP = 13, NEAR = 8; /* of the layers' names */
const BOTTOM = 118, RATE_TOP = 122, RATE_BOTTOM = 142, HEIGHT = 164;
const BYTES = { key: "live-bytes", unit: "bytes" };

export class Timeline extends View {
  constructor() {
    super();
    this.svg = makeSvg("svg", { class: "time", role: "img", tabindex: 0,
      id: "timeline", "aria-label": "live bytes, resident bytes and bytes " +
      "allocated a second over time", "aria-describedby": "time-said",
      onkeydown: (event) => this.#press(event),
      onmousemove: (event) => this.#point(event),
      onmouseleave: () => hideTip(this.cross.setAttribute("d", "")) });
    this.said = make("p", { id: "time-said", class: "said" });
    this.root.append(this.svg, this.said);
  }

  /* Rows that held most at some instant, the greatest first; growths last. */
  #rows() {
    const { selection, profile } = this, { columns } = profile;
    const inherited = selection.sums(profile.column("inherited-bytes"));
    const sums = selection.sums(profile.own("total-bytes" in columns ?
      "total-bytes" : "live-bytes", null)).map((sum, row) =>
      sum + inherited[row]);
    const all = selection.greatest(sums).slice(0, 200);
    const most = selection.series(all).slice(0, -1).map(greatest);
    return selection.greatest(most).slice(0, GREATEST).map((at) => all[at])
      .sort((a, b) => this.#grows(b) - this.#grows(a));
  }

  #grows(row) {
    return this.profile.findings.some(({ kind, name }) =>
      kind === "growth" && name === this.words(row)[0]);
  }

  /* Collect series by row from the history, or the total from the timeline. */
  #collect() {
    const { profile, selection, colors } = this;
    const { timeline, resident_at: resident } = profile.head;
    const { areExact } = profile.estimates;
    if (profile.instants.length <= 1) {
      const series = [Float64Array.from(timeline, (one) => one.live_bytes)];
      return {
        series, rows: [],
        times: timeline.map((one) => (one.ns ?? one.event) - profile.startNs),
        sampled: areExact ? [] : series[0],
        allocated: Float64Array.from(timeline, (one) => one.total_bytes),
        resident: [], name: () => "live bytes of the heap",
        color: () => colors.grey(4),
      };
    }
    const rows = this.#rows(), { names } = selection.rows;
    return {
      rows, times: profile.instants, series: selection.series(rows), resident,
      sampled: areExact ? [] : selection.series([], selection.wanted.map(
        (is, end) => is && profile.isEstimate(end) ? 1 : 0))[0],
      allocated: profile.allocated(selection.wanted),
      name: (index) => index < rows.length ? this.words(rows[index])[0] :
        "all others",
      color: (index) => index < rows.length ?
        colors.ofRow(names[rows[index]]) : colors.grey(4),
    };
  }

  /* Only the brush moves when what is drawn stays. */
  update() {
    const { profile, width } = this;
    const drawn = `${width} ${isDark} ` +
      state.all(["only", "without", "kind", "fold", "lines"]);
    profile.once("timeline", drawn, () => this.#draw(width));
    if (this.brush !== undefined) {
      const { interval } = this.selection, { x, shown: { times } } = this;
      this.isMoved = true;
      this.group.call(this.brush.move, interval?.map((at) => x(times[at])) ??
        null);
      this.isMoved = false;
    }
  }

  #draw(width) {
    const { profile, svg } = this, count = profile.instants.length;
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.replaceChildren(hatch("hatch-time"));
    this.shown = this.#collect();
    this.right = width < WIDE ? RIGHT : RIGHT + NAMES;
    this.x = scaleLinear().range([LEFT, width - this.right])
      .domain([0, this.shown.times[this.shown.times.length - 1]]);
    this.#drawHeld();
    if (profile.head.has_times) this.#drawRate();
    this.addTimes(svg, this.x, RATE_BOTTOM);
    this.brush = count > 1 ? this.#addBrush(width) : undefined;
    svg.append(this.cross = makeSvg("path", { class: "cross" }));
    this.said.className = count > 1 ? "unseen" : "said";
    this.said.textContent = count > 1 ? `${count} data points. Drag to ` +
      "select a time range (or Shift+arrows) for all views." :
      "This source has live bytes over time in total only, not by call." +
      (!(profile.head.process?.images > 1) ? "" :
        " All heaps are summed. For resident memory, open one process.");
    return true;
  }

  #add(kind, d, attributes = {}) {
    this.svg.append(makeSvg("path", { class: kind, d, ...attributes }));
  }

  #write(kind, x, y, text, anchor = "start") {
    this.svg.append(makeSvg("text", { class: kind, x, y,
      "text-anchor": anchor }, text));
  }

  #drawHeld() {
    const { times, series, rows, resident, sampled, color } = this.shown;
    const { estimates } = this.profile, { x } = this;
    const layers = stack().keys([...series.keys()])
      .value((at, key) => Math.max(series[key][at], 0))([...times.keys()]);
    const sums = layers[layers.length - 1].map((one) => one[1]);
    const open = sums.map((sum, at) => estimates.of(BYTES, sum,
      (sampled[at] ?? 0) * estimates.steps[0]) ?? [sum, sum]);
    const most = Math.max(greatest(sums), greatest(resident), 1,
      greatest(open.map((one) => one[1])));
    const y = scaleLinear().domain([0, most]).range([BOTTOM, TOP]);
    const shape = area().x((_, at) => x(times[at])).y0((one) => y(one[0]))
      .y1((one) => y(one[1])).curve(curveStepAfter);
    for (const layer of [...layers].reverse()) {
      this.#add("layer", shape(layer), { fill: color(layer.key) });
      if (this.selection.rows.names[rows[layer.key]]?.kind === 1)
        this.#add("layer", shape(layer), { fill: "url(#hatch-time)" });
    }
    if (greatest(sampled) > 0) this.#add("open", shape(open));
    this.#add("line", line().x((_, at) => x(times[at])).y(y)
      .defined((value) => value > 0).curve(curveStepAfter)(resident) ?? "");
    this.addBytes(this.svg, y, range(0, most + 1,
      2 ** Math.max(0, Math.ceil(Math.log2(most / 4))))); /* round sizes */
    this.#listLayers(greatest(sums));
    Object.assign(this.shown, { sums, shape });
    this.#pinPeak(y);
    this.#pinFindings(y, layers);
  }

  /* Name the layers and the line, in their order, where there is room. */
  #listLayers(most) {
    const { series, name, color, resident } = this.shown;
    const lines = [...series.keys()].reverse().filter((key) =>
      greatest(series[key]) > most / 500).map((key) => [name(key), color(key)]);
    if (greatest(resident) > 0) lines.push(["resident", "var(--accent)"]);
    for (const [at, [text, fill]] of this.right === RIGHT ? [] :
      lines.entries()) {
      const x = this.width - NAMES, y = TOP + at * STEP;
      this.svg.append(makeSvg("rect", { x, y: y - 9, width: 9,
        height: text === "resident" ? 3 : 9, fill }));
      this.#write("name", x + 14, y, cut(text, NAMES - 14, widthOf));
    }
  }

  /* Say that no data point met a short peak: heap.c has the same limit. */
  #pinPeak(y) {
    const { sums, times } = this.shown, peak = greatest(sums);
    const x = this.x(times[sums.indexOf(peak)]), isLate = x > this.width / 2;
    const isMet = peak >= 0.9 * this.profile.head.peak_bytes;
    this.#add("pin", `M${x},${y(peak)}V${TOP - 10}`);
    this.#write("pin", x + (isLate ? -4 : 4), TOP - 4,
      `peak${isMet ? "" : " of data points"}: ${bytes(peak)}`,
      isLate ? "end" : "start");
  }

  /* Shade the layer of a growth; flag a leak at the end, churn where most was
     allocated between two data points, others where live bytes are greatest. */
  #pinFindings(y, layers) {
    const { selection, profile, shown } = this;
    const { rows, series, sums, shape } = shown;
    const names = selection.rows.names.map((_, row) => this.words(row)[0]);
    shown.pins = [];
    for (const { kind, name: sought } of profile.findings) {
      const row = names.indexOf(sought), key = rows.indexOf(row);
      if (row < 0 || rows.length === 0) continue;
      if (kind === "growth" && key >= 0) this.#add("grown", shape(layers[key]));
      const [held] = key >= 0 && kind !== "churn" ? [series[key]] :
        selection.series([row], undefined, kind !== "churn");
      const last = held.length - 1, some = kind !== "churn" ? held :
        held.map((one, at) => one - (held[at - 1] ?? 0));
      if (!(greatest(held) > 0)) continue;
      const at = kind === "leak" ? last : some.indexOf(greatest(some));
      const x = this.x(shown.times[at]), seen = Math.min(at, last - 1);
      const top = y(key < 0 ? sums[seen] : layers[key][seen][1]) - 8 *
        shown.pins.filter((pin) => Math.abs(pin.x - x) < NEAR).length;
      this.#add("flag", `M${x},${Math.max(top, 7)}l-4,-7h8z`);
      shown.pins.push({ x, kind, name: sought });
    }
  }

  /* Bytes a second since the instant before, or since `least` ns before. */
  #drawRate() {
    const { times, allocated } = this.shown, { x } = this;
    const least = times[times.length - 1] / times.length / 4;
    let from = 0;
    const rates = Array.from(times, (ns, at) => {
      while (from + 1 < at && times[from + 1] <= ns - least) from++;
      return at === 0 ? 0 : ((allocated[at] - allocated[from]) * 1e9) /
        Math.max(ns - times[from], least, 1);
    });
    const y = scaleLinear().domain([0, Math.max(greatest(rates), 1)])
      .range([RATE_BOTTOM, RATE_TOP]);
    this.shown.rates = rates;
    this.#add("used", rates.map((rate, at) => at === 0 || rate <= 0 ? "" :
      `M${x(times[at - 1])},${RATE_BOTTOM}V${y(rate)}H${Math.max(x(times[at]) -
        0.5, x(times[at - 1]) + 0.5)}V${RATE_BOTTOM}z`).join(""));
    this.#write("", LEFT - 9, RATE_BOTTOM - 2, "allocated/s", "end");
  }

  /* A chosen metric stays if it is known of an interval. */
  #choose(from, to) {
    const figure = this.profile.isOverTime(state.get("figure")) ?
      state.get("figure") : "growth";
    state.set(to > from ? { from: String(from), to: String(to), figure } :
      { from: "", to: "" }, true);
  }

  #addBrush(width) {
    const brush = brushX()
      .extent([[LEFT, TOP], [width - this.right, RATE_BOTTOM]]);
    this.group = select(this.svg).append("g").attr("class", "brush")
      .call(brush);
    return brush.on("end", () => this.isMoved || this.#choose(
      ...(current.selection ?? [LEFT, LEFT]).map((at) =>
        this.profile.nearest(this.x.invert(at)))));
  }

  /* Arrows move the end of the interval, with Shift its begin. */
  #press(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const last = this.profile.instants.length - 1;
    if (step === undefined || last < 1) return;
    event.preventDefault();
    let [from, to] = this.selection.interval ?? [0, last];
    if (event.shiftKey) from = Math.max(0, Math.min(from + step, to - 1));
    else to = Math.max(from + 1, Math.min(to + step, last));
    this.#choose(from, to);
  }

  #point(event) {
    const { x, profile: { head }, shown } = this, { times, series } = shown;
    const { left } = this.svg.getBoundingClientRect();
    const ns = x.invert(event.clientX - left);
    const at = Math.max(bisectRight(times, ns) - 1, 0);
    this.cross.setAttribute("d", `M${x(times[at])},${TOP}V${RATE_BOTTOM}`);
    showTip(event, moment(head, times[at]), [
      ["live", bytes(shown.sums[at])],
      ...[...series.keys()].filter((key) => series[key][at] > 0).reverse()
        .map((key) => [shown.name(key), bytes(series[key][at]),
          shown.color(key)]),
      ...(shown.resident[at] > 0 ?
        [["resident", bytes(shown.resident[at]), "var(--accent)"]] : []),
      ...(head.has_times ?
        [["allocated", `${bytes(shown.rates[at])}/s`]] : []),
      ...(shown.pins ?? []).filter((pin) => Math.abs(pin.x - x(ns)) < NEAR)
        .map(({ kind, name }) => [name, kind, "var(--alarm)"]),
    ], this.brush === undefined ? "" : "drag to select a range");
  }

  rows() {
    const { times, series, resident, rates = [], name } = this.shown;
    return [["ns", ...series.map((_, index) => name(index)),
      "allocated_per_second", "resident"],
    ...times.map((ns, at) => [ns, ...series.map((one) => one[at]),
      Math.round(rates[at] ?? 0), resident[at] || ""])];
  }
}
