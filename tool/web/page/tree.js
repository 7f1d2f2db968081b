/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.js - calls as one tree to draw: by function or by line, with wrappers
 * left to their callers, from either end or from one function on
 *
 * A node is expanded when it is looked at, so that large profiles are drawn at
 * once. Amounts below zero have no width: they are summed as `negative`. Of
 * growth a call is as wide as the more of before and after. `sums` are those of
 * parts() of accounts.js, of growth at least before and after.
 */

/* Calls of equal numbers are one: of a function, or of a line of it. */
export function groupsOf(profile, byLine) {
  return profile.once("groups", byLine, () => {
    const first = [], known = new Map(), { columns } = profile;
    const groups = columns["name.label"].map((label, name) => {
      const key = byLine ? name : `${label} ${columns["name.module"][name]}`;
      if (!known.has(key)) {
        known.set(key, first.length);
        first.push(name);
      }
      return known.get(key);
    });
    return { groups, first };
  });
}

/* By node, the outermost call of that label that led to it, or 0. */
function outermost(profile, label) {
  const nodes = new Int32Array(profile.nodeCount);
  const isIt = profile.columns["name.label"]
    .map((_, name) => profile.label(name) === label ? 1 : 0);
  for (let i = 1; i < profile.nodeCount; i++)
    nodes[i] = nodes[profile.parents[i]] || (isIt[profile.names[i]] ? i : 0);
  return nodes;
}

/* What is to be expanded: from the roots, calls of the profile; from the
   leaves, where each stack has got to, and what it weighs. */
class FromRoots {
  constructor(profile, weights, groups, ends, begins) {
    this.profile = profile;
    this.groups = groups;
    this.ends = begins === null ? ends : ends.map((node, end) =>
      Math.max(node, begins[profile.endNodes[end]]));
    this.totals = this.weigh(weights);
    this.begins = begins;
    this.all = begins === null ? [0] :
      [...begins.keys()].filter((node) => node > 0 && begins[node] === node);
    this.total = this.all.reduce((sum, node) => sum + this.totals[node], 0);
  }

  /* By what at() says of an item, what it weighs. */
  weigh(values) {
    const { profile } = this;
    const totals = new Float64Array(profile.nodeCount);
    for (let i = 1; i < profile.endCount; i++)
      totals[this.ends[i]] += values[i];
    for (let i = profile.nodeCount - 1; i > 0; i--)
      totals[profile.parents[i]] += totals[i];
    return totals;
  }

  at(call) {
    return call;
  }

  /* Calls inside those of a node, by group. */
  expand(items, isRoot) {
    const { profile, totals, groups } = this, found = new Map();
    if (isRoot && this.begins !== null) {
      for (const call of items)
        add(found, groups[profile.names[items[0]]], totals[call], call);
      return found;
    }
    const { starts, members } = profile.callees;
    for (const call of items) {
      for (let i = starts[call]; i < starts[call + 1]; i++) {
        const callee = members[i];
        if (totals[callee] > 0)
          add(found, groups[profile.names[callee]], totals[callee], callee);
      }
    }
    return found;
  }
}

class FromLeaves {
  constructor(profile, weights, groups, ends, begins) {
    this.profile = profile;
    this.groups = groups;
    this.weights = weights;
    this.all = [];
    this.total = 0;
    for (let end = 1; end < profile.endCount; end++) {
      const from = begins === null ? ends[end] : begins[profile.endNodes[end]];
      if (weights[end] > 0 && from > 0) {
        this.all.push([end, from]);
        this.total += weights[end];
      }
    }
  }

  weigh(values) {
    return values;
  }

  at([end]) {
    return end;
  }

  /* An item is an end, and the call that its stack has got to. */
  expand(items) {
    const { profile, groups, weights } = this, found = new Map();
    for (const [end, call] of items) {
      if (call > 0)
        add(found, groups[profile.names[call]], weights[end],
          [end, profile.parents[call]]);
    }
    return found;
  }
}

function add(found, group, weight, item) {
  const known = found.get(group);
  if (known === undefined)
    found.set(group, { total: weight, items: [item] });
  else {
    known.total += weight;
    known.items.push(item);
  }
}

export class Tree {
  constructor(profile, values, wanted, options) {
    const { groups, first } = groupsOf(profile, options.byLine);
    const weights = new Float64Array(profile.endCount), { sides } = options;
    const Way = options.inverted ? FromLeaves : FromRoots;
    this.negative = 0;
    for (let i = 1; i < profile.endCount; i++) {
      if (wanted[i] && sides !== null)
        weights[i] = Math.max(sides[0][i], sides[1][i], 0);
      else if (wanted[i] && values[i] < 0)
        this.negative += values[i];
      else if (wanted[i])
        weights[i] = values[i];
    }
    this.isOfGrowth = sides !== null;
    this.byLine = options.byLine;
    this.profile = profile;
    this.first = first;
    this.way = new Way(profile, weights, groups, options.ends,
      options.of === "" ? null : outermost(profile, options.of));
    this.parts = (options.parts ?? sides)?.map((column) =>
      this.way.weigh(column.map((value, end) => wanted[end] ? value : 0)));
    this.sums = [this.#sumsOf(this.way.all)];
    this.parents = [-1];
    this.groups = [-1];
    this.depths = [0];
    this.totals = [this.way.total];
    this.items = [this.way.all];
    this.expanded = [];
  }

  get size() {
    return this.parents.length;
  }

  /* The heaviest first; made when they are first asked for. */
  children(node) {
    if (this.expanded[node] !== undefined)
      return this.expanded[node];
    const children = [];
    const found = this.way.expand(this.items[node], node === 0);
    for (const [group, { total, items }] of found) {
      children.push(this.size);
      this.parents.push(node);
      this.groups.push(group);
      this.depths.push(this.depths[node] + 1);
      this.totals.push(total);
      this.items.push(items);
      this.sums.push(this.#sumsOf(items));
    }
    children.sort((a, b) => this.totals[b] - this.totals[a] || a - b);
    this.items[node] = null;
    this.expanded[node] = children;
    return children;
  }

  #sumsOf(items) {
    return this.parts?.map((column) => items.reduce((sum, item) =>
      sum + column[this.way.at(item)], 0));
  }

  /* How much it grew, or holds. */
  value(node) {
    return this.isOfGrowth ? this.sums[node][1] - this.sums[node][0] :
      this.totals[node];
  }

  /* Of the call itself. */
  own(node) {
    return this.children(node)
      .reduce((rest, child) => rest - this.totals[child], this.totals[node]);
  }

  /* Any of the names that a node stands for; -1 of the root. */
  name(node) {
    return node === 0 ? -1 : this.first[this.groups[node]];
  }

  label(node) {
    return node === 0 ? "all" : this.profile.label(this.name(node));
  }

  /* What is written into a frame. */
  title(node) {
    const place = node > 0 && this.byLine ?
      this.profile.place(this.name(node)).split("/").pop() : "";
    return place === "" ? this.label(node) : `${this.label(node)} (${place})`;
  }

  /* From the root, as texts that other trees of this page understand. */
  path(node) {
    const groups = [];
    for (let at = node; at > 0; at = this.parents[at])
      groups.unshift(this.groups[at]);
    return groups.join(".");
  }

  /* As far as there are such calls. */
  follow(path) {
    let node = 0;
    for (const group of path === "" ? [] : path.split(".").map(Number)) {
      const child = this.children(node)
        .find((one) => this.groups[one] === group);
      if (child === undefined)
        break;
      node = child;
    }
    return node;
  }
}
