/* SPDX-License-Identifier: Apache-2.0 */
/* selection.js - what the state selects of a profile, once for all views */
import { seconds } from "./numbers.js";
import { soughtPattern } from "./patterns.js";
import * as state from "./state.js";
import { groupsOf, Tree } from "./tree.js";

/* parts of the state that choose stacks and their values */
const STACKS = ["figure", "from", "to", "only", "without", "kind"];

export class Selection {
  constructor(profile) {
    this.profile = profile;
  }

  #once(what, keys, makeIt) {
    return this.profile.once(what, state.all(keys), makeIt);
  }

  get figure() {
    return this.called(this.profile.figure(state.get("figure")));
  }

  get figures() {
    const { profile } = this;
    return profile.figures.filter(({ key }) =>
      this.interval === null || profile.isOverTime(key))
      .map((figure) => this.called(figure));
  }

  /* Call live memory of an ended program leaked. */
  called(figure) {
    const { process, running, at } = this.profile.head;
    return !process || running || at !== undefined ||
      this.interval !== null ? figure :
      { ...figure, title: figure.title.replace(/^live/, "leaked") };
  }

  /* Numbers of two instants, or null for all of the time. */
  get interval() {
    const last = this.profile.instants.length - 1;
    const from = Number.parseInt(state.get("from"), 10);
    const to = Number.parseInt(state.get("to"), 10);
    return last < 1 || !(from >= 0 && to > from && to <= last) ?
      null : [from, to];
  }

  get times() {
    return this.interval?.map((at) => seconds(this.profile.instants[at]))
      .join(" to ");
  }

  values(key = this.figure.key) {
    return this.profile.own(key, this.interval);
  }

  get wanted() {
    const keys = ["only", "without", "kind"];
    return this.#once("wanted", keys, () =>
      this.profile.wanted(...keys.map(state.get)));
  }

  total(key) {
    return this.#once(`total ${key}`, STACKS.slice(1), () =>
      this.profile.sum(this.values(key), this.wanted));
  }

  get sum() {
    return this.total(this.figure.key);
  }

  /* Blocks by end of a metric in bytes, or undefined. */
  get blocks() {
    const key = this.figure.key.replace("bytes", "blocks");
    return key !== this.figure.key && key in this.profile.columns ?
      this.values(key) : undefined;
  }

  /* By end, whether it is wanted and its node is marked. */
  wantedAt(marks) {
    return this.wanted.map((is, end) => is & marks[this.profile.endNodes[end]]);
  }

  /* Count the functions that the search finds, and sum their stacks. */
  get found() {
    return this.#once("found", ["find", ...STACKS], () => {
      const { profile } = this, functions = new Set();
      const { byName, below } =
        profile.below(soughtPattern(state.get("find")));
      byName.forEach((is, name) => is && functions.add(profile.label(name)));
      return { rows: functions.size,
        part: profile.sum(this.values(), this.wantedAt(below)) };
    });
  }

  sumInterval(figure = this.figure) {
    return this.estimate(figure, this.parts(figure)?.map((column) =>
      this.profile.sum(column, this.wanted)));
  }

  parts(figure = this.figure) {
    return this.profile.parts(figure, this.interval);
  }

  /* [low, high], or null where the figure is exact. */
  estimate(figure, sums) {
    return sums === undefined ? null :
      this.profile.estimates.of(figure, ...sums);
  }

  get tree() {
    const keys = [...STACKS, "of", "fold", "lines", "inverted"];
    return this.#once("tree", keys, () => {
      const { profile, figure } = this;
      return new Tree(profile, this.values(), this.wanted, {
        sides: figure.key === "growth" ? profile.sides(this.interval) : null,
        parts: this.parts(), blocks: this.blocks,
        byLine: state.is("lines"),
        ends: state.is("fold") ? profile.blamed : profile.endNodes,
        skipped: state.is("fold") ? profile.skipped : null,
        inverted: state.is("inverted"),
        of: state.get("of"),
      });
    });
  }

  /* By end, its row: a call to blame and a kind of memory; and each row's. */
  get rows() {
    return this.#once("rows", ["fold", "lines"], () => {
      const { profile } = this;
      const { groups } = groupsOf(profile, state.is("lines"));
      const ends = state.is("fold") ? profile.blamed : profile.endNodes;
      const numbers = new Int32Array(profile.endCount).fill(-1);
      const known = new Map(), names = [];
      for (let i = 1; i < profile.endCount; i++) {
        const name = profile.names[ends[i]];
        const kind = profile.kinds[profile.endNodes[i]];
        const key = groups[name] * 4 + kind;
        const number = known.get(key) ??
          names.push({ name, kind, first: Infinity, last: 0 }) - 1;
        const row = names[number], line = profile.line(name);
        known.set(key, number);
        row.first = Math.min(row.first, line);
        row.last = Math.max(row.last, line);
        numbers[i] = number;
      }
      return { numbers, names };
    });
  }

  rowSums(key) {
    return this.sums(this.values(key));
  }

  sums(values, wanted = this.wanted) {
    const { numbers, names } = this.rows;
    const sums = new Float64Array(names.length);
    for (let i = 1; i < numbers.length; i++) {
      if (wanted[i]) sums[numbers[i]] += values[i] ?? 0;
    }
    return sums;
  }

  /* By row, the interval of its sum, or null. */
  rowInterval(figure) {
    const sums = this.parts(figure)?.map((column) => this.sums(column));
    return (row) => this.estimate(figure, sums?.map((one) => one[row]));
  }

  /* Rows above 0, the greatest first. */
  greatest(sums) {
    return [...sums.keys()].filter((row) => sums[row] > 0)
      .sort((a, b) => sums[b] - sums[a] || a - b);
  }

  /* Live bytes at each instant, of each row in `rows` and of the rest. */
  series(rows, wanted = this.wanted, hasFrees = true) {
    const { numbers, names } = this.rows;
    const places = new Int32Array(names.length).fill(rows.length);
    for (const [index, row] of rows.entries()) places[row] = index;
    return this.profile.series(rows.length, numbers.map((row, end) =>
      wanted[end] ? places[row] : -1), hasFrees);
  }
}
