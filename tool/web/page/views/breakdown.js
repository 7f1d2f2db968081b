/* SPDX-License-Identifier: Apache-2.0 */
/* breakdown.js - threads by creator, and labels of the program's work */
import { nest } from "d3-collection";

import { bars, button, make } from "../elements.js";
import { bytes, count } from "../model/numbers.js";
import { literally } from "../model/patterns.js";
import * as state from "../model/state.js";
import { View } from "./view.js";

const PAIR = 8, STACKS = 3, NONE = "no label";

/* Calls in brackets that are no labels. */
const OTHERS = "anonymous map|mapped file|thread stack|truncated";

const below = (text) => text === NONE ?
  { only: "", without: `^\\[(?!(${OTHERS})\\]).*\\]$` } :
  { only: `^${literally(text)}$`, without: "" };

export class BreakdownView extends View {
  /* Sums and intervals by label; a stack counts in each of its labels. */
  #pairs() {
    const { selection, profile } = this, { wanted } = selection;
    const columns = [selection.values(), ...(selection.parts() ?? [])];
    const flags = profile.columns["name.flags"];
    const sums = new Map([[NONE, columns.map(() => 0)]]);
    for (let i = 1; i < profile.endCount; i++) {
      if (!wanted[i] || columns[0][i] === 0) continue;
      const pairs = profile.stack(profile.endNodes[i])
        .filter((name) => (flags[name] & PAIR) !== 0)
        .map((name) => profile.text(name, "label"));
      for (const text of pairs.length === 0 ? [NONE] : pairs) {
        const sum = sums.get(text);
        sums.set(text, columns.map((column, at) =>
          column[i] + (sum?.[at] ?? 0)));
      }
    }
    return [...sums].map(([text, [value, ...parts]]) => [text, value,
      selection.estimate(this.figure, parts.length > 0 ? parts : undefined)])
      .sort((a, b) => (a[0] === NONE) - (b[0] === NONE) || b[1] - a[1]);
  }

  update() {
    const flags = this.profile.columns["name.flags"];
    this.sums = flags.some((one) => one & PAIR) ? this.#pairs() : [];
    this.root.replaceChildren(...this.#threads(), ...this.#labels());
  }

  /* By key, such as tenant of [tenant=a]. */
  #labels() {
    if (this.sums.length === 0)
      return [make("h2", {}, "Labels"), make("p", {}, "None. " +
        "Call tally_label_set(\"thread\", name) of tally/label.h, and record " +
        "stacks, to see a thread, tenant or route here.")];
    const keys = nest().key(([text]) =>
      text === NONE ? NONE : text.slice(1).split("=")[0]).entries(this.sums);
    return keys.flatMap(({ key, values }) => [make("h2", {}, key),
      bars(values.map(([text, value, interval]) => ({ value, interval,
        head: make("th", { scope: "row" }, button(text, () =>
          state.set({ view: "flame", zoom: "", ...below(text) }, true))),
      })), this.figure, this.selection.sum)]);
  }

  /* Their stacks are address space, of who began them. */
  #threads() {
    const { selection, profile, colors } = this;
    const isIt = profile.wanted("", "", "threads");
    const [begun, live, space] = ["total-blocks", "live-blocks", "live-bytes"]
      .map((key) => selection.sums(selection.values(key) ?? [], isIt));
    const all = selection.greatest(begun.map((one, row) => one || live[row]));
    this.threads = all.map((row) => [this.words(row)[0], begun[row]]);
    return all.length === 0 ? [] : [
      make("h2", {}, "Threads by creator"),
      bars(all.map((row) => ({ value: begun[row],
        cells: [`${count(begun[row])} started`, `${count(live[row])} running`,
          `${bytes(space[row])} of stacks`],
      head: this.link(row, { kind: "threads", figure: "total-blocks" }),
      color: colors.ofKind(STACKS) })), { unit: "blocks" }, begun[all[0]])];
  }

  rows() {
    return [["label", this.figure.key],
      ...this.sums.map((sum) => sum.slice(0, 2)),
      ...this.threads.map(([call, begun]) => [`threads of ${call}`, begun])];
  }
}
