/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.js - who called, and what calls are called
 *
 * Nodes are calls by line, parents before their children. What ends at a node
 * is its own; the sum over all above it is its total.
 */
import { Accounts } from "./accounts.js";
import { regularExpression } from "./patterns.js";

const MAP = 2, FILE = 16, STACK = 32, LEVEL = 64;

/* Kinds of memory, by number. */
export const KINDS = [["heap", "heap"], ["maps", "anonymous maps"],
  ["files", "mapped files"], ["threads", "thread stacks"]];

export class Profile extends Accounts {
  constructor(head) {
    super(head);
    this.texts = head.texts;
    this.nodeCount = this.columns["node.parent"].length;
    this.parents = this.columns["node.parent"];
    this.names = this.columns["node.name"];
    this.endNodes = this.columns["end.node"];
    this.blamed = this.endNodes.map((node, end) => {
      let at = node; /* from the innermost call outwards */
      for (let left = this.columns["end.folded"][end]; left > 0; left--)
        at = this.parents[at];
      return at;
    });
    this.kinds = this.#findKinds();
    this.kindsThere = new Set(this.kinds);
  }

  /* Calls that each call made: members[starts[node]] and so on. */
  get callees() {
    return this.once("callees", "", () => {
      const starts = new Int32Array(this.nodeCount + 1);
      const members = new Int32Array(this.nodeCount);
      for (let i = 1; i < this.nodeCount; i++)
        starts[this.parents[i] + 1]++;
      for (let i = 0; i < this.nodeCount; i++)
        starts[i + 1] += starts[i];
      const next = starts.slice();
      for (let i = 1; i < this.nodeCount; i++)
        members[next[this.parents[i]]++] = i;
      return { starts, members };
    });
  }

  /* Return the label, function, file or module of a name; "" if unknown. */
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

  line(name) {
    return this.columns["name.line"][name];
  }

  /* Return FILE:LINE, or FILE:FIRST-LAST of several lines. */
  place(name, first = this.line(name), last = first) {
    const file = this.text(name, "file");
    return file === "" ? this.text(name, "module") :
      last === 0 ? file : `${file}:${first}${last > first ? `-${last}` : ""}`;
  }

  /* The line of source, if the page has it. */
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

  /* By node, the number of the kind of memory that ends there. */
  #findKinds() {
    const kinds = new Uint8Array(this.nodeCount);
    for (let i = 1; i < this.nodeCount; i++)
      kinds[i] = this.kindOfName(this.names[i]) || kinds[this.parents[i]];
    return kinds;
  }

  kindOf(end) {
    return this.kinds[this.endNodes[end]];
  }

  /* By node, whether the name, place or module of it or of a call that led to
     it is like the pattern. */
  #below(pattern) {
    const expression = regularExpression(pattern);
    const byName = this.columns["name.label"].map((_, name) =>
      expression.test(this.text(name, "label")) ||
      expression.test(this.text(name, "function")) ||
      expression.test(this.place(name)) ||
      expression.test(this.text(name, "module")) ? 1 : 0);
    const marks = new Uint8Array(this.nodeCount);
    for (let i = 1; i < this.nodeCount; i++)
      marks[i] = marks[this.parents[i]] | byName[this.names[i]];
    return marks;
  }

  /* By end, whether its stack is wanted. */
  wanted(only, without, kind) {
    const marks = new Uint8Array(this.endCount).fill(1);
    const inside = only === "" ? null : this.#below(only);
    const outside = without === "" ? null : this.#below(without);
    const kinds = kind === "all" ? [0, 1, 2, 3] : kind === "memory" ? [0, 1] :
      [KINDS.findIndex(([key]) => key === kind)];
    marks[0] = 0;
    for (let i = 1; i < this.endCount; i++) {
      const node = this.endNodes[i];
      if (inside?.[node] === 0 || outside?.[node] === 1 ||
          !kinds.includes(this.kinds[node]))
        marks[i] = 0;
    }
    return marks;
  }

  /* Calls of a node, innermost first. */
  stack(node) {
    const calls = [];
    for (let at = node; at > 0; at = this.parents[at]) {
      if (!this.#has(this.names[at], LEVEL))
        calls.push(this.names[at]);
    }
    return calls;
  }
}
