/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sampler.c - mean, variance and independence of successes
 *
 * All runs are seeded and reproducible. The bounds are 6.5 deviations: another
 * seed would fail once in 10^10 for each of the about 200 comparisons.
 */
#include "sampling/countdown/sampler.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define BOUND 6.5

enum { SEED = 20, GAPS = 200000, DRAWS = 20000 };

static const double rates[] = { 1e-4, 1e-3, 1e-2, 0.1, 0.42, 0.73, 0.9 };

static struct sampler start(double rate)
{
    struct sampler sampler;

    sampler_seed(&sampler, SEED, (uint64_t)(rate * 1e6));
    sampler_start(&sampler, rate);
    return sampler;
}

static void assert_near(double found, double expected, double deviation)
{
    if (fabs(found - expected) <= BOUND * deviation)
        return;
    print_error("%g, not %g with a deviation of %g\n", found, expected,
                deviation);
    fail();
}

/* The fourth moment of a binomial number gives the deviation of its
   variance. */
static double deviation_of_variance(double n, double p, double draws)
{
    double variance = n * p * (1 - p);
    double fourth = variance * (1 + (3 * n - 6) * p * (1 - p));

    return sqrt((fourth - variance * variance) / draws);
}

static void test_gaps_are_geometric(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double p = rates[i], sum = 0, threes = 0, follow = 0;
        double mean = 1 / p, deviation = sqrt(1 - p) / p, last = 0;
        double three = p * (1 - p) * (1 - p);
        struct sampler sampler = start(p);

        for (int draw = 0; draw < GAPS; draw++) {
            double gap = (double)sampler_gap(&sampler);

            assert_true(gap >= 1);
            sum += gap;
            threes += gap == 3;
            follow += (gap - mean) * (last - mean) * (draw > 0);
            last = gap;
        }
        assert_near(sum / GAPS, mean, deviation / sqrt(GAPS));
        assert_near(threes / GAPS, three, sqrt(three * (1 - three) / GAPS));
        assert_near(follow / GAPS, 0, deviation * deviation / sqrt(GAPS));
    }
}

/* Blocks of one size, one after the other. */
static void check_blocks(double p, uint64_t words)
{
    double n = (double)words, draws = n * p > 1e5 ? DRAWS / 20 : DRAWS;
    double mean = n * p, variance = n * p * (1 - p);
    double sum = 0, squares = 0, follow = 0, last = 0;
    struct sampler sampler = start(p);

    for (int draw = 0; draw < draws; draw++) {
        double found = (double)sampler_take(&sampler, words) - mean;

        assert_true(found + mean <= n);
        sum += found;
        squares += found * found;
        follow += found * last;
        last = found;
    }
    assert_near(sum / draws, 0, sqrt(variance / draws));
    assert_near(squares / draws, variance, deviation_of_variance(n, p, draws));
    assert_near(follow / draws, 0, variance / sqrt(draws));
}

static void test_blocks_have_binomial_numbers(void **state)
{
    static const uint64_t words[] = { 1, 2, 7, 33, 257, 10000, 1000000 };

    (void)state;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        for (size_t j = 0; j < sizeof words / sizeof words[0]; j++) {
            /* Rare events have no meaningful deviation. */
            if ((double)words[j] * rates[i] * DRAWS >= 100)
                check_blocks(rates[i], words[j]);
        }
    }
}

/* Each value of a binomial distribution, drawn at once. */
static void test_large_numbers_have_their_distribution(void **state)
{
    enum { TRIALS = 100, NUMBERS = TRIALS + 1 };
    static double seen[NUMBERS];
    const double p = 0.3;
    struct sampler sampler = start(p);
    double expected = pow(1 - p, TRIALS), chi = 0;
    int classes = 0;

    (void)state;
    for (int draw = 0; draw < GAPS; draw++)
        seen[sampler_binomial(&sampler, TRIALS)]++;
    for (int k = 0; k < NUMBERS; k++) {
        if (expected * GAPS >= 20) {
            chi += pow(seen[k] - expected * GAPS, 2) / (expected * GAPS);
            classes++;
        }
        expected *= (TRIALS - k) * p / ((k + 1) * (1 - p));
    }
    assert_in_range(classes, 30, 50);
    /* The cube root of Wilson and Hilferty is nearly normal. */
    assert_near(cbrt(chi / classes), 1 - 2.0 / (9 * classes),
                sqrt(2.0 / (9 * classes)));
}

