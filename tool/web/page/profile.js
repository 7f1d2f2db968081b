/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.js - what stacks hold, by figure, in an interval, and who called
 *
 * Nodes are calls by line, parents before their children. What ends at a node
 * is its own; the sum over all above it is its total.
 */
const FOLDED = 1, MAP = 2;

/* Of those that a ledger tells, and what follows from two instants. */
const FIGURES = [
  { key: "live-bytes", title: "live", unit: "bytes" },
  { key: "peak-bytes", title: "peak", unit: "bytes" },
  { key: "total-bytes", title: "allocated", unit: "bytes" },
  { key: "temporary", title: "temporary", unit: "blocks" },
  { key: "live-blocks", title: "live blocks", unit: "blocks" },
  { key: "peak-blocks", title: "peak blocks", unit: "blocks" },
  { key: "total-blocks", title: "allocations", unit: "blocks" },
  { key: "resident", title: "resident", unit: "bytes" },
];
const GROWTH = { key: "growth", title: "growth", unit: "bytes" };
const CHURN = { key: "churn", title: "churn", unit: "bytes" };
const COMPARED = [
  GROWTH,
  { key: "after-bytes", title: "after", unit: "bytes" },
  { key: "before-bytes", title: "before", unit: "bytes" },
  { key: "after-blocks", title: "blocks after", unit: "blocks" },
  { key: "before-blocks", title: "blocks before", unit: "blocks" },
];

export class Profile {
  constructor(head) {
    const columns = head.columns;
    this.head = head;
    this.texts = head.texts;
    this.columns = columns;
    this.nodeCount = columns["node.parent"].length;
    this.endCount = columns["end.node"].length;
    this.parents = Int32Array.from(columns["node.parent"]);
    this.names = Int32Array.from(columns["node.name"]);
    this.endNodes = Int32Array.from(columns["end.node"]);
    for (const part of ["images", "timeline", "instants", "findings", "sizes",
      "trust", "regions"])
      head[part] ??= [];
    this.instants = head.instants.map((ns) => ns - this.startNs());
    this.figures = head.compared !== undefined ? COMPARED :
      FIGURES.filter((figure) => figure.key in columns);
    if (this.instants.length > 1)
      this.figures.push(GROWTH, CHURN);
    this.cache = new Map();
    this.isMap = this.#markMaps();
  }

  /* Calls that each call made: members[starts[node]] and so on. */
  get callees() {
    if (this.known === undefined) {
      const starts = new Int32Array(this.nodeCount + 1);
      const members = new Int32Array(this.nodeCount);
      for (let i = 1; i < this.nodeCount; i++)
        starts[this.parents[i] + 1]++;
      for (let i = 0; i < this.nodeCount; i++)
        starts[i + 1] += starts[i];
      const next = starts.slice();
      for (let i = 1; i < this.nodeCount; i++)
        members[next[this.parents[i]]++] = i;
      this.known = { starts, members };
    }
    return this.known;
  }

  startNs() {
    const head = this.head;
    return head.images.length > 0 ? head.images[0].start_ns :
      head.timeline.length > 0 ? head.timeline[0][0] : 0;
  }

  /* Unless it is said, what is live, or of a program that ended, its peak. */
  figure(key) {
    const usual = this.head.running ? "live-bytes" : "peak-bytes";
    const has = (one) => this.head.compared !== undefined ||
      (one.key in this.columns &&
        this.columns[one.key].some((value) => value !== 0));
    return this.figures.find((one) => one.key === key) ||
      this.figures.find((one) => one.key === usual && has(one)) ||
      this.figures.find(has) || this.figures[0];
  }

  /* What of a name: label, function, file, module; "" is not known. */
  text(name, part) {
    return this.texts[this.columns[`name.${part}`][name]];
  }

  label(name) {
    return this.text(name, "function") || this.text(name, "label");
  }

  /* Without its folders. */
  module(name) {
    return this.text(name, "module").split("/").pop();
  }

  place(name) {
    const file = this.text(name, "file");
    const line = this.columns["name.line"][name];
    return file === "" ? this.text(name, "module") :
      line > 0 ? `${file}:${line}` : file;
  }

  isFolded(name) {
    return (this.columns["name.flags"][name] & FOLDED) !== 0;
  }

