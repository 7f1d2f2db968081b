/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_estimate.c - intervals, and how often they contain the true value
 *
 * Programs are sampled repeatedly, from fixed seeds. A correct interval
 * contains the true value in at least 95 % of 2,000 samplings. Real programs:
 * test_estimate_coverage.c.
 */
#include "tool/model/profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLINGS = 2000, LEAST_HITS = SAMPLINGS * 94 / 100 };

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) <= fabs(expected) * 1e-5);
}

/*
 * The exact upper bound of Poisson for 4 events of weight 10; 4 or more are 2.5
 * % of those that are not 0 where the mean is 0.933313.
 */
static void equal_weights_have_poissons_interval(void **state)
{
    struct interval interval = interval_of_sum(40, 400, 10);

    (void)state;
    assert_near(interval.low, 10 * 0.933313);
    assert_near(interval.high, 10 * 10.241589);
}

static void of_no_sample_there_is_an_upper_bound(void **state)
{
    struct interval interval = interval_of_sum(0, 0, 1000);

    (void)state;
    assert_near(interval.low + 1, 1);
    assert_near(interval.high, 3688.8795);
}

static void what_cannot_be_missed_is_certain(void **state)
{
    struct interval interval = interval_of_sum(77, 0, 0);

    (void)state;
    assert_near(interval.low, 77);
    assert_near(interval.high, 77);
}

/* Four blocks of 1.5 MB: each stands for 1.57 MB. */
static void what_samples_met_is_there(void **state)
{
    const struct profile profile = { .sample_interval = 524288 };
    const double size = 1572864, weight = 1655277;
    const struct lifetime_sum sum = {
        .samples = 4,
        .blocks = 4,
        .bytes = (uint64_t)(4 * weight),
        .seen = (uint64_t)(4 * size),
        .blocks_variance = 4 * 0.05,
        .bytes_variance = 4 * weight * (weight - size),
    };
    struct profile_amounts amounts = {
        .alloc_blocks = sum.blocks,
        .alloc_bytes = sum.bytes,
        .error = amounts_error_of(&sum, &sum, &sum),
    };

    (void)state;
    assert_near(
        interval_of_measure(&profile, &amounts, MEASURE_TOTAL_BYTES).low,
        4 * size);
    assert_near(
        interval_of_measure(&profile, &amounts, MEASURE_TOTAL_BLOCKS).low, 4);
    amounts.error.total_bytes.seen = 0;
    assert_true(
        interval_of_measure(&profile, &amounts, MEASURE_TOTAL_BYTES).low <
        4 * size * 0.9);
}

/* Close to the interval of Clopper and Pearson, 0.212 to 0.400. */
static void a_share_follows_from_both_parts(void **state)
{
    const struct profile profile = { .sample_interval = 10 };
    struct lifetime_sum part = { .blocks = 300, .blocks_variance = 3000 };
    struct lifetime_sum whole = { .blocks = 1000, .blocks_variance = 10000 };
    struct share share = share_of_blocks(&profile, &part, &whole);

    (void)state;
    assert_true(share.is_known);
    assert_near(share.value, 0.3);
    assert_true(fabs(share.interval.low - 0.212) < 0.01);
    assert_true(fabs(share.interval.high - 0.400) < 0.01);
}

/* 0 of 100 samples: 3.6 %. */
static void a_share_of_no_sample_has_an_upper_bound(void **state)
{
    const struct profile profile = { .sample_interval = 10 };
    struct lifetime_sum part = { 0 };
    struct lifetime_sum whole = { .blocks = 1000, .blocks_variance = 10000 };
    struct share share = share_of_blocks(&profile, &part, &whole);

    (void)state;
    assert_true(share.value <= 0);
    assert_true(share.interval.low <= 0);
    assert_true(fabs(share.interval.high - 0.0362) < 0.001);
}

static void a_share_of_nothing_is_not_known(void **state)
{
    const struct profile profile = { .sample_interval = 1000 };
    struct lifetime_sum none = { 0 };
    struct share share = share_of_bytes(&profile, &none, &none);

    (void)state;
    assert_false(share.is_known);
    assert_near(share.interval.high, 1);
}

static void a_share_of_what_is_certain_is_certain(void **state)
{
    const struct profile profile = { .sample_interval = 1 };
    struct lifetime_sum part = { .bytes = 3 };
    struct lifetime_sum whole = { .bytes = 12 };
    struct share share = share_of_bytes(&profile, &part, &whole);

    (void)state;
    assert_near(share.interval.low, 0.25);
    assert_near(share.interval.high, 0.25);
}

/* Blocks of a few sizes, every third of which stays live. */
struct population {
    double interval;
    unsigned count;
    unsigned sizes[4];
};

