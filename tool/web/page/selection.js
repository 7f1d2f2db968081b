/* SPDX-License-Identifier: Apache-2.0 */
/*
 * selection.js - what the state selects of a profile, worked out once for all
 * views
 */
import * as state from "./state.js";
import { groupsOf, Tree } from "./tree.js";

export class Selection {
  constructor(profile) {
    this.profile = profile;
    this.known = new Map();
  }

  /* The value that was made of these parts of the state, or a new one. */
  #once(what, keys, make) {
    const said = keys.map((key) => state.get(key)).join("\u0000");
    const known = this.known.get(what);
    if (known !== undefined && known.said === said)
      return known.value;
    const value = make();
    this.known.set(what, { said, value });
    return value;
  }

  get figure() {
    return this.profile.figure(state.get("figure"));
  }

  /* Numbers of two instants, or null for all of the time. */
  get interval() {
    const last = this.profile.instants.length - 1;
    const from = Number.parseInt(state.get("from"), 10);
    const to = Number.parseInt(state.get("to"), 10);
    return last < 1 || !(from >= 0 && to > from && to <= last) ?
      null : [from, to];
  }

  values(key = this.figure.key) {
    return this.profile.own(key, this.interval);
  }

  get wanted() {
    return this.#once("wanted", ["only", "without", "kind"], () =>
      this.profile.wanted({
        only: state.get("only"),
        without: state.get("without"),
        kind: state.get("kind"),
      }));
  }

  get sum() {
    return this.profile.sum(this.values(), this.wanted);
  }

  get tree() {
    return this.#once("tree", ["figure", "from", "to", "only", "without",
      "kind", "fold", "lines", "inverted"], () =>
      new Tree(this.profile, this.values(), this.wanted, {
        sides: this.figure.key === "growth" ?
          this.profile.sides(this.interval) : null,
        byLine: state.get("lines") === "yes",
        fold: state.get("fold") === "yes",
        inverted: state.get("inverted") === "yes",
      }));
  }

  /* By end, the number of its row: the call to blame, by function or line;
     and a name of each row. */
  get rows() {
    return this.#once("rows", ["fold", "lines"], () => {
      const profile = this.profile;
      const grouping = groupsOf(profile, state.get("lines") === "yes");
      const numbers = new Int32Array(profile.endCount).fill(-1);
      const known = new Map(), names = [];
      for (let i = 1; i < profile.endCount; i++) {
        const node = profile.endNodes[i];
        const name = profile.names[state.get("fold") === "yes" ?
          profile.blamed(node) : node];
        const key = grouping.groups[name] * 2 + profile.isMap[node];
        if (!known.has(key)) {
          known.set(key, names.length);
          names.push({ name, isMap: profile.isMap[node] === 1 });
        }
        numbers[i] = known.get(key);
      }
      return { numbers, names };
    });
  }

  /* The sum of a figure by row. */
  rowSums(key) {
    return this.sums(this.values(key));
  }

  sums(values) {
    const { numbers, names } = this.rows, wanted = this.wanted;
    const sums = new Float64Array(names.length);
    for (let i = 1; i < numbers.length; i++) {
      if (wanted[i])
        sums[numbers[i]] += values[i];
    }
    return sums;
  }

  /* Live bytes of rows at each instant: one array for each number in `rows`,
     and one for the rest. */
  series(rows) {
    const profile = this.profile, columns = profile.columns;
    const numbers = this.rows.numbers, wanted = this.wanted;
    const place = new Map(rows.map((row, index) => [row, index]));
    const size = profile.instants.length;
    const series = Array.from({ length: rows.length + 1 },
      () => new Float64Array(size));
    const counts = columns["instant.changes"], ends = columns["change.end"];
    const plus = columns["change.bytes"], minus = columns["change.freed-bytes"];
    let at = 0;
    for (let i = 0; i < size; i++) {
      for (const one of series)
        one[i] = i > 0 ? one[i - 1] : 0;
      for (const last = at + counts[i]; at < last; at++) {
        if (!wanted[ends[at]])
          continue;
        const index = place.get(numbers[ends[at]]) ?? rows.length;
        series[index][i] += plus[at] - minus[at];
      }
    }
    return series;
  }
}
