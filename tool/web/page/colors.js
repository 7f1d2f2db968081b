/* SPDX-License-Identifier: Apache-2.0 */
/*
 * colors.js - a colour says which module a call is of, or which kind of memory
 * it is that is no heap, the same in each view
 *
 * The first hues are those of Okabe and Ito, which people who see colours
 * differently tell apart; the module that holds most has the first.
 */
import { KINDS } from "./profile.js";

const HUES = [202, 41, 164, 327, 27, 56, 214, 14];
const REST = "other modules";

/* read once a picture, not once a frame */
const scheme = matchMedia("(prefers-color-scheme: dark)");
let isDark = scheme.matches;

/* By kind, saturation and hue: paler than all modules. */
const KIND_COLORS = [null, [26, 280], [26, 95], [26, 0]];

export class Colors {
  constructor(profile) {
    const sums = new Map(), columns = profile.columns;
    const values = columns["total-bytes"] || columns["live-bytes"] ||
      columns["after-bytes"] || new Float64Array(profile.endCount);
    for (let i = 1; i < profile.endCount; i++) {
      const module = profile.module(profile.names[profile.blamed[i]]);
      if (profile.kindOf(i) <= 1)
        sums.set(module, (sums.get(module) || 0) + Math.abs(values[i]));
    }
    this.profile = profile;
    this.known = [[], []]; /* by name, where it is light or dark */
    this.hues = new Map();
    [...sums].sort((a, b) => b[1] - a[1]).slice(0, HUES.length)
      .forEach(([module], index) => this.hues.set(module, HUES[index]));
  }

  static look() {
    isDark = scheme.matches;
  }

  /* `shade` from 0 to 4 sets neighbours apart. */
  #light(shade) {
    return isDark ? 30 + shade * 2 : 78 - shade * 2;
  }

  of(module, shade = 0) {
    const hue = this.hues.get(module);
    return hue === undefined ? `hsl(0 0% ${this.#light(shade)}%)` :
      `hsl(${hue} 62% ${this.#light(shade)}%)`;
  }

  ofKind(kind, shade = 0) {
    const [saturation, hue] = KIND_COLORS[kind];
    return `hsl(${hue} ${saturation}% ${this.#light(shade)}%)`;
  }

  ofName(name) {
    return this.known[Number(isDark)][name] ??=
      this.ofRow({ name, kind: this.profile.kindOfName(name) });
  }

  ofRow({ name, kind }, shade = name) {
    return kind > 0 ? this.ofKind(kind, shade % 5) :
      this.of(this.profile.module(name), shade % 5);
  }

  /* Return the legend. */
  legend() {
    return [...[...this.hues.keys()].map((module) => [
      module === "" ? "no module" : module, this.of(module)]),
    [REST, this.of(null)],
    ...KINDS.map(([, title], kind) => [title, kind])
      .filter(([, kind]) => kind > 0 && this.profile.kindsThere.has(kind))
      .map(([title, kind]) => [title, this.ofKind(kind)])];
  }
}

/* Blue where it shrank and red where it grew, the more so the larger its part:
   white is no change. */
export function growthColor(grown, whole) {
  const part = whole > 0 ? Math.max(-1, Math.min(1, grown / whole)) : 0;
  const light = isDark ? 25 + 25 * Math.abs(part) :
    95 - 40 * Math.abs(part);
  return part === 0 ? `hsl(0 0% ${light}%)` :
    `hsl(${part > 0 ? 14 : 214} 75% ${light}%)`;
}