struct sampled {
    struct lifetimes lifetimes;
    double alive_bytes, alive_blocks; /* true values, of a third */
    double bytes, blocks;             /* ... of all */
};

static void add(struct lifetime_sum *sum, double size, double chance)
{
    double spread = (1 - chance) / (chance * chance);
    double blocks = 1 / chance, part = blocks - floor(blocks);
    uint64_t rounded = (uint64_t)(blocks + drand48());

    sum->samples++;
    sum->blocks += rounded;
    sum->bytes += (uint64_t)(size / chance + drand48());
    sum->blocks_variance += spread + part * (1 - part);
    sum->bytes_variance += spread * size * size;
}

static void sample(const struct population *population, struct sampled *sampled)
{
    *sampled = (struct sampled){ 0 };
    for (unsigned i = 0; i < population->count; i++) {
        double size = population->sizes[i * 7 % 4];
        double chance = -expm1(size * log1p(-1 / population->interval));
        bool is_alive = i % 3 == 0;

        sampled->bytes += size;
        sampled->blocks++;
        sampled->alive_bytes += is_alive ? size : 0;
        sampled->alive_blocks += is_alive;
        if (drand48() >= chance)
            continue;
        add(&sampled->lifetimes.sums[LEDGER_LIFE_ALLOCATED], size, chance);
        if (!is_alive)
            add(&sampled->lifetimes.sums[LEDGER_LIFE_FREED + 3], size, chance);
    }
}

static bool holds(struct interval interval, double truth)
{
    return interval.low <= truth && truth <= interval.high;
}

/* Correct intervals of all bytes, all blocks, and live ones. */
struct hits {
    unsigned bytes, blocks, share;
    double mean;
};

static struct hits count_hits(const struct population *population)
{
    struct profile profile = { .sample_interval =
                                   (uint64_t)population->interval };
    struct hits hits = { 0 };

    srand48(42);
    for (unsigned i = 0; i < SAMPLINGS; i++) {
        struct sampled sampled;
        struct lifetime_sum *all;
        struct lifetime_sum live;
        struct profile_amounts amounts;
        struct share share;

        sample(population, &sampled);
        all = &sampled.lifetimes.sums[LEDGER_LIFE_ALLOCATED];
        live = lifetimes_live(&sampled.lifetimes);
        amounts = (struct profile_amounts){
            .alloc_bytes = all->bytes,
            .alloc_blocks = all->blocks,
            .error = amounts_error_of(all, all, all),
        };
        hits.bytes +=
            holds(interval_of_measure(&profile, &amounts, MEASURE_TOTAL_BYTES),
                  sampled.bytes);
        hits.blocks +=
            holds(interval_of_measure(&profile, &amounts, MEASURE_TOTAL_BLOCKS),
                  sampled.blocks);
        share = share_of_blocks(&profile, &live, all);
        hits.share +=
            holds(share.interval, sampled.alive_blocks / sampled.blocks);
        hits.mean += (double)all->bytes / sampled.bytes / SAMPLINGS;
    }
    return hits;
}

static void intervals_hold_the_truth(void **state)
{
    static const struct population populations[] = {
        { 1000, 50, { 100, 100, 100, 100 } },     /* 5 samples */
        { 1000, 1000, { 16, 32, 48, 64 } },       /* 40 */
        { 1000, 3000, { 500, 1000, 100, 2000 } }, /* most blocks */
        { 4096, 300, { 8, 8, 8, 50000 } }, /* few, of very different sizes */
        { 2, 40, { 1, 2, 3, 4 } },         /* nearly all */
        { 524288, 20000, { 128, 256, 512, 4096 } } /* 48 */
    };

    (void)state;
    for (size_t i = 0; i < sizeof populations / sizeof populations[0]; i++) {
        struct hits hits = count_hits(&populations[i]);

        assert_true(hits.bytes >= LEAST_HITS);
        assert_true(hits.share >= LEAST_HITS);
        /* Sizes that differ by a factor of 6,000 hide small blocks behind large
           ones. */
        assert_true(hits.blocks >= LEAST_HITS);
        assert_true(fabs(hits.mean - 1) < 0.08);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_weights_have_poissons_interval),
        cmocka_unit_test(of_no_sample_there_is_an_upper_bound),
        cmocka_unit_test(what_cannot_be_missed_is_certain),
        cmocka_unit_test(what_samples_met_is_there),
        cmocka_unit_test(a_share_follows_from_both_parts),
        cmocka_unit_test(a_share_of_no_sample_has_an_upper_bound),
        cmocka_unit_test(a_share_of_nothing_is_not_known),
        cmocka_unit_test(a_share_of_what_is_certain_is_certain),
        cmocka_unit_test(intervals_hold_the_truth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
