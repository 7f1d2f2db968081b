/* SPDX-License-Identifier: Apache-2.0 */
/* overview.js - what ran, what it held, what to do, and where it is resident */
import { amount, bytes, count, percent, seconds } from "./numbers.js";
import { make, swatch } from "./elements.js";
import * as state from "./state.js";

/* What a finding means, and where it is seen. */
const FINDINGS = {
  lost: ["accounts lack something", { view: "overview" }],
  leak: ["not freed at the end", { view: "flame", figure: "live-bytes" }],
  growth: ["holds more and more", { view: "time" }],
  spike: ["far above what is usual", { view: "time" }],
  churn: ["freed at once, again and again",
    { view: "flame", figure: "temporary" }],
  realloc: ["grows step by step", { view: "table" }],
  small: ["so many small blocks that their headers count",
    { view: "table", sort: "live-blocks" }],
  slack: ["resident memory of the heap in no live block", { view: "table" }],
  untouched: ["asked for and never written", { view: "table" }],
};

/* Parts of the resident set, with a shade each. */
const RESIDENT = [
  ["live blocks", (r) => Math.min(r.live, r.heap), 202],
  ["allocator slack", (r) => Math.max(r.heap - r.live, 0), 41],
  ["anonymous maps", (r) => r.maps, 164],
  ["mapped files", (r) => r.files, 56],
  ["stacks", (r) => r.stacks, 327],
  ["Tally's own", (r) => r.tally, 214],
  ["unexplained", (r) => r.unexplained, 14],
];

export class Overview {
  constructor(app) {
    this.app = app;
    this.root = make("div", { class: "overview" });
  }

  update() {
    this.root.replaceChildren(...[this.#facts(), this.#findings(),
      this.#holders(), this.#resident(), this.#processes()]
      .filter((part) => part !== null));
  }

  #facts() {
    const { head, columns, isMap, endNodes } = this.app.profile;
    const all = (key, maps = 0) => key in columns ?
      columns[key].reduce((sum, value, end) =>
        isMap[endNodes[end]] === maps ? sum + value : sum, 0) : null;
    const facts = [
      ["peak", head.peak_bytes === null ? null : bytes(head.peak_bytes)],
      ["peak with maps", head.peak_with_maps === null ? null :
        bytes(head.peak_with_maps)],
      [head.running ? "live now" : "live at the end",
        `${bytes(all("live-bytes") ?? 0)} in ` +
        `${count(all("live-blocks") ?? 0)} blocks`],
      ["maps", all("live-bytes", 1) > 0 ?
        `${bytes(all("live-bytes", 1))} beside the heap` : null],
      ["allocated", all("total-blocks") === null ? null :
        `${bytes(all("total-bytes"))} in ${count(all("total-blocks"))} blocks`],
      ["ran for", head.duration_ns === null ? null :
        seconds(head.duration_ns)],
    ].filter(([, value]) => value !== null);
    return make("dl", { class: "facts" }, ...facts.flatMap(([name, value]) =>
      [make("dt", {}, name), make("dd", {}, value)]));
  }

  #findings() {
    const found = this.app.profile.head.findings;
    return make("section", {}, make("h2", {}, "Findings"), found.length === 0 ?
      make("p", {}, "None: nothing leaks, grows, churns or lies unused " +
        "beyond what is usual.") :
      make("ul", { class: "findings" }, ...found.map((one) => {
        const [meaning, where] = FINDINGS[one.kind] || ["", { view: "table" }];
        const size = [one.bytes > 0 ? bytes(one.bytes) : "",
          one.blocks > 1 ? `${count(one.blocks)} blocks` : ""]
          .filter((part) => part !== "").join(" in ");
        return make("li", {},
          make("button", { type: "button", onclick: () =>
            state.set({ ...where, find: "" }, true) }, one.kind),
          ` ${one.function ?? ""}${one.others > 0 ? ` and ${one.others} more` :
            ""}: ${size}, ${meaning}`);
      })));
  }

  #holders() {
    const { selection, profile } = this.app, figure = selection.figure;
    const sums = selection.rowSums(figure.key);
    const order = [...sums.keys()].filter((row) => sums[row] > 0)
      .sort((a, b) => sums[b] - sums[a]).slice(0, 8);
    const all = selection.sum;
    return make("section", {},
      make("h2", {}, `Most by ${figure.title}`),
      make("table", { class: "bars" }, make("tbody", {},
        ...order.map((row) => {
          const name = selection.rows.names[row].name;
          const bar = make("span", { class: "bar" });
          bar.style.width = `${Math.max((sums[row] / all) * 100, 0.5)}%`;
          bar.style.backgroundColor = this.app.colors.ofName(name);
          return make("tr", {},
            make("td", { class: "number" }, amount(figure, sums[row])),
            make("td", { class: "number" }, percent(sums[row], all)),
            make("th", { scope: "row" }, profile.label(name), " ",
              make("span", { class: "place" }, profile.place(name)), bar));
        }))));
  }

  #resident() {
    const resident = this.app.profile.head.resident;
    if (resident === undefined)
      return null;
    const parts = RESIDENT.map(([name, of, hue]) =>
      [name, of(resident), `hsl(${hue} 60% 55%)`]);
    const all = parts.reduce((sum, part) => sum + part[1], 0);
    return make("section", {}, make("h2", {}, "Resident memory"),
      make("div", { class: "stacked", "aria-hidden": "true" },
        ...parts.map(([name, value, color]) => {
          const part = make("span", { title: `${name}: ${bytes(value)}` });
          part.style.width = `${all > 0 ? (value / all) * 100 : 0}%`;
          part.style.backgroundColor = color;
          return part;
        })),
      make("ul", { class: "legend" }, ...parts.map(([name, value, color]) =>
        make("li", {}, swatch(color),
          ` ${name}: ${bytes(value)}, ${percent(value, all)}`))));
  }

  #processes() {
    const images = this.app.profile.head.images;
    if (images.length < 2)
      return null;
    return make("section", {}, make("h2", {}, "Processes"),
      make("ul", {}, ...images.map((image) => make("li", {},
        `${image.pid} ${image.command_line || image.program}`))));
  }

  rows() {
    const { selection, profile } = this.app, figure = selection.figure;
    const sums = selection.rowSums(figure.key);
    return [["function", "place", figure.key],
      ...[...sums.keys()].sort((a, b) => sums[b] - sums[a]).map((row) => [
        profile.label(selection.rows.names[row].name),
        profile.place(selection.rows.names[row].name), sums[row]])];
  }
}
