/* SPDX-License-Identifier: Apache-2.0 */
/*
 * estimates.js - intervals of 95 % around what samples tell, as
 * tool/model/profile/estimate.h has them
 *
 * Quantiles of gamma distributions are in the data, for shapes from 1 in steps
 * of 1/64 of a doubling; between them lies a straight line.
 */

const STEPS = 64, NORMAL = 1.959963984540054;

export class Estimates {
  constructor(head) {
    this.interval = head.sample_interval > 1 ? head.sample_interval : 0;
    this.quantiles = head.quantiles;
  }

  get areExact() {
    return this.interval === 0;
  }

  #gamma(shape, isHigh) {
    const side = isHigh ? 1 : 0, at = Math.log2(Math.max(shape, 1)) * STEPS;
    const low = Math.floor(at);
    if (low + 1 >= this.quantiles.length) {
      const root = 1 - 1 / (9 * shape) +
        (isHigh ? NORMAL : -NORMAL) / (3 * Math.sqrt(shape));
      return shape * root ** 3;
    }
    const [a, b] = [this.quantiles[low][side], this.quantiles[low + 1][side]];
    return a + (b - a) * (at - low);
  }

  /* [low, high], or null where the value is exact. Where the variance is not
     known, as if all blocks were small. */
  of(figure, value, known) {
    const isBytes = figure.unit === "bytes", step = this.interval;
    if (this.areExact || value < 0 || figure.key === "growth")
      return null;
    if (!isBytes && known === undefined)
      return null;
    const variance = known ?? value * step;
    const weight = !isBytes ? step :
      step * (1 + 0.3 * Math.log1p(value / step));
    const upper = value + weight, upperVariance = variance + weight ** 2;
    const low = value === 0 || variance === 0 ? value : (variance / value) *
      this.#gamma(value ** 2 / variance, false);
    const high = (upperVariance / upper) *
      this.#gamma(upper ** 2 / upperVariance, true);
    return [isBytes || variance === 0 ? low : Math.max(low - 1, 0), high];
  }
}
