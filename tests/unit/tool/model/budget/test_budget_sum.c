/* SPDX-License-Identifier: Apache-2.0 */
/* test_budget_sum.c - bounds, growth, and noise between runs */
#include "tool/model/budget/budget.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Judge an estimate that may be off by `error`. */
static struct budget_verdict judge_within(const char *text, double value,
                                          double error,
                                          const struct budget_noise *base)
{
    const struct budget_sum sum = {
        .is_known = true,
        .value = value,
        .interval = { value - error, value + error },
        .whole = 1000,
        .whole_interval = { 1000 - 10 * error, 1000 + 10 * error },
        .matches = value > 0,
    };
    struct budget_rule rule = { 0 };
    struct budget_verdict verdict;
    size_t at;

    assert_null(budget_rule_read(NULL, &rule, text, &at));
    verdict = budget_judge(&rule, &sum, base);
    free(rule.text);
    free(rule.pattern);
    return verdict;
}

static struct budget_verdict judge(const char *text, double value,
                                   const struct budget_noise *base)
{
    return judge_within(text, value, 0, base);
}

static void bounds_are_kept_or_not(void **state)
{
    (void)state;
    assert_int_equal(judge("live <= 5", 5, NULL).state, BUDGET_KEPT);
    assert_int_equal(judge("live <= 5", 6, NULL).state, BUDGET_BROKEN);
    assert_true(judge("live <= 5", 7, NULL).over == 2);
    assert_int_equal(judge("live < 5", 5, NULL).state, BUDGET_BROKEN);
    assert_int_equal(judge("leaks = 0", 0, NULL).state, BUDGET_KEPT);
    assert_int_equal(judge("leaks = 7", 6, NULL).state, BUDGET_BROKEN);
    assert_int_equal(judge("live f <= 5", 0, NULL).state, BUDGET_UNMATCHED);
    assert_int_equal(judge("temporary <= 10 %", 100, NULL).state, BUDGET_KEPT);
    assert_int_equal(judge("temporary <= 10 %", 101, NULL).state,
                     BUDGET_BROKEN);
}

static void growth_is_from_a_baseline(void **state)
{
    const struct budget_noise base = { .mean = 1e6,
                                       .runs = 1,
                                       .interval = { 1e6, 1e6 } };

    (void)state;
    assert_int_equal(judge("growth live <= 0", 1e6, NULL).state,
                     BUDGET_UNKNOWN);
    assert_int_equal(judge("growth live <= 0", 1032768, &base).state,
                     BUDGET_KEPT);
    assert_int_equal(judge("growth live <= 0", 1032769, &base).state,
                     BUDGET_BROKEN);
    assert_int_equal(judge("growth live <= 5 %", 1082768, &base).state,
                     BUDGET_KEPT);
    assert_int_equal(judge("growth live <= 5 %", 1082769, &base).state,
                     BUDGET_BROKEN);
    assert_int_equal(judge("growth live <= 1 MB", 2032768, &base).state,
                     BUDGET_KEPT);
    assert_int_equal(judge("growth live = 0", 967231, &base).state,
                     BUDGET_BROKEN);
    assert_int_equal(judge("growth live = 0", 967233, &base).state,
                     BUDGET_KEPT);
}

static void an_estimate_is_not_judged_within_its_error(void **state)
{
    (void)state;
    assert_int_equal(judge_within("live <= 5", 6, 1.1, NULL).state,
                     BUDGET_UNSURE);
    assert_int_equal(judge_within("live <= 5", 6, 0.9, NULL).state,
                     BUDGET_BROKEN);
    assert_int_equal(judge_within("live <= 5", 4, 1.1, NULL).state,
                     BUDGET_UNSURE);
    assert_int_equal(judge_within("live < 5", 4, 0.9, NULL).state, BUDGET_KEPT);
    assert_int_equal(judge_within("leaks = 0", 0, 1, NULL).state,
                     BUDGET_UNSURE);
    assert_int_equal(judge_within("leaks = 7", 5, 1, NULL).state,
                     BUDGET_BROKEN);
    /* 10 % of 1000 +- 10 are 100 +- 1: with the value's own error 1.41. */
    assert_int_equal(judge_within("temporary <= 10 %", 101.4, 1, NULL).state,
                     BUDGET_UNSURE);
    assert_int_equal(judge_within("temporary <= 10 %", 101.5, 1, NULL).state,
                     BUDGET_BROKEN);
}

/* Both runs have errors; an earlier reading of the process only as far as it
   counts in percent. */
static void growth_has_the_errors_of_both(void **state)
{
    struct budget_noise base = { .mean = 1e6,
                                 .runs = 1,
                                 .interval = { 0.7e6, 1.3e6 } };

    (void)state;
    assert_int_equal(judge_within("growth live <= 0", 1.5e6, 4e5, &base).state,
                     BUDGET_UNSURE); /* 467,232 more, within 500,000 */
    assert_int_equal(judge_within("growth live <= 0", 1.6e6, 4e5, &base).state,
                     BUDGET_BROKEN);
    base.is_of_process = true;
    assert_int_equal(judge_within("growth live <= 0", 1.5e6, 4e5, &base).state,
                     BUDGET_BROKEN);
    assert_int_equal(
        judge_within("growth live <= 50 %", 1.95e6, 4e5, &base).state,
        BUDGET_UNSURE); /* 417,232 more, within 427,200 */
}

/* 3 runs have 2 degrees of freedom. */
static void noise_is_predicted(void **state)
{
    const double values[] = { 1e6, 1.1e6, 0.9e6 };
    struct budget_noise noise = budget_noise_of(values, 3);

    (void)state;
    assert_true(fabs(noise.mean - 1e6) < 1e-3);
    assert_true(fabs(noise.deviation - 1e5) < 1e-3);
    assert_true(fabs(budget_noise_tolerance(&noise, true) -
                     22.33 * 1e5 * sqrt(4.0 / 3)) < 1);
    noise.deviation = 0;
    assert_true(budget_noise_tolerance(&noise, true) == 32768);
    assert_true(budget_noise_tolerance(&noise, false) == 10000);
    noise.mean = 0;
    assert_true(budget_noise_tolerance(&noise, false) == 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_kept_or_not),
        cmocka_unit_test(growth_is_from_a_baseline),
        cmocka_unit_test(an_estimate_is_not_judged_within_its_error),
        cmocka_unit_test(growth_has_the_errors_of_both),
        cmocka_unit_test(noise_is_predicted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
