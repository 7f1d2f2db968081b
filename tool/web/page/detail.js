/* SPDX-License-Identifier: Apache-2.0 */
/* detail.js - what is known of the selected function, beside each view */
import { bars, button, facts, make, sparkline } from "./elements.js";
import { amount, bytes, exactly, greatest, share }
  from "./model/numbers.js";
import { literally, soughtExactly } from "./model/patterns.js";
import * as state from "./model/state.js";

const MOST = 5, STACKS = 3, FRAMES = 40, SPARK = [280, 48];

/* Calls of an end's stack, innermost first, a line each. */
export function framesOf(profile, end) {
  const names = state.is("fold") ? profile.stack(profile.blamed[end],
    profile.skipped) : profile.stack(profile.endNodes[end]);
  return make("ol", { class: "frames" }, ...names.slice(0, FRAMES).map((name) =>
    make("li", {}, profile.label(name), " ", make("span", { class: "place" },
      profile.place(name).split("/").pop()),
    make("code", { class: "source" }, profile.source(name)))),
  names.length > FRAMES ? `${names.length - FRAMES} more frames` : "");
}

export class Detail {
  constructor(app) {
    this.app = app;
    this.root = make("aside", { "aria-label": "selected function",
      class: "detail", hidden: true });
  }

  update() {
    this.app.profile.once("detail", state.all(["view", "pick", "figure", "from",
      "to", "only", "without", "kind", "fold", "lines"]), () => {
      const label = state.get("pick"), isIt = this.app.profile.withLabel(label);
      this.name = label === "" ? -1 : isIt.indexOf(1);
      const isFlame = this.app.view === this.app.views.get("flame");
      this.root.hidden = this.name < 0 && !isFlame;
      if (this.name >= 0) this.#show(label, isIt);
      else /* its room is there: a double click meets what a click met */
        this.root.replaceChildren(make("p", { class: "hint" }, "Click a frame " +
          "for its amounts, callers and stacks. Double click to zoom."));
      return true;
    });
  }

  #show(label, isIt) {
    const { profile } = this.app;
    this.#collect(isIt);
    this.root.replaceChildren(
      button("\u00d7", () => state.set({ pick: "" }, true),
        { class: "close", "aria-label": "close", id: "close" }),
      make("h2", {}, label), make("p", { class: "place" },
        profile.place(this.name), " ", profile.module(this.name)),
      make("div", { class: "actions" }, ...this.#actions(label)),
      this.#amounts(), this.#overTime(),
      ...this.#neighbours("Callers", this.callers),
      ...this.#neighbours("Callees", this.callees), ...this.#stacks());
  }

  /* Sum stacks with the function, and by caller and callee. */
  #collect(isIt) {
    const { profile, selection } = this.app, { parents, names } = profile;
    const values = selection.values(), { rows } = selection, ends = [];
    const marks = profile.withCallees(isIt);
    const wanted = selection.wantedAt(marks);
    const skipped = state.is("fold") ? profile.skipped : null;
    Object.assign(this, { wanted, self: 0, total: 0, callers: new Map(),
      callees: new Map() });
    const add = (sums, node, value) => {
      const name = node > 0 && profile.isCall(names[node]) ?
        profile.label(names[node]) : "";
      if (name !== "" && name !== state.get("pick"))
        sums.set(name, (sums.get(name) ?? 0) + value);
    };
    for (let end = 1; end < profile.endCount; end++) {
      const value = values[end], node = profile.endNodes[end];
      if (!wanted[end] || !(value !== 0)) continue;
      this.total += value;
      this.self += isIt[rows.names[rows.numbers[end]].name] ? value : 0;
      ends.push(end);
      let callee = 0, at = node;
      for (; isIt[names[at]] === 0; at = parents[at])
        callee = skipped?.[at] ? callee : at;
      add(this.callees, callee, value);
      while (marks[parents[at]] !== 0) at = parents[at];
      for (at = parents[at]; skipped?.[at];) at = parents[at];
      add(this.callers, at, value);
    }
    this.stacks = ends.sort((a, b) =>
      Math.abs(values[b]) - Math.abs(values[a]) || a - b)
      .slice(0, STACKS).map((end) => [end, values[end]]);
  }

  #actions(label) {
    const pattern = `^${literally(label)}$`, flame = { view: "flame" };
    return [
      ["Focus", { ...flame, of: label, inverted: "no", zoom: "" }],
      ["Callers", { ...flame, of: label, inverted: "yes", zoom: "" }],
      ["Include", { only: state.withLine("only", pattern), zoom: "" }],
      ["Exclude", { without: state.withLine("without", pattern), zoom: "" }],
      ["Open in table", { view: "table", find: soughtExactly(label) }],
    ].map(([text, parts]) => button(text, () => state.set(parts, true)))
      .concat(button("Copy", () => navigator.clipboard.writeText(
        `${label} (${this.app.profile.place(this.name)})`)));
  }

  #amounts() {
    const { selection, profile } = this.app, { figure, sum } = selection;
    const blocks = selection.blocks === undefined ? null :
      profile.sum(selection.blocks, this.wanted);
    const said = (value) => [exactly(figure, value), share(figure, value, sum)]
      .filter(Boolean).join(", ");
    return facts([[`${figure.title} with callees`, this.total, said],
      ["self", this.self, said],
      ["blocks", blocks, (value) => amount({ unit: "blocks" }, value)],
      ["mean size", blocks > 0 ? this.total / blocks : null, bytes],
      ["source", profile.source(this.name) || null]]);
  }

  #overTime() {
    const { profile, selection } = this.app;
    if (profile.instants.length <= 1) return "";
    const [series] = selection.series([], this.wanted);
    return make("figure", {}, sparkline(series, ...SPARK), make("figcaption",
      {}, `live over time, at most ${bytes(greatest(series))}`));
  }

  #neighbours(title, sums) {
    const { figure } = this.app.selection;
    const most = [...sums].filter(([, value]) => value !== 0)
      .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, MOST);
    return most.length === 0 ? [] : [make("h3", {}, title),
      bars(most.map(([name, value]) => ({ value, cells: [share(figure, value,
        this.total) || amount(figure, value)], head: make("th", { scope: "row" },
        button(name, () => state.set({ pick: name }, true),
          { class: "call" })) })),
      figure, this.total)];
  }

  #stacks() {
    const { profile, selection: { figure } } = this.app;
    return [make("h3", {}, "Heaviest stacks"),
      ...this.stacks.flatMap(([end, value]) => [make("p", {},
        [amount(figure, value), share(figure, value, this.total)]
          .filter(Boolean).join(", ")), framesOf(profile, end)])];
  }
}
