/* SPDX-License-Identifier: Apache-2.0 */
/* tree.js - calls as one tree to draw, from either end or from one function on.
   A node is expanded when it is looked at, so that large profiles are drawn at
   once. Of growth a call is as wide as the more of before and after. `sums` are
   those of parts() of accounts.js, of growth at least before and after. */

/* Calls of equal numbers are one: of a function, or of a line of it. */
export function groupsOf(profile, byLine) {
  return profile.once("groups", byLine, () => {
    const known = new Map(), first = [], sizes = [], { columns } = profile;
    const groups = columns["name.label"].map((label, name) => {
      const key = byLine ? name : `${label} ${columns["name.module"][name]}`;
      const group = known.get(key) ?? first.push(name) - 1;
      known.set(key, group);
      sizes[group] = (sizes[group] ?? 0) + 1;
      return group;
    });
    return { groups, first, sizes };
  });
}

/* By node, the outermost call of that label that led to it, or 0. */
function outermost(profile, label) {
  const isIt = profile.withLabel(label);
  return profile.inherit((above, name, node) => above || isIt[name] * node);
}

/* From the roots: calls. `weigh` sums values by what `at` says of an item. */
function fromRoots(profile, groups, { weights, ends, begins, skipped, count }) {
  const first = begins?.filter((begin, node) => node > 0 && begin === node);
  const places = begins === null ? ends :
    ends.map((node, end) => Math.max(node, begins[profile.endNodes[end]]));
  const { callees: { starts, members }, parents } = profile;
  function weigh(values) {
    const totals = new Float64Array(profile.nodeCount);
    for (let i = 1; i < values.length; i++) totals[places[i]] += values[i];
    for (let i = totals.length - 1; i > 0; i--) totals[parents[i]] += totals[i];
    return totals;
  }
  const totals = weigh(weights), hasOwn = new Uint8Array(profile.nodeCount);
  for (let i = 1; i < profile.endCount; i++)
    hasOwn[places[i]] |= weights[i] > 0 ? 1 : 0;
  return {
    items: [0], weigh, at: (call) => call,
    expand(node, visit) {
      const calls = node === 0 && first ||
        members.subarray(starts[node], starts[node + 1]);
      for (const call of calls) {
        if (skipped?.[call] && calls !== first && !hasOwn[call])
          this.expand(call, visit);
        else if (totals[call] > 0)
          visit(groups[profile.names[call]] + (skipped?.[node] === 2 ?
            count : 0), call, totals[call]);
      }
    },
  };
}

/* From the leaves: ends, and the call that each one's stack has got to. */
function fromLeaves(profile, groups, { weights, ends, begins, skipped }) {
  const from = (end) =>
    begins === null ? ends[end] : begins[profile.endNodes[end]];
  return {
    items: [...ends.keys()].filter((end) => weights[end] > 0)
      .map((end) => [end, from(end)]),
    weigh: (values) => values, at: ([end]) => end,
    expand([end, last], visit) {
      let call = last;
      while (skipped?.[call] && last !== from(end))
        call = profile.parents[call];
      if (call > 0)
        visit(groups[profile.names[call]], [end, profile.parents[call]],
          weights[end]);
    },
  };
}

export class Tree {
  constructor(profile, values, wanted, options) {
    const { groups, first, sizes } = groupsOf(profile, options.byLine);
    const { sides } = options;
    const weights = values.map((value, end) => !wanted[end] ? 0 :
      sides === null ? Math.max(value, 0) :
        Math.max(sides[0][end], sides[1][end], 0));
    Object.assign(this, { profile, first, sizes, byLine: options.byLine,
      isOfGrowth: sides !== null });
    this.way = (options.inverted ? fromLeaves : fromRoots)(profile, groups, {
      weights, count: first.length, ends: options.ends, skipped: options.skipped,
      begins: options.of === "" ? null : outermost(profile, options.of),
    });
    const weigh = (column) =>
      this.way.weigh(column.map((value, end) => wanted[end] ? value : 0));
    this.parts = (options.parts ?? sides)?.map(weigh);
    this.blocks = options.blocks && weigh(options.blocks);
    this.mapped = profile.kindsThere.has(1) && weigh(weights.map((one, end) =>
      profile.kinds[profile.endNodes[end]] === 1 ? one : 0));
    this.maps = [0]; /* what is mmap memory of `totals` */
    this.counts = []; /* blocks by node, but of the root */
    this.parents = [-1];
    this.groups = [-1];
    this.depths = [0];
    this.totals = [0];
    this.sums = [undefined];
    this.items = [this.way.items];
    this.expanded = [];
    const all = this.children(0);
    this.totals[0] = all.reduce((sum, child) => sum + this.totals[child], 0);
    this.sums[0] = this.parts?.map((_, part) =>
      all.reduce((sum, child) => sum + this.sums[child][part], 0));
  }

  #addChild(node, group) {
    this.groups.push(group);
    this.depths.push(this.depths[node] + 1);
    this.totals.push(0);
    this.items.push([]);
    return this.parents.push(node) - 1;
  }

  /* The heaviest first; made when they are first asked for. */
  children(node) {
    if (this.expanded[node] !== undefined) return this.expanded[node];
    const found = new Map();
    for (const item of this.items[node])
      this.way.expand(item, (group, next, weight) => {
        const child = found.get(group) ?? this.#addChild(node, group);
        found.set(group, child);
        this.totals[child] += weight;
        this.items[child].push(next);
      });
    for (const child of found.values()) {
      const sum = (column) => this.items[child]
        .reduce((all, item) => all + column[this.way.at(item)], 0);
      this.sums[child] = this.parts?.map(sum);
      this.counts[child] = this.blocks && sum(this.blocks);
      this.maps[child] = this.mapped && sum(this.mapped);
    }
    this.items[node] = null;
    return this.expanded[node] = [...found.values()]
      .sort((a, b) => this.totals[b] - this.totals[a] || a - b);
  }

  value(node) {
    return this.isOfGrowth ? this.sums[node][1] - this.sums[node][0] :
      this.totals[node];
  }

  own(node) {
    return this.children(node)
      .reduce((rest, child) => rest - this.totals[child], this.totals[node]);
  }

  #group(node) {
    return this.groups[node] % this.first.length;
  }

  /* Any of the names that a node stands for; -1 of the root. */
  name(node) {
    return node === 0 ? -1 : this.first[this.#group(node)];
  }

  /* Return FILE:LINE, or FILE of calls of several lines. */
  place(node) {
    return node === 0 ? "" : this.profile.place(this.name(node),
      this.sizes[this.#group(node)] > 1 ? 0 : undefined);
  }

  label(node) {
    return node === 0 ? "all" : this.profile.label(this.name(node));
  }

  /* Return what stands before the first call of a thread. */
  thread(node) {
    return this.groups[node] < this.first.length ? "" : "thread ";
  }

  title(node) {
    const place = node > 0 && this.byLine ?
      this.profile.place(this.name(node)).split("/").pop() : "";
    return this.thread(node) + this.label(node) +
      (place === "" ? "" : ` (${place})`);
  }

  /* From the root, as texts that other trees of this page understand. */
  path(node) {
    const groups = [];
    for (let at = node; at > 0; at = this.parents[at])
      groups.unshift(this.groups[at]);
    return groups.join(".");
  }

  /* Follow the path as far as its calls exist. */
  follow(path) {
    let node = 0;
    for (const group of path === "" ? [] : path.split(".").map(Number)) {
      const child = this.children(node)
        .find((one) => this.groups[one] === group);
      if (child === undefined) break;
      node = child;
    }
    return node;
  }
}
