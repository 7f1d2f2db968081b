/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statistics.c - samples of malloc have the expected mean and variance
 *
 * Seeded, with bounds of 6.5 deviations: another seed fails once in 10^10 for
 * each comparison. The words of all blocks at a rate, headers included, are one
 * sequence of trials; groups of blocks of one size give the variance.
 */
#include <math.h>
#include <stdlib.h>

#include "tests/memprof/tracker.h"

#define BOUND 6.5

enum { GROUPS = 2000 };

static volatile double samples; /* since it was cleared */
static volatile double largest;

static void *add(const struct memprof_allocation *allocation, void *context)
{
    (void)context;
    samples += allocation->n_samples;
    if (allocation->n_samples > allocation->size + 1)
        largest = allocation->n_samples;
    return NULL;
}

static const struct memprof_tracker adding = {
    add, add, NULL, NULL, NULL, NULL
};

static void expect_near(const char *what, double rate, double words,
                        double found, double expected, double deviation)
{
    if (fabs(found - expected) <= BOUND * deviation)
        return;
    fprintf(stderr, "%s at %g, %g words: %g, not %g with a deviation of %g\n",
            what, rate, words, found, expected, deviation);
    failures++;
}

/* Groups of `blocks` blocks of `words` words, header included. */
static void check(double rate, size_t words, unsigned blocks)
{
    double n = (double)words * blocks, mean = n * rate;
    double variance = mean * (1 - rate), sum = 0, squares = 0, follow = 0;
    double fourth = variance * (1 + (3 * n - 6) * rate * (1 - rate));
    double last_group = 0;
    struct memprof *profile;

    CHECK_IS(memprof_start(rate, 0, &adding, &profile), 0);
    for (int group = 0; group < GROUPS; group++) {
        double found;

        samples = 0;
        for (unsigned i = 0; i < blocks; i++)
            free(malloc((words - 1) * 8));
        found = samples - mean;
        sum += found;
        squares += found * found;
        follow += found * last_group;
        last_group = found;
    }
    end(profile);
    expect_near("mean", rate, n, sum / GROUPS, 0, sqrt(variance / GROUPS));
    expect_near("variance", rate, n, squares / GROUPS, variance,
                sqrt((fourth - variance * variance) / GROUPS));
    expect_near("neighbours", rate, n, follow / GROUPS, 0,
                variance / sqrt(GROUPS));
}

/* Small and large blocks, mixed, get their shares. */
static void check_mix(double rate)
{
    static const size_t words[] = { 2, 3000, 5, 1, 70, 100000, 9 };
    enum { SIZES = sizeof words / sizeof words[0], ROUNDS = 1000 };
    double sums[SIZES] = { 0 };
    struct memprof *profile;

    CHECK_IS(memprof_start(rate, 0, &adding, &profile), 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SIZES; i++) {
            samples = 0;
            free(malloc((words[i] - 1) * 8));
            sums[i] += samples;
        }
    }
    end(profile);
    for (int i = 0; i < SIZES; i++) {
        double n = (double)words[i] * ROUNDS;

        expect_near("mix", rate, n, sums[i], n * rate,
                    sqrt(n * rate * (1 - rate)));
    }
}

/*
 * Blocks after a failed request are samples as often as others; a request with
 * an invalid alignment always fails.
 */
static void check_after_failures(double rate)
{
    static const size_t failing[] = { 1, 3000, 12000, 100000 };
    enum { ROUNDS = 20000, WORDS = 1000 };
    double n = (double)WORDS * ROUNDS;
    struct memprof *profile;
    void *none = NULL;

    CHECK_IS(memprof_start(rate, 0, &adding, &profile), 0);
    samples = 0;
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = failing[round % 4];

        CHECK(posix_memalign(&none, 3, size * 8) != 0);
        free(malloc((WORDS - 1) * 8));
        CHECK(round % 2 == 0 || malloc(SIZE_MAX / 2 + size) == NULL);
    }
    end(profile);
    expect_near("after failures", rate, n, samples, n * rate,
                sqrt(n * rate * (1 - rate)));
}

/* Equal seeds sample the same blocks. */
static double samples_with(uint64_t seed)
{
    struct memprof *profile;
    double weighted = 0;

    tally_memprof_seed(seed);
    CHECK_IS(memprof_start(0.1, 0, &adding, &profile), 0);
    for (int i = 0; i < 1000; i++) {
        samples = 0;
        free(malloc(8));
        weighted += samples * i;
    }
    end(profile);
    return weighted;
}

int main(void)
{
    static const double rates[] = { 1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9 };

    setvbuf(stderr, NULL, _IONBF, 0);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double rate = rates[i];

        check(rate, 2, rate < 0.01 ? 500 : 20);
        check(rate, 33, rate < 0.01 ? 50 : 5);
        check(rate, 1000, 1);
        check(rate, 100001, 1);
        check_mix(rate);
    }
    check_after_failures(1e-5);
    check_after_failures(1e-4);
    check_after_failures(0.1);
    check(0.42, 1000001, 1);
    CHECK(largest == 0);
    CHECK(samples_with(5) != samples_with(6));
    return end_of_test();
}
