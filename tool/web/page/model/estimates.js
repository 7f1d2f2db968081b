/* SPDX-License-Identifier: Apache-2.0 */
/* estimates.js - intervals of 95 %, as in tool/model/profile/quantities.h.
   Quantiles of gamma distributions are in the data, for shapes from 1 in steps
   of 1/64 of a doubling; a cubic goes through the four that are nearest. */

const STEPS = 64, LARGE = 1000, NORMAL = 1.959963984540054;
const FOUR = [0, 1, 2, 3];

export class Estimates {
  constructor(head) {
    const { sample_interval: step = 0 } = head;
    this.steps = head.sample_intervals ?? [step, step];
    this.areExact = this.steps.every((one) => one <= 1);
    this.isCompared = head.compared !== undefined;
    this.quantiles = head.quantiles;
  }

  #gamma(shape, side) {
    if (shape > LARGE)
      return shape * (1 - 1 / (9 * shape) +
        (side === 1 ? NORMAL : -NORMAL) / (3 * Math.sqrt(shape))) ** 3;
    const at = Math.log2(Math.max(shape, 1)) * STEPS;
    const first = Math.max(Math.floor(at) - 1, 0);
    return FOUR.reduce((sum, i) => sum + this.quantiles[first + i][side] *
      FOUR.reduce((part, j) => i === j ? part :
        part * (at - first - j) / (i - j), 1), 0);
  }

  #around(unit, step, value, variance, seen) {
    const isBytes = unit === "bytes";
    const weight = Math.max(value > 0 ? variance / value : 0, !isBytes ? step :
      step * (1 + 0.3 * Math.log1p(value / step)));
    const upper = value + weight, upperVariance = variance + weight ** 2;
    const low = value === 0 || variance === 0 ? value :
      (variance / value) * this.#gamma(value ** 2 / variance, 0);
    const high = (upperVariance / upper) *
      this.#gamma(upper ** 2 / upperVariance, 1);
    return [Math.min(value, Math.max(seen,
      isBytes || variance === 0 ? low : low - 1)), high];
  }

  /* Without variance it is exact, but 0 may not have been sampled. */
  #ofSide(unit, side, value, variance, seen = 0, isSampled = this.isCompared) {
    const isExact = variance === 0 && (value !== 0 || !isSampled);
    return isExact || this.steps[side] <= 1 ? [value, value] :
      this.#around(unit, this.steps[side], Math.max(value, 0), variance, seen);
  }

  #less(gone, was, made, is) {
    return [made - gone - Math.hypot(made - is[0], was[1] - gone),
      made - gone + Math.hypot(is[1] - made, gone - was[0])];
  }

  /* Return the interval of sums as #partsOfGrowth() of accounts.js has them. */
  #ofGrowth(unit, before, after, wasOff, isOff, ...rest) {
    if (rest.length === 2)
      return this.#less(before, this.#ofSide(unit, 0, before, wasOff, rest[0]),
        after, this.#ofSide(unit, 1, after, isOff, rest[1]));
    const [freedOff = 0, madeOff = 0, freed = 0] = rest;
    if (wasOff + isOff + freedOff + madeOff <= 0 &&
      (before > 0 || after > 0 || !this.isCompared)) return [0, 0];
    const around = (value, variance) => this.#around(unit, this.steps[1],
      Math.max(value, 0), Math.max(variance, 0), 0);
    if (rest.length === 0) return around(after - before, isOff - wasOff);
    const gone = Math.max(Math.min(before, freed), 0);
    const made = Math.max(after - before + gone, 0);
    return this.#less(gone, around(gone, Math.min(wasOff, freedOff)), made,
      around(made, Math.min(isOff, madeOff)));
  }

  /* [low, high] of sums of the columns of Accounts.parts(); null if exact. */
  of({ key, unit, side = 0 }, ...sums) {
    if (this.areExact) return null;
    const [low, high] = key === "growth" ? this.#ofGrowth(unit, ...sums) :
      this.#ofSide(unit, side, ...sums);
    return high - low < 0.5 ? null : [low, high];
  }
}
