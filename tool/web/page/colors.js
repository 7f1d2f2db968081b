/* SPDX-License-Identifier: Apache-2.0 */
/* colors.js - a colour for each function, from its name alone: the same in all
   views, runs and sides of a comparison; system libraries are grey */
import { KINDS } from "./model/profile.js";

const SYSTEM = new RegExp("^(ld-|linux-vdso|\\[vdso|lib(c|m|dl|rt|pthread|" +
  "stdc\\+\\+|gcc_s|c\\+\\+|c\\+\\+abi|unwind|tally[a-z-]*)[-.])");
const HATCH = "repeating-linear-gradient(45deg, var(--ink) 0 1.5px, " +
  "transparent 1.5px 6px)";

/* read once a change, not once a frame */
export const scheme = matchMedia("(prefers-color-scheme: dark)");
export let isDark = scheme.matches;
scheme.addEventListener("change", () => {
  isDark = scheme.matches;
});

const KIND_HUES = [null, null, 95, 0];

/* Return FNV-1a of a text, with one step more to spread texts of equal ends. */
function hash(text) {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++)
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ value >>> 16, 0x85ebca6b);
  return (value ^ value >>> 13) >>> 0;
}

export class Colors {
  constructor(profile) {
    this.profile = profile;
    this.known = [[], []]; /* by name, where it is light or dark */
  }

  /* `shade` from 0 to 4 sets neighbours apart. */
  #color(hue, saturation, shade) {
    return `hsl(${hue} ${saturation}% ${isDark ? 24 + shade * 2 :
      84 - shade * 3}%)`;
  }

  grey(shade = 0) {
    return this.#color(0, 0, shade);
  }

  ofKind(kind) {
    return this.#color(KIND_HUES[kind], 18, 2); /* paler than functions */
  }

  ofName(name) {
    return this.known[Number(isDark)][name] ??=
      this.ofRow({ name, kind: this.profile.kindOfName(name) });
  }

  ofRow({ name, kind }) {
    if (kind > 1) return this.ofKind(kind);
    const value = hash(this.profile.label(name)), shade = (value >>> 9) % 5;
    return SYSTEM.test(this.profile.module(name)) ? this.grey(shade) :
      this.#color(value % 360, 44 + (value >>> 17) % 3 * (isDark ? 10 : 20), shade);
  }

  legend() {
    const there = this.profile.kindsThere;
    const hasSystem = this.profile.once("system", "", () =>
      [...this.profile.columns["name.module"].keys()].some((name) =>
        SYSTEM.test(this.profile.module(name))));
    return [...(hasSystem ? [["system libraries", this.grey(1)]] : []),
      ...(there.has(1) ? [["mmap memory", HATCH]] : []),
      ...[2, 3].filter((kind) => there.has(kind))
        .map((kind) => [KINDS[kind][1], this.ofKind(kind)])];
  }
}

/* Return blue where it shrank, red where it grew, else grey. */
export function growthColor(grown, whole) {
  const part = whole > 0 ? Math.max(-1, Math.min(1, grown / whole)) : 0;
  const light = isDark ? 24 + 12 * Math.abs(part) :
    95 - 40 * Math.abs(part);
  return part === 0 ? `hsl(0 0% ${light}%)` :
    `hsl(${part > 0 ? 14 : 214} 75% ${light}%)`;
}

/* From all that is held before to all that is held after. */
export const growthLegend = () =>
  [["gone", -1], ["-50 %", -0.5], ["no change", 0], ["+50 %", 0.5],
    ["new", 1]].map(([text, part]) => [text, growthColor(part, 1)]);
