/* SPDX-License-Identifier: Apache-2.0 */
/* accounts.js - what stacks hold, by figure, at once or in an interval */
import { scan } from "d3-array";

import { Estimates } from "./estimates.js";

/* metrics of a recording, and those that need two data points */
const FIGURES = [
  { key: "peak-bytes", title: "peak", unit: "bytes" },
  { key: "live-bytes", title: "live", unit: "bytes" },
  { key: "total-bytes", title: "allocated", unit: "bytes" },
  { key: "temporary", title: "short-lived", unit: "blocks" },
  { key: "live-blocks", title: "live blocks", unit: "blocks" },
  { key: "peak-blocks", title: "peak blocks", unit: "blocks" },
  { key: "total-blocks", title: "allocations", unit: "blocks" },
  { key: "reallocs", title: "grown by realloc", unit: "blocks" },
  { key: "resident-bytes", title: "resident", unit: "bytes" },
];
const GROWTH = { key: "growth", title: "growth", unit: "bytes" };
const CHURN = { key: "churn", title: "allocated and freed", unit: "bytes" };

/* metrics known of an interval */
const OVER_TIME = ["growth", "churn", "total-bytes", "live-bytes",
  "live-blocks", "total-blocks"];

/* names of compared values */
const COMPARED = { blocks: "live", total: "allocated",
  temporary: "short-lived" };

/* Return a comparison by the wanted value, or the one of --value. */
function comparedBy({ values = [], value, ...compared }, wanted) {
  const all = values.map((one) =>
    ({ ...one, title: COMPARED[one.name] ?? one.name }));
  const find = (name) => all.find((one) => one.name === name);
  return { ...compared, values: all, ...find(wanted) ?? find(value) };
}

/* Return its columns by side and unit. */
const sidesOf = (columns, compared) => Object.fromEntries(["bytes", "blocks"]
  .filter((unit) => compared[unit]).flatMap((unit) => ["before", "after"]
    .flatMap((side) => ["", ".variance", ".seen"].map((part) =>
      [`${side}-${unit}${part}`,
        columns[`${side}-${compared[unit]}${part}`]]))));

function comparedFigures({ title, unit }, columns) {
  return [{ ...GROWTH, title: `growth of ${title} ${unit}`, unit },
    ...["bytes", "blocks"].flatMap((one) => ["before", "after"].map((time) =>
      ({ key: `${time}-${one}`, title: `${title} ${one} ${time}`, unit: one,
        side: time === "after" ? 1 : 0 })))
      .filter(({ key }) => key in columns)];
}

export class Accounts {
  /* `value`: of a comparison, the name of one of its values. */
  constructor(head, value = "") {
    const compared = head.compared && comparedBy(head.compared, value);
    const columns = compared === undefined ? head.columns :
      { ...head.columns, ...sidesOf(head.columns, compared) };
    Object.assign(this, { head, columns, compared, value });
    this.endCount = columns["end.node"].length;
    for (const part of ["timeline", "instants", "resident_at", "findings",
      "not_judged", "sizes", "accuracy", "regions", "processes"])
      head[part] ??= [];
    this.startNs = !head.has_times ? 0 :
      head.process?.start_ns ?? head.timeline[0]?.ns ?? 0;
    this.instants = head.instants.map((ns) => ns - this.startNs);
    this.estimates = new Estimates(head);
    this.known = new Map();
    this.figures = compared !== undefined ?
      comparedFigures(compared, columns) :
      FIGURES.filter(({ key }) => key in columns &&
        (key !== "reallocs" || columns[key].some(Boolean)));
    if (this.instants.length > 1) this.figures.push(GROWTH, CHURN);
  }

  /* Return the cached value for `of`, or make it. */
  once(what, of, makeIt) {
    let known = this.known.get(what);
    if (known?.of !== of) this.known.set(what, known = { of, value: makeIt() });
    return known.value;
  }

  /* Unless it is said, what is live, or of a program that ended, its peak. */
  figure(key) {
    const usual = this.head.running ? "live-bytes" : "peak-bytes";
    const has = (one) => this.compared !== undefined ||
      this.columns[one.key]?.some((value) => value !== 0);
    return this.figures.find((one) => one.key === key) ||
      this.figures.find((one) => one.key === usual && has(one)) ||
      this.figures.find(has) || this.figures[0];
  }

  /* Return a column by end, of zeros if there is none. */
  column(name) {
    return this.columns[name] ?? new Float64Array(this.endCount);
  }

