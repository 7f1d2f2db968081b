/* SPDX-License-Identifier: Apache-2.0 */
/*
 * distribution.h - where 2.5 % of a distribution lie below, and 2.5 % above
 *
 * Quantiles of the gamma distribution, which exact intervals of 95 % for counts
 * are made of. Relative errors are below 1e-5. Formulas: Abramowitz and Stegun,
 * Handbook of Mathematical Functions, 6.5.29, 6.5.31 and 26.4.17.
 */
#ifndef TALLY_TOOL_MODEL_DISTRIBUTION_H
#define TALLY_TOOL_MODEL_DISTRIBUTION_H

enum distribution_tail { DISTRIBUTION_LOW, DISTRIBUTION_HIGH };

/* How far the normal distribution's 2.5 % are from its middle. */
#define DISTRIBUTION_NORMAL 1.959963984540054

/*
 * The x below which 97.5 % (HIGH) of the gamma distribution of that shape, above 0,
 * and scale 1 lie; or, LOW, 2.5 % of what lies below x of the distribution of shape
 * 1. So many counts of mean x, or more, are that rare among those that are not 0,
 * which are all that is looked at. 0 for a shape up to 1.
 */
double distribution_gamma(double shape, enum distribution_tail tail);

#endif /* TALLY_TOOL_MODEL_DISTRIBUTION_H */
