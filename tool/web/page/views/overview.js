/* SPDX-License-Identifier: Apache-2.0 */
/* overview.js - findings, who allocated most, and resident memory */
import { bar, bars, button, facts, legend, make, sparkline }
  from "../elements.js";
import { bytes, percent, seconds } from "../model/numbers.js";
import * as state from "../model/state.js";
import { View } from "./view.js";

/* parts of the resident set, with their hues */
const RESIDENT = [
  ["live blocks", (r) => r.live_blocks + Math.min(r.allocator_slack, 0), 202],
  ["allocator overhead", (r) => Math.max(r.allocator_slack, 0), 41],
  ["mmap memory", (r) => r.anonymous_maps ?? 0, 164],
  ["file mappings", (r) => r.mapped_files, 56],
  ["thread stacks", (r) => r.stacks, 327], ["Tally's own", (r) => r.tally, 275],
  ["unexplained", (r) => r.unexplained, 14],
];

/* By kind of finding, what a function does. */
const SAID = { leak: "leaks", growth: "grows without end",
  spike: "makes the peak", churn: "allocates short-lived blocks",
  realloc: "grows blocks by realloc", small: "holds many small blocks",
  slack: "keeps pages that are almost free",
  untouched: "allocates memory that is never touched",
  lost: "Calls are not recorded" };

export class Overview extends View {
  update() {
    const { head } = this.profile;
    this.root.replaceChildren(
      this.#findings(), make("div", { class: "pair" }, this.#holders(),
        make("div", {}, this.#resident(),
          facts([["peak of the heap", head.peak_bytes, bytes],
            ["peak with mmap memory", head.peak_with_maps, bytes],
            ["ran for", head.duration_ns, seconds]]))));
  }

  #findings() {
    const { not_judged: left, coverage, process } = this.profile.head;
    const { findings } = this.profile;
    return !process ? "" : make("section", {}, make("h2", {}, "Findings" +
      (this.selection.interval === null ? "" : " of the whole recording")),
      findings.length === 0 && left.length === 0 ?
        make("p", {}, "none: no leak, growth, churn or " +
          "unused memory beyond the usual") :
      make("ul", { class: "findings" },
        ...findings.map((one) => this.#finding(one))),
      left.length === 0 ? null : make("p", {}, "not judged: " +
        left.map(({ kind, why }) => `${kind} (${why})`).join(", ")),
      coverage?.unrecorded ?
        make("p", {}, `unrecorded: ${coverage.unrecorded}`) : null);
  }

  /* A sentence, its evidence, and a button to the function. */
  #finding({ kind, name, file, line, others, figures, share, page }) {
    const { names } = this.selection.rows;
    const row = names.findIndex((_, at) => this.words(at)[0] === name);
    const series = row < 0 || this.profile.instants.length <= 1 ||
      !["leak", "growth", "spike"].includes(kind) ? null :
      this.selection.series([row])[0];
    const parts = { from: "", to: "", find: "", zoom: "", view: "table",
      ...Object.fromEntries(new URLSearchParams(page ?? "")), pick: name };
    const to = kind === "growth" ? series?.indexOf(Math.max(...series)) : 0;
    const from = Math.max(series?.findIndex((value) => value > 0) - 1, 0);
    if (to > 0) Object.assign(parts, { from: String(from), to: String(to) });
    const { instants } = this.profile, during = !(to > 0) ? "" :
      ` in ${seconds(instants[to] - instants[from])}`;
    return make("li", {}, make("p", {}, name === "" ? null :
      make("strong", {}, name), ` ${SAID[kind] ?? kind}: ${figures}${during}`,
    file ? `, ${file.split("/").pop()}:${line}` : "", others === 0 ? "" :
      `, ${others} more function${others === 1 ? "" : "s"}`),
    series !== null ? sparkline(series, 160, 28) : bar(Math.min(share, 1)),
    button("Show", () => state.set(parts, true),
      { "aria-label": `Show ${kind}` }));
  }

  #holders() {
    const { selection, colors, figure } = this;
    const sums = selection.rowSums(figure.key);
    const intervalOf = selection.rowInterval(figure);
    const rows = selection.greatest(sums).slice(0, 8);
    return rows.length === 0 ? "" : make("section", {},
      make("h2", {}, `Largest by ${figure.title}`), bars(rows.map((row) => ({
        value: sums[row], interval: intervalOf(row), head: this.link(row),
        color: colors.ofRow(selection.rows.names[row]),
      })), figure, selection.sum));
  }

  #resident() {
    const { resident, process } = this.profile.head;
    if (!resident) return "";
    /* Neighbours that are seen are dark and light: more than 3:1 apart. */
    const there = RESIDENT.map(([name, of, hue]) => [name, of(resident), hue])
      .filter(([, value]) => value > 0);
    const all = there.reduce((sum, part) => sum + part[1], 0);
    let seen = 0;
    const parts = there.map(([name, value, hue]) => [name, value,
      `hsl(${hue} 60% ${(value > all / 200 ? seen++ : seen) % 2 === 0 ?
        26 : 80}%)`]);
    return make("section", {}, make("h2", {},
      `Resident memory of process ${process.pid} after ${
        seconds(resident.ns - this.profile.startNs)}: ${bytes(all)}`),
      make("div", { class: "stacked", "aria-hidden": "true" },
        ...parts.map(([name, value, backgroundColor]) => make("span", {
          title: `${name}: ${bytes(value)}`,
          style: { width: percent(value, all).replace(" ", ""),
            backgroundColor } }))),
      legend(parts.map(([name, value, color]) =>
        [`${name}: ${bytes(value)}, ${percent(value, all)}`, color])));
  }
}
