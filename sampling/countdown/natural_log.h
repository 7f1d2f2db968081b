/* SPDX-License-Identifier: Apache-2.0 */
/*
 * natural_log.h - logarithms, where there is no math.h
 *
 * Exact to a few units in the last place. Any context. Hosts only.
 */
#ifndef TALLY_CORE_NATURAL_LOG_H
#define TALLY_CORE_NATURAL_LOG_H

/* Of a finite x > 0; anything else gives a number that means nothing. */
double natural_log(double x);

/* Of 1 + x, for -1 < x <= 1: exact also where 1 + x is rounded. */
double natural_log_1p(double x);

#endif /* TALLY_CORE_NATURAL_LOG_H */
