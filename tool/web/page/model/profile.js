/* SPDX-License-Identifier: Apache-2.0 */
/* profile.js - who called, and what calls are called. Nodes are calls by line,
   parents before their children. What ends at a node is its own; the sum over
   all above it is its total. */
import { Accounts } from "./accounts.js";
import { regularExpression } from "./patterns.js";

const MAIN = /^(_start|__libc_start\w*)$/;
const THREAD = /^(start_thread|(__)?clone3?|thread_start)$/;
const MAP = 2, WRAPPER = 4, FILE = 16, STACK = 32, LEVEL = 64;

/* Kinds of memory, by number: a key, a name and a mark. */
export const KINDS = [["heap", "heap", ""], ["maps", "mmap memory", "[mmap]"],
  ["files", "file mappings", "[file]"],
  ["threads", "thread stacks", "[thread]"]];

export class Profile extends Accounts {
  constructor(head, value) {
    super(head, value);
    this.parents = this.columns["node.parent"];
    this.nodeCount = this.parents.length;
    this.names = this.columns["node.name"];
    this.endNodes = this.columns["end.node"];
    this.blamed = this.endNodes.map((node, end) => {
      let at = node; /* from the innermost call outwards */
      for (let left = this.columns["end.folded"][end]; left > 0; left--)
        at = this.parents[at];
      return at;
    });
    this.kinds = this.inherit((above, name) => this.kindOfName(name) || above);
    this.kindsThere = new Set(this.kinds);
  }

  /* By node: 1 of a wrapper or a frame above main, 2 above a thread, else 0. */
  get skipped() {
    return this.once("skipped", "", () => {
      const flags = this.columns["name.flags"];
      const kinds = flags.map((flag, name) => THREAD.test(this.label(name)) ?
        2 : flag & WRAPPER || MAIN.test(this.label(name)) ? 1 : 0);
      return this.inherit((above, name) =>
        kinds[name] === 0 ? 0 : Math.max(kinds[name], above));
    });
  }

  /* Findings, each with the label of its function, or "", and its amounts in
     words: of FUNCTION (PLACE): FIGURES; --OPTION. */
  get findings() {
    return this.once("findings", "", () => this.head.findings.map((one) => {
      const name = this.columns["name.label"].findIndex((_, at) =>
        one.function === this.text(at, "label") ||
        one.function === this.label(at));
      return { ...one, name: name < 0 ? "" : this.label(name),
        figures: /(?:.*: )?(.*?)(?:; --.*)?$/.exec(one.text)[1] };
    }));
  }

  /* Calls that each call made: members[starts[node]] and so on. */
  get callees() {
    return this.once("callees", "", () => {
      const starts = new Int32Array(this.nodeCount + 1);
      const members = new Int32Array(this.nodeCount);
      for (let i = 1; i < this.nodeCount; i++) starts[this.parents[i] + 1]++;
      for (let i = 0; i < this.nodeCount; i++) starts[i + 1] += starts[i];
      const next = starts.slice();
      for (let i = 1; i < this.nodeCount; i++)
        members[next[this.parents[i]]++] = i;
      return { starts, members };
    });
  }

  /* Return the label, function, file or module of a name; "" if unknown. */
  text(name, part) {
    return this.head.texts[this.columns[`name.${part}`][name]];
  }

  label(name) {
    return this.text(name, "function") || this.text(name, "label");
  }

  /* By name, 1 if it has the label. */
  withLabel(label) {
    return this.columns["name.label"].map((_, name) =>
      Number(this.label(name) === label));
  }

  module(name) {
    return this.text(name, "module").split("/").pop();
  }

  line(name) {
    return this.columns["name.line"][name];
  }

  /* Return FILE:LINE, or FILE:FIRST-LAST of several lines. */
  place(name, first = this.line(name), last = first) {
    const file = this.text(name, "file");
    return file === "" ? this.text(name, "module") :
      last === 0 ? file : `${file}:${first}${last > first ? `-${last}` : ""}`;
  }

  source(name) {
    return "name.source" in this.columns ? this.text(name, "source") : "";
  }

  #has(name, flag) {
    return (this.columns["name.flags"][name] & flag) !== 0;
  }

  kindOfName(name) {
    return !this.#has(name, MAP) ? 0 : this.#has(name, FILE) ? 2 :
      this.#has(name, STACK) ? 3 : 1;
  }

  /* By node, what `valueOf` makes of its caller's value, its name and it. */
  inherit(valueOf) {
    const values = new Int32Array(this.nodeCount);
    for (let i = 1; i < this.nodeCount; i++)
      values[i] = valueOf(values[this.parents[i]], this.names[i], i);
    return values;
  }

  /* By name, 1 if it, its place or module matches; by node, if a call does. */
  below(pattern) {
    const expression = regularExpression(pattern);
    const byName = this.columns["name.label"].map((_, name) =>
      ["label", "function", "module"].some((part) =>
        expression.test(this.text(name, part))) ||
      expression.test(this.place(name)) ? 1 : 0);
    return { byName, below: this.withCallees(byName) };
  }

  /* By node, whether it or a call that led to it is of a marked name. */
  withCallees(byName) {
    return this.inherit((above, name) => above | byName[name]);
  }

  wanted(only, without, kind) {
    const [inside, outside] = [only, without].map((lines) =>
      lines.split("\n").filter(Boolean).map((one) => this.below(one).below));
    const one = KINDS.findIndex(([key]) => key === kind);
    const kinds = kind === "all" ? [0, 1, 2, 3] : one < 0 ? [0, 1] : [one];
    return this.endNodes.map((node, end) => Number(end > 0 &&
      inside.every((is) => is[node] === 1) &&
      outside.every((is) => is[node] === 0) &&
      kinds.includes(this.kinds[node])));
  }

  isCall(name) {
    return !this.#has(name, LEVEL);
  }

  /* Calls of a node, innermost first; `skipped` marks those left out. */
  stack(node, skipped = null) {
    const calls = [];
    for (let at = node; at > 0; at = this.parents[at]) {
      if (this.isCall(this.names[at]) && !(at !== node && skipped?.[at]))
        calls.push(this.names[at]);
    }
    return calls;
  }
}