  /* Sum a column of changes by end, behind data point `from` (-1: the start)
     until `to`; `what` tells ranges apart. */
  #changed(name, what, from, to) {
    return this.once(`${what} ${name}`, `${from} ${to}`, () => {
      const values = new Float64Array(this.endCount), { columns } = this;
      const ends = columns["change.end"], column = columns[`change.${name}`];
      const [first, last] = [from, to].map((at) => columns["instant.changes"]
        .subarray(0, at + 1).reduce((a, b) => a + b, 0));
      for (let at = first; at < last; at++) values[ends[at]] += column[at];
      return values;
    });
  }

  /* Return live amounts by end at a data point, the `what` of an interval. */
  #heldAt(at, what, unit) {
    return this.once(`${what} held ${unit}`, at, () => {
      const made = this.#changed(unit, what, -1, at);
      const freed = this.#changed(`freed-${unit}`, what, -1, at);
      return this.column(`inherited-${unit}`)
        .map((value, end) => value + made[end] - freed[end]);
    });
  }

  /* By end, in an interval [from, to] of instants, or null for all. */
  own(key, interval) {
    return this.once(key, String(interval), () => {
      const [from, to] = interval ?? [-1, this.instants.length - 1];
      const unit = key.endsWith("blocks") ? "blocks" : "bytes";
      if (key === "before" || key === "after")
        return this.sides(interval)[key === "after" ? 1 : 0];
      if (key === "growth") {
        const [before, after] = this.sides(interval);
        return after.map((value, end) => value - before[end]);
      }
      if (!OVER_TIME.includes(key) || (interval === null && key in this.columns))
        return this.columns[key];
      if (key.startsWith("live")) return this.#heldAt(to, "last", unit);
      const made = this.#changed(unit, "between", from, to);
      if (key.startsWith("total")) return made;
      const freed = this.#changed("freed-bytes", "between", from, to);
      return made.map((value, end) => Math.min(value, freed[end]));
    });
  }

  /* Return true if the figure of an end is an estimate. */
  isEstimate(end) {
    return this.columns["live-bytes.variance"]?.[end] > 0;
  }

  /* Squared: what is not known is as if all blocks were small. */
  #variances(values) {
    return values.map((value, end) => this.isEstimate(end) ?
      value * this.estimates.steps[0] : 0);
  }

  /* Columns whose sums estimates.js takes; undefined of exact figures. */
  parts({ key, unit }, interval) {
    const { columns, compared } = this;
    if (this.estimates.areExact ||
      (compared === undefined && unit === "blocks" && interval !== null))
      return undefined;
    return this.once(`parts ${key}`, String(interval), () => {
      if (key === "growth") return this.#partsOfGrowth(interval);
      const value = this.own(key, interval);
      return interval === null && `${key}.variance` in columns ?
        [value, columns[`${key}.variance`], columns[`${key}.seen`]] :
        [value, this.#variances(value)];
    });
  }

  /* Before, after, variances; of two programs what samples met; of one, unless
     the figure only grows, variances of freed and allocated, and freed. */
  #partsOfGrowth(interval) {
    const { columns, compared, instants: { length } } = this;
    const [from, to] = interval ?? [-1, length - 1];
    const sides = this.sides(interval);
    if (compared === undefined) {
      const [made, freed] = ["bytes", "freed-bytes"].map((name) =>
        this.#changed(name, "between", from, to));
      return [...sides, ...[...sides, freed, made].map((values) =>
        this.#variances(values)), freed];
    }
    const of = (part) => ["before", "after"].map((side) =>
      this.column(`${side}-${compared.unit}${part}`));
    const freed = `freed-${compared.unit}`, made = `allocated-${compared.unit}`;
    return [...sides, ...of(".variance"), ...(!(freed in columns) ?
      of(".seen") : !compared[compared.unit].startsWith("live") ? [] :
        [columns[`${freed}.variance`], columns[`${made}.variance`],
          columns[freed]])];
  }

  /* Return live amounts of both sides, or of the ends of an interval. */
  sides(interval) {
    const { compared } = this;
    if (compared !== undefined)
      return ["before", "after"].map((side) =>
        this.columns[`${side}-${compared.unit}`]);
    const [from, to] = interval ?? [-1, this.instants.length - 1];
    return [this.#heldAt(from, "first", "bytes"),
      this.#heldAt(to, "last", "bytes")];
  }

  /* Return the number of the instant nearest to a time. */
  nearest(ns) {
    return scan(this.instants, (a, b) => Math.abs(a - ns) - Math.abs(b - ns));
  }

  /* Return true if nothing is known over time. */
  get isTimeless() {
    return this.head.timeline.length <= 1 && this.instants.length <= 1;
  }

  isOverTime(key) {
    return OVER_TIME.includes(key);
  }

  /* By instant, live bytes of `count` series and of the rest, or all allocated
     until then. `which` has the number of an end's series, or -1. */
  series(count, which, hasFrees = true) {
    const size = this.instants.length, { columns } = this;
    const series = Array.from({ length: count + 1 },
      () => new Float64Array(size));
    const ends = columns["change.end"], plus = columns["change.bytes"];
    const minus = columns["change.freed-bytes"];
    const counts = columns["instant.changes"];
    const add = (end, instant, value) => {
      if (which[end] >= 0) series[which[end]][instant] += value;
    };
    if (hasFrees)
      columns["inherited-bytes"]?.forEach((value, end) => add(end, 0, value));
    for (let instant = 0, at = 0, last = 0; instant < size; instant++) {
      for (last += counts[instant]; at < last; at++)
        add(ends[at], instant, plus[at] - (hasFrees ? minus[at] : 0));
    }
    for (const one of series) {
      for (let i = 1; i < size; i++) one[i] += one[i - 1];
    }
    return series;
  }

  /* By instant, bytes allocated until then. */
  allocated(wanted) {
    return this.series(0, Int8Array.from(wanted, (is) => is - 1), false)[0];
  }

  sum(values, wanted) {
    return values.reduce((all, value, end) =>
      wanted[end] ? all + value : all, 0);
  }
}
