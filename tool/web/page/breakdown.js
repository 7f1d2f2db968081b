/* SPDX-License-Identifier: Apache-2.0 */
/*
 * breakdown.js - on whose behalf: threads by who began them, and labels that
 * the program gives to its threads' work
 */
import { bars, button, make } from "./elements.js";
import { amount, bytes, count, percent } from "./numbers.js";
import { literally } from "./profile.js";
import * as state from "./state.js";
import { View } from "./view.js";

const PAIR = 8, STACKS = 3, NONE = "no label";

/* Calls in brackets that are no labels. */
const OTHERS = "anonymous map|mapped file|thread stack|truncated";

/* Stacks with the label, or without any. */
function below(text) {
  return text === NONE ?
    { only: "", without: `^\\[(?!(${OTHERS})\\]).*\\]$` } :
    { only: `^${literally(text)}$`, without: "" };
}

export class BreakdownView extends View {
  /* Sums by pair; a stack with several counts in each. */
  #pairs() {
    const { selection, profile } = this, { wanted } = selection;
    const values = selection.values();
    const flags = profile.columns["name.flags"], sums = new Map();
    let without = 0;
    for (let i = 1; i < profile.endCount; i++) {
      if (!wanted[i] || values[i] === 0)
        continue;
      const pairs = profile.stack(profile.endNodes[i])
        .filter((name) => (flags[name] & PAIR) !== 0);
      for (const pair of pairs) {
        const text = profile.text(pair, "label");
        sums.set(text, (sums.get(text) || 0) + values[i]);
      }
      without += pairs.length === 0 ? values[i] : 0;
    }
    return [...[...sums].sort((a, b) => b[1] - a[1]), [NONE, without]];
  }

  update() {
    const flags = this.profile.columns["name.flags"];
    this.sums = flags.some((one) => one & PAIR) ? this.#pairs() : [];
    this.root.replaceChildren(...this.#threads(), ...this.#labels());
  }

  /* By key, such as tenant of [tenant=a]. */
  #labels() {
    const { figure, sum: all } = this.selection;
    if (this.sums.length === 0)
      return [make("h2", {}, "Labels"), make("p", {}, "The program says " +
        "none. Accounts know no threads by themselves: a thread that calls " +
        "tally_label_set(\"thread\", name) of tally/label.h has its own " +
        "part here, and so has work for a tenant or a route.")];
    const keys = new Map();
    for (const [text, value] of this.sums) {
      const key = text === NONE ? NONE : text.slice(1).split("=")[0];
      keys.set(key, [...(keys.get(key) ?? []), [text, value]]);
    }
    return [...keys].flatMap(([key, sums]) => [make("h2", {}, key),
      bars(sums.map(([text, value]) => ({
        cells: [amount(figure, value), percent(value, all)],
        head: make("th", { scope: "row" }, button(text, () =>
          state.set({ view: "flame", zoom: "", ...below(text) }, true))),
        part: all > 0 ? value / all : 0,
      })))]);
  }

  /* Their stacks are address space, of who began them. */
  #threads() {
    const { selection, profile, colors } = this;
    const begun = profile.columns["total-blocks"], rows = new Map();
    for (let end = 1; end < profile.endCount; end++) {
      if (profile.kindOf(end) !== STACKS || !begun)
        continue;
      const row = selection.rows.numbers[end];
      const sums = rows.get(row) ?? [0, 0, 0];
      rows.set(row, [sums[0] + begun[end],
        sums[1] + profile.columns["live-blocks"][end],
        sums[2] + profile.columns["live-bytes"][end]]);
    }
    const all = [...rows].sort((a, b) => b[1][0] - a[1][0]);
    this.threads = all.map(([row, sums]) => [this.words(row)[0], ...sums]);
    return all.length === 0 ? [] : [
      make("h2", {}, "Threads, by who began them"),
      bars(all.map(([row, [total, live, space]]) => ({
        cells: [`${count(total)} begun`, `${count(live)} there`,
          `${bytes(space)} of stacks`],
        head: this.link(row, { kind: "threads", figure: "total-blocks" }),
        part: total / all[0][1][0], color: colors.ofKind(STACKS),
      })))];
  }

  rows() {
    return [["label", this.figure.key], ...this.sums,
      ...this.threads.map(([call, total]) => [`threads of ${call}`, total])];
  }
}
