/* SPDX-License-Identifier: Apache-2.0 */
/* overview.js - the program, its heap, findings, and resident memory */
import { bars, button, facts, legend, make } from "./elements.js";
import { amount, bytes, exactly, percent, seconds } from "./numbers.js";
import { literally } from "./patterns.js";
import * as state from "./state.js";
import { View } from "./view.js";

/* parts of the resident set, with their hues */
const RESIDENT = [
  ["live blocks", (r) => r.live_blocks + Math.min(r.allocator_slack, 0), 202],
  ["allocator overhead", (r) => Math.max(r.allocator_slack, 0), 41],
  ["mmap memory", (r) => r.anonymous_maps ?? 0, 164],
  ["file mappings", (r) => r.mapped_files, 56],
  ["thread stacks", (r) => r.stacks, 327],
  ["Tally's own", (r) => r.tally, 214],
  ["unexplained", (r) => r.unexplained, 14],
];

const BLOCKS = { unit: "blocks" };

export class Overview extends View {
  update() {
    this.root.replaceChildren(...[this.#facts(), this.#findings(),
      this.#holders(), this.#resident(), this.#processes()]
      .filter((part) => part !== null));
  }

  #facts() {
    const { profile, selection } = this, { head, columns } = profile;
    if (selection.interval !== null)
      return facts([["interval", selection.times],
      ...selection.figures.map((figure) => [figure.title, exactly(figure,
        profile.sum(selection.values(figure.key), selection.wanted),
        selection.sumInterval(figure))])]);
    const all = (key, kind = 0) => (columns[key] ?? []).reduce(
      (sum, value, end) => profile.kindOf(end) === kind ? sum + value : sum, 0);
    const held = head.running ? "live now" :
      head.process || head.timeline.length > 0 ? "live at the end" :
        "live";
    return facts([
      ["peak", head.peak_bytes, bytes],
      ["peak with mmap memory", head.peak_with_maps, bytes],
      [head.at === undefined ? held :
        `live after ${seconds(head.at - profile.startNs)}`, all("live-bytes"),
      (value) => `${bytes(value)} in ${amount(BLOCKS, all("live-blocks"))}`],
      ["mmap memory", all("live-bytes", 1) || null,
        (value) => `${bytes(value)} beside the heap`],
      ["allocated", "total-bytes" in columns ? all("total-bytes") : null,
        (value) => `${bytes(value)} in ${amount(BLOCKS, all("total-blocks"))}`],
      ["ran for", head.duration_ns, seconds],
    ]);
  }

  #findings() {
    const { findings: found, not_judged: left, coverage,
      process } = this.profile.head;
    return !process ? null : make("section", {},
      make("h2", {}, "Findings"),
      found.length === 0 && left.length === 0 ?
        make("p", {}, "none: no leak, growth, churn or " +
          "unused memory beyond the usual") :
      make("ul", { class: "findings" }, ...found.map(({ kind, text, page }) =>
        make("li", {}, button(kind, () => state.set({
          view: "table", ...Object.fromEntries(new URLSearchParams(page ?? "")),
          find: literally(/^(.+?) \((?!and )/.exec(text)?.[1] ?? "") }, true)),
        ` ${text}`))),
      ...left.length === 0 ? [] : [make("p", {}, "not judged: " +
        left.map(({ kind, why }) => `${kind} (${why})`).join(", "))],
      ...coverage?.unrecorded ?
        [make("p", {}, `unrecorded: ${coverage.unrecorded}`)] : []);
  }

  #holders() {
    const { selection, colors, figure } = this;
    const sums = selection.rowSums(figure.key);
    const intervalOf = selection.rowInterval(figure);
    return make("section", {},
      make("h2", {}, `Most by ${figure.title}`),
      bars(selection.greatest(sums).slice(0, 8).map((row) => ({
        value: sums[row], interval: intervalOf(row), head: this.link(row),
        color: colors.ofRow(selection.rows.names[row]),
      })), figure, selection.sum));
  }

  #resident() {
    const { resident, process } = this.profile.head;
    if (!resident)
      return null;
    const parts = RESIDENT.map(([name, of, hue]) =>
      [name, of(resident), `hsl(${hue} 60% 55%)`]);
    const all = parts.reduce((sum, part) => sum + part[1], 0);
    return make("section", {}, make("h2", {},
      `Resident memory of process ${process.pid}`),
      make("div", { class: "stacked", "aria-hidden": "true" },
        ...parts.map(([name, value, backgroundColor]) => make("span", {
          title: `${name}: ${bytes(value)}`,
          style: { width: percent(value, all).replace(" ", ""),
            backgroundColor } }))),
      legend(parts.map(([name, value, color]) =>
        [`${name}: ${bytes(value)}, ${percent(value, all)}`, color])));
  }

  #processes() {
    const { processes, process } = this.profile.head;
    if (processes.length < 2)
      return null;
    return make("section", {}, make("h2", {}, "Processes"),
      make("ul", {}, ...processes.map((one) => make("li",
        { style: { marginLeft: `${1.5 * one.depth}em` } },
        `${one.pid} ${one.program.split("/").pop()}: ` +
        `peak ${bytes(one.peak)}, live ${bytes(one.live)}` +
        (one.is_shown ? ", shown here" : process?.images > 1 ? ", summed here" :
          "")))));
  }

  rows() {
    const sums = this.selection.rowSums(this.figure.key);
    return [["function", "place", this.figure.key],
      ...this.selection.greatest(sums).map((row) =>
        [...this.words(row), sums[row]])];
  }
}
