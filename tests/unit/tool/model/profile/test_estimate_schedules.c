/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_estimate_schedules.c - estimates with a changing interval
 *
 * The interval changes between two blocks, at the worst times: depending on the
 * samples so far, on the error of the sum, which no recorder knows, and on the
 * size of the next block. In 1,000 runs of each schedule the mean is the true
 * value, the stated variance is the actual one, and 95 % intervals contain the
 * true value in about 95 %.
 *
 * TALLY_DRAWS in the environment sets the number of blocks drawn; make soak
 * draws for 10^9.
 */
#include "tool/model/profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ledger/blocks/sample_accounts.h"
#include "sampling/countdown/sampler.h"

enum { RUNS = 1000, SCHEDULES = 6, LEAST_LOG2 = 12, MOST_LOG2 = 19 };

static const double bound = 4; /* 10^4 correct tests fail less than once */

/* Inputs of a schedule. */
struct run {
    struct sampler sampler;
    uint64_t random;
    unsigned log2; /* of the interval in force */
    double truth;  /* true bytes so far */
    double estimate, variance;
    uint64_t hits;   /* samples of the last block */
    uint64_t blocks; /* blocks so far */
    double volumes[MOST_LOG2 + 1];
};

typedef unsigned schedule_fn(const struct run *run, uint64_t size);

/* After a sample, sample hardly any block; then start over. */
static unsigned after_each_sample(const struct run *run, uint64_t size)
{
    (void)size;
    return run->hits > 0                ? MOST_LOG2
           : run->log2 > LEAST_LOG2 + 3 ? run->log2 - (run->blocks % 8 == 0)
                                        : run->log2;
}

/* Stop while the sum is too high, to keep it so. */
static unsigned keep_too_much(const struct run *run, uint64_t size)
{
    (void)size;
    return run->estimate > run->truth ? MOST_LOG2 : LEAST_LOG2 + 2;
}

static unsigned keep_too_little(const struct run *run, uint64_t size)
{
    (void)size;
    return run->estimate < run->truth ? MOST_LOG2 - 1 : LEAST_LOG2 + 2;
}

static unsigned large_ones_rarely(const struct run *run, uint64_t size)
{
    (void)run;
    return size >= 1000 ? MOST_LOG2 - 2 : LEAST_LOG2 + 2;
}

/* A new interval before each block. */
static unsigned at_random(const struct run *run, uint64_t size)
{
    uint64_t state = run->random;

    (void)size;
    return LEAST_LOG2 + 2 + (unsigned)(sampler_mix(&state) % 5);
}

/* Like a budget: about one block in 64 is sampled. */
static unsigned by_budget(const struct run *run, uint64_t size)
{
    (void)size;
    if (run->hits > 0 && run->blocks % 64 < 32)
        return run->log2 < MOST_LOG2 - 2 ? run->log2 + 1 : run->log2;
    return run->blocks % 256 == 0 && run->log2 > LEAST_LOG2 ? run->log2 - 1
                                                            : run->log2;
}

static const struct {
    const char *name;
    schedule_fn *next;
} schedules[SCHEDULES] = {
    { "after each sample", after_each_sample },
    { "keep too much", keep_too_much },
    { "keep too little", keep_too_little },
    { "large ones rarely", large_ones_rarely },
    { "at random", at_random },
    { "by budget", by_budget },
};

static uint64_t blocks_of_a_run(void)
{
    const char *draws = getenv("TALLY_DRAWS");
    double all = draws == NULL ? 5e7 : strtod(draws, NULL);

    return (uint64_t)(all / RUNS / SCHEDULES);
}

static void add_block(struct run *run, schedule_fn *next)
{
    static const uint64_t sizes[] = { 24, 40, 64, 120, 500, 2000, 16, 8000 };
    uint64_t size = sizes[sampler_mix(&run->random) % 8];
    unsigned log2 = next(run, size);
    struct sample_weight weight;

    if (log2 != run->log2) {
        run->log2 = log2;
        sampler_start(&run->sampler, ldexp(1, -(int)log2));
    }
    run->blocks++;
    run->truth += (double)size;
    run->volumes[log2] += (double)size;
    run->hits = sampler_take(&run->sampler, size);
    if (run->hits == 0)
        return;
    weight = sample_weigh(UINT64_C(1) << log2, size, sampler_mix(&run->random));
    run->estimate += (double)weight.bytes;
    run->variance += weight.bytes_variance;
}

/* The interval that a ledger states: docs/ledger-format.md. */
static uint64_t interval_of(const struct run *run)
{
    unsigned log2 = MOST_LOG2;
    double above = run->volumes[log2];

    while (above <= run->truth / 1024)
        above += run->volumes[--log2];
    return UINT64_C(1) << log2;
}

static void try_schedule(unsigned which)
{
    double errors = 0, squares = 0, variances = 0, z;
    uint64_t blocks = blocks_of_a_run();
    unsigned holds = 0;

    for (unsigned i = 0; i < RUNS; i++) {
        struct run run = { .random = which * RUNS + i };
        struct profile profile;
        struct interval interval;
        double error;

        sampler_seed(&run.sampler, which, i);
        run.log2 = 16;
        sampler_start(&run.sampler, 0x1p-16);
        while (run.blocks < blocks)
            add_block(&run, schedules[which].next);
        profile.sample_interval = interval_of(&run);
        interval =
            interval_of_sampled(&profile, MEASURE_TOTAL_BYTES, run.estimate,
                                (struct estimate_error){ run.variance, 0 });
        holds += interval.low <= run.truth && run.truth <= interval.high;
        error = run.estimate - run.truth;
        errors += error;
        squares += error * error;
        variances += run.variance;
    }
    z = errors / sqrt(squares);
    print_message("%s: %.0f blocks, mean error %.2f deviations, variance %.3f "
                  "of what it is, %u of %u intervals hold\n",
                  schedules[which].name, (double)blocks * RUNS, z,
                  variances / squares, holds, RUNS);
    assert_true(fabs(z) < bound);
    assert_true(variances / squares > 0.8 && variances / squares < 1.25);
    assert_in_range(holds, RUNS * 94 / 100, RUNS);
}

static void sums_are_right_on_average_whatever_the_interval_does(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SCHEDULES; i++)
        try_schedule(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_right_on_average_whatever_the_interval_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