  #markMaps() {
    const marks = new Uint8Array(this.nodeCount);
    for (let i = 1; i < this.nodeCount; i++)
      marks[i] = marks[this.parents[i]] |
        (this.columns["name.flags"][this.names[i]] & MAP ? 1 : 0);
    return marks;
  }

  /* Where changes of instant i begin. */
  #changesBefore(instant) {
    const counts = this.columns["instant.changes"];
    let at = 0;
    for (let i = 0; i < instant; i++)
      at += counts[i];
    return at;
  }

  /* What grew by end behind instant `from` (-1: the start), until `to`. */
  #grown(from, to, what, minus) {
    const values = new Float64Array(this.endCount);
    const ends = this.columns["change.end"], plus = this.columns[what];
    const less = minus === undefined ? null : this.columns[minus];
    const last = this.#changesBefore(to + 1);
    for (let i = this.#changesBefore(from + 1); i < last; i++)
      values[ends[i]] += plus[i] - (less === null ? 0 : less[i]);
    return values;
  }

  /* By end, in an interval [from, to] of instants, or null for all. */
  own(key, interval) {
    const name = `${key} ${interval}`;
    let values = this.cache.get(name);
    if (values !== undefined)
      return values;
    const last = this.instants.length - 1;
    const [from, to] = interval || [-1, last];
    if (key === "growth" && this.head.compared !== undefined)
      values = this.columns["after-bytes"]
        .map((value, end) => value - this.columns["before-bytes"][end]);
    else if (key === "growth")
      values = this.#grown(from, to, "change.bytes", "change.freed-bytes");
    else if (key === "churn" || (interval && key === "total-bytes"))
      values = this.#grown(from, to, "change.bytes");
    else if (interval && key === "live-bytes")
      values = this.#grown(-1, to, "change.bytes", "change.freed-bytes");
    else if (interval && key === "live-blocks")
      values = this.#grown(-1, to, "change.blocks", "change.freed-blocks");
    else if (interval && key === "total-blocks")
      values = this.#grown(from, to, "change.blocks");
    else
      values = this.columns[key];
    if (this.cache.size > 16)
      this.cache.clear();
    this.cache.set(name, values);
    return values;
  }

  /* What was held before and after: of both sides, or of an interval's ends. */
  sides(interval) {
    if (this.head.compared !== undefined)
      return [this.columns["before-bytes"], this.columns["after-bytes"]];
    const [from, to] = interval || [-1, this.instants.length - 1];
    return [from, to].map((at) => at < 0 ? new Float64Array(this.endCount) :
      this.own("live-bytes", [-1, at]));
  }

  /* Whether a figure is known for an interval alone. */
  static isOverTime(key) {
    return ["growth", "churn", "total-bytes", "live-bytes", "live-blocks",
      "total-blocks"].includes(key);
  }

  /* By node: 1 where the name of the call, its place or its module is like a
     regular expression. */
  matches(pattern) {
    const name = `match ${pattern}`;
    let marks = this.cache.get(name);
    if (marks !== undefined)
      return marks;
    const expression = regularExpression(pattern);
    const count = this.columns["name.label"].length;
    const byName = new Uint8Array(count);
    for (let i = 0; i < count; i++)
      byName[i] = expression.test(this.text(i, "label")) ||
        expression.test(this.place(i)) ||
        expression.test(this.text(i, "module")) ? 1 : 0;
    marks = byName;
    this.cache.set(name, marks);
    return marks;
  }

  /* By node, whether it or a call below it is like the pattern. */
  #below(pattern) {
    const byName = this.matches(pattern);
    const marks = new Uint8Array(this.nodeCount);
    for (let i = 1; i < this.nodeCount; i++)
      marks[i] = marks[this.parents[i]] | byName[this.names[i]];
    return marks;
  }

  /* By end, whether its stack is wanted. */
  wanted({ only, without, kind }) {
    const marks = new Uint8Array(this.endCount).fill(1);
    const inside = only === "" ? null : this.#below(only);
    const outside = without === "" ? null : this.#below(without);
    marks[0] = 0;
    for (let i = 1; i < this.endCount; i++) {
      const node = this.endNodes[i];
      if ((inside !== null && inside[node] === 0) ||
          (outside !== null && outside[node] === 1) ||
          (kind === "heap" && this.isMap[node] === 1) ||
          (kind === "maps" && this.isMap[node] === 0))
        marks[i] = 0;
    }
    return marks;
  }

  /* The innermost call of a stack that is to blame. */
  blamed(node) {
    let at = node;
    while (at > 0 && this.isFolded(this.names[at]))
      at = this.parents[at];
    return at > 0 ? at : node;
  }

  /* Calls of a node, innermost first. */
  stack(node) {
    const calls = [];
    for (let at = node; at > 0; at = this.parents[at])
      calls.push(this.names[at]);
    return calls;
  }

  sum(values, wanted) {
    let all = 0;
    for (let i = 1; i < this.endCount; i++)
      all += wanted[i] ? values[i] : 0;
    return all;
  }
}

/* What is typed; if it is no regular expression, as it stands. */
export function regularExpression(pattern) {
  try {
    return new RegExp(pattern, "i");
  } catch {
    return new RegExp(pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
  }
}