/* Runs of absurd size, and few that fail: neither is counted one by one. */
static void test_the_largest_runs_end_soon(void **state)
{
    const double n = 0x1p61, p = 0.9, fails = 1e-11;
    struct sampler sampler = start(p);
    double found = (double)sampler_take(&sampler, UINT64_C(1) << 61);

    (void)state;
    /* A double of this size has a resolution of 256. */
    assert_near(found, n * p, sqrt(n * p * (1 - p)) + 256);
    sampler = start(1 - fails);
    found = 0x1p40 - (double)sampler_binomial(&sampler, UINT64_C(1) << 40);
    assert_near(found, 0x1p40 * fails, sqrt(0x1p40 * fails));
}

/* A large block among small ones gets its share and no more. */
static void test_any_mix_of_sizes_is_without_bias(void **state)
{
    static const uint64_t mix[] = { 2, 5000, 3, 1, 90, 2, 400000, 8 };
    enum { SIZES = sizeof mix / sizeof mix[0], ROUNDS = 4000 };
    const double p = 0.01;
    double sums[SIZES] = { 0 };
    struct sampler sampler = start(p);

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SIZES; i++)
            sums[i] += (double)sampler_take(&sampler, mix[i]);
    }
    for (int i = 0; i < SIZES; i++) {
        double n = (double)mix[i] * ROUNDS;

        assert_near(sums[i], n * p, sqrt(n * p * (1 - p)));
    }
}

static void test_rate_1_gives_all(void **state)
{
    struct sampler sampler = start(1);

    (void)state;
    assert_int_equal(sampler.next, 1);
    assert_int_equal(sampler_take(&sampler, 1), 1);
    assert_int_equal(sampler_take(&sampler, 1000000007), 1000000007);
    assert_int_equal(sampler.next, 1);
}

static void test_rate_0_gives_none(void **state)
{
    static const double none[] = { 0, 1e-300, 1e-18 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct sampler sampler = start(none[i]);

        assert_true(sampler.rate == 0);
        assert_int_equal(sampler.next, SAMPLER_NEVER);
        assert_int_equal(sampler_take(&sampler, UINT64_C(1) << 50), 0);
    }
}

static void test_rates_that_are_none(void **state)
{
    (void)state;
    assert_true(sampler_is_rate(0) && sampler_is_rate(1));
    assert_false(sampler_is_rate(-1e-9) || sampler_is_rate(1.0000001));
    assert_false(sampler_is_rate(NAN) || sampler_is_rate(INFINITY));
}

static void test_streams_repeat_and_differ(void **state)
{
    struct sampler a, b, c;
    int same = 0;

    (void)state;
    sampler_seed(&a, 1, 2);
    sampler_seed(&b, 1, 2);
    sampler_seed(&c, 1, 3);
    sampler_start(&a, 1e-6);
    sampler_start(&b, 1e-6);
    sampler_start(&c, 1e-6);
    for (int i = 0; i < 1000; i++) {
        uint64_t gap = sampler_gap(&a);

        assert_int_equal(gap, sampler_gap(&b));
        same += gap == sampler_gap(&c);
    }
    assert_in_range(same, 0, 3);
}

/* After any number of skipped trials, gaps are distributed as always. */
static void test_skipped_trials_say_nothing_of_the_next(void **state)
{
    enum { ROUNDS = 100000 };
    double sum = 0;
    struct sampler sampler;

    (void)state;
    sampler_seed(&sampler, 7, 0);
    sampler_start(&sampler, 0.01);
    for (int i = 0; i < ROUNDS; i++) {
        sampler_skip(&sampler, i % 3 == 0 ? UINT64_MAX / 2 : (uint64_t)i % 300);
        sum += (double)sampler.next;
    }
    /* The deviation of a gap is about its mean, and neighbours are
       correlated. */
    assert_true(fabs(sum / ROUNDS - 100) < 6.5 * 100 * 2 / sqrt(ROUNDS));
    sampler_start(&sampler, 0);
    sampler_skip(&sampler, UINT64_MAX / 2);
    assert_int_equal(sampler_take(&sampler, UINT64_C(1) << 50), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_skipped_trials_say_nothing_of_the_next),
        cmocka_unit_test(test_gaps_are_geometric),
        cmocka_unit_test(test_blocks_have_binomial_numbers),
        cmocka_unit_test(test_large_numbers_have_their_distribution),
        cmocka_unit_test(test_the_largest_runs_end_soon),
        cmocka_unit_test(test_any_mix_of_sizes_is_without_bias),
        cmocka_unit_test(test_rate_1_gives_all),
        cmocka_unit_test(test_rate_0_gives_none),
        cmocka_unit_test(test_rates_that_are_none),
        cmocka_unit_test(test_streams_repeat_and_differ),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
