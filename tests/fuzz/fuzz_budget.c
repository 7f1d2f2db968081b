/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_budget.c - any bytes, as a file of budgets
 *
 * Besides not crashing:
 *
 *   B1  a refused file has a position, a reason and an advice
 *   B2  an accepted file is complete: each rule has a figure and a finite
 *       bound, and its text means the same when it is read again
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/model/budget/budget.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rule(const struct budget_rule *rule)
{
    const struct budget_sum sum = { .is_known = true, .value = 1 };
    const struct budget_noise base = { .mean = 1, .runs = 1 };
    struct budget_rule again = { 0 };
    size_t at;

    assert(rule->figure != NULL && isfinite(rule->bound) && rule->line > 0);
    assert(budget_rule_read(NULL, &again, rule->text, &at) == NULL);
    assert(again.figure == rule->figure && again.bound == rule->bound);
    (void)budget_judge(rule, &sum, &base);
    free(again.text);
    free(again.pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct budget budget = { 0 };
    struct yaml_failure failure = { .why = NULL };
    FILE *in =
        fmemopen((void *)(uintptr_t)(size == 0 ? (const void *)"\n" : data),
                 size == 0 ? 1 : size, "r");
    int error = budget_read(&budget, "fuzz", in, &failure);
    const struct budget_entry *entry;
    size_t at = 0;

    if (error < 0)
        assert(failure.where[0] != '\0' && failure.why != NULL &&
               failure.advice != NULL);
    while (error == 0 &&
           (entry = budget_next(&budget, "/bin/program", NULL, &at)) != NULL) {
        for (size_t i = 0; i < entry->rule_count; i++)
            check_rule(&entry->rules[i]);
        for (size_t i = 0; i < entry->noise_count; i++)
            assert(budget_noise_tolerance(&entry->noise[i], true) >= 32768);
    }
    budget_close(&budget);
    return 0;
}
