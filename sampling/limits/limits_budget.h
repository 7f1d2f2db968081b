/* SPDX-License-Identifier: Apache-2.0 */
/* limits_budget.h - budgets that the environment sets: TALLY_LIMITS */
#ifndef TALLY_CORE_LIMITS_BUDGET_H
#define TALLY_CORE_LIMITS_BUDGET_H

#include <stdint.h>

/* As limits_budget(). */
uint64_t limits_budget_of(const char *name, uint64_t otherwise);

/*
 * The one of `name` in a text like "request=8M,global=2G", or `otherwise`.
 * `*wrong` is the first of its pieces that is none, from 1; 0: all are.
 */
uint64_t limits_budget_in(const char *text, const char *name,
                          uint64_t otherwise, unsigned *wrong);

#endif /* TALLY_CORE_LIMITS_BUDGET_H */
