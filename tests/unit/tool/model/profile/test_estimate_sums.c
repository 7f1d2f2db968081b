/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_estimate_sums.c - intervals of figures that share samples
 *
 * Programs are sampled 500 times, block by block, from fixed seeds. They fork,
 * and they are read twice. Intervals of sums over processes and of growth
 * contain the true value in at least 94 % of the samplings, and are no wider
 * than an interval that knew each sample, but for what a program asks for.
 */
#include "format/ledger/ledger_layout.h"
#include "tool/model/profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ledger/blocks/sample_accounts.h"

enum {
    SAMPLINGS = 500,
    INTERVAL = 524288,
    SITES = 5,
    BLOCKS = 4000,
    CHILDREN = 8
};

static uint64_t state_of_random;

static uint64_t next_random(void)
{
    uint64_t mixed = state_of_random += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static double uniform(void)
{
    return (double)(next_random() >> 11) * 0x1p-53;
}

/* Sizes of blocks, and how many of each site a process has. */
struct program {
    const char *name;
    double small, large; /* sizes are between both, evenly by logarithm */
    unsigned before;     /* blocks of each site of the parent */
    unsigned children;
    double freed;   /* share of inherited blocks that each child frees */
    unsigned after; /* blocks of each site of each child */
};

static const struct program forking[] = {
    { "inherited alone", 2000, 2000, 200, 8, 0, 0 },
    { "most freed", 2000, 2000, 800, 8, 0.75, 0 },
    { "of its own alone", 3000, 3000, 1, 8, 0, 100 },
    { "both", 500, 50000, 300, 4, 0.3, 200 },
    { "large blocks", 500000, 3000000, 20, 8, 0.2, 5 },
    { "one child", 10000, 20000, 200, 1, 0.5, 50 },
};

/* Sums over the samples of one site of a process. */
struct sums {
    struct lifetime_sum all, freed, inherited, let_go;
    double live_bytes, live_blocks; /* true ones */
};

struct block {
    uint64_t size;
    bool is_sampled;
    struct sample_weight weight;
};

static struct block make_block(const struct program *program)
{
    double size =
        program->small * pow(program->large / program->small, uniform());
    struct block block = { .size = (uint64_t)size };
    double chance = -expm1((double)block.size * log1p(-1. / INTERVAL));

    block.is_sampled = uniform() < chance;
    block.weight = sample_weigh(INTERVAL, block.size, next_random());
    return block;
}

static void count(struct lifetime_sum *sum, const struct block *block)
{
    const struct sample_weight *weight = &block->weight;

    if (block->is_sampled)
        lifetime_sum_add(
            sum, &(struct lifetime_sum){ 1, weight->blocks, weight->bytes,
                                         block->size, weight->blocks_variance,
                                         weight->bytes_variance });
}

/* Add a block, which is live at the end if it is not `freed`. */
static void add_block(struct sums *sums, const struct block *block,
                      struct lifetime_sum *born, struct lifetime_sum *freed)
{
    count(born, block);
    if (freed != NULL) {
        count(freed, block);
        return;
    }
    sums->live_bytes += (double)block->size;
    sums->live_blocks++;
}

static void add_site(struct profile *profile, const struct sums *sums,
                     unsigned number)
{
    struct lifetimes lives = { 0 };
    struct lifetime_sum live;
    struct profile_site site = {
        .kind = LEDGER_SITE_HEAP,
        .module = PROFILE_NO_MODULE,
        .place = number + 1,
        .frame = STACK_WHOLE,
        .is_estimate = true,
        .amounts = {
            .inherited_blocks = sums->inherited.blocks,
            .inherited_bytes = sums->inherited.bytes,
            .alloc_blocks = sums->all.blocks,
            .alloc_bytes = sums->all.bytes,
            .free_blocks = sums->freed.blocks + sums->let_go.blocks,
            .free_bytes = sums->freed.bytes + sums->let_go.bytes,
        },
    };

    lives.sums[LEDGER_LIFE_ALLOCATED] = sums->all;
    lives.sums[LEDGER_LIFE_FREED] = sums->freed;
    live = lifetimes_live(&lives);
    site.amounts.error = amounts_error_of(&sums->all, &live, &sums->freed);
    site.amounts.error.inherited_blocks = inherited_error(
        sums->inherited.blocks_variance - sums->let_go.blocks_variance);
    site.amounts.error.inherited_bytes = inherited_error(
        sums->inherited.bytes_variance - sums->let_go.bytes_variance);
    if (sums->all.samples + sums->inherited.samples != 0)
        profile_add_site(profile, &site);
}

/* Sample a tree of processes of one parent into a profile. */
static struct profile *fork_program(const struct program *program,
                                    double truth[2])
{
    struct profile *profile = profile_create();

    profile->sample_interval = INTERVAL;
    profile_begin_stacks(profile);
    truth[0] = truth[1] = 0;
    for (unsigned s = 0; s < SITES; s++) {
        static struct block blocks[BLOCKS];

        for (unsigned image = 0; image <= program->children; image++) {
            struct sums sums = { 0 };

            for (unsigned i = 0; i < program->before && image == 0; i++) {
                blocks[i] = make_block(program);
                add_block(&sums, &blocks[i], &sums.all, NULL);
            }
            for (unsigned i = 0; i < program->before && image > 0; i++)
                add_block(&sums, &blocks[i], &sums.inherited,
                          uniform() < program->freed ? &sums.let_go : NULL);
            for (unsigned i = 0; i < program->after && image > 0; i++) {
                struct block block = make_block(program);

                add_block(&sums, &block, &sums.all, NULL);
            }
            truth[0] += sums.live_bytes;
            truth[1] += sums.live_blocks;
            add_site(profile, &sums, s);
        }
    }
    profile_finish(profile);
    return profile;
}

static bool holds(struct interval interval, double truth)
{
    return interval.low <= truth && truth <= interval.high;
}

static void check_hits(const char *name, const char *what, unsigned hits)
{
    print_message("%s, %s: %.1f %%\n", name, what, hits * 100. / SAMPLINGS);
    if (hits * 100 < SAMPLINGS * 94)
        fail_msg("%s, %s: %u of %d are right", name, what, hits, SAMPLINGS);
}

static void a_tree_of_processes_shares_what_it_inherited(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof forking / sizeof *forking; p++) {
        unsigned hits[2] = { 0 };

        state_of_random = 1;
        for (unsigned i = 0; i < SAMPLINGS; i++) {
            double truth[2];
            struct profile *profile = fork_program(&forking[p], truth);

            hits[0] += holds(interval_of_measure(profile, &profile->heap,
                                                 MEASURE_LIVE_BYTES),
                             truth[0]);
            hits[1] += holds(interval_of_measure(profile, &profile->heap,
                                                 MEASURE_LIVE_BLOCKS),
                             truth[1]);
            profile_destroy(profile);
        }
        check_hits(forking[p].name, "live bytes", hits[0]);
        check_hits(forking[p].name, "live blocks", hits[1]);
    }
}

/* A program that is read twice. */
static const struct {
    struct program of; /* `freed` of the earlier blocks, `after`: new ones */
    unsigned churn;    /* blocks of each site that came and went */
} read_twice[] = {
    { { "grown by 15 MB on 200 MB", 20000, 20000, 10000, 0, 0, 750 }, 0 },
    { { "grown, with churn", 20000, 20000, 10000, 0, 0, 750 }, 3000 },
    { { "replaced", 20000, 20000, 1000, 0, 0.9, 900 }, 100 },
    { { "shrunk", 500, 50000, 1000, 0, 0.5, 0 }, 0 },
    { { "steady", 500, 50000, 1000, 0, 0, 0 }, 1000 },
    { { "of large blocks", 500000, 3000000, 40, 0, 0.3, 20 }, 40 },
};

/* What one site's two readings say, and the true growth. */
static double read_site(const struct program *program, unsigned churn,
                        struct lifetime_sum out[4], double *blocks)
{
    struct sums was = { 0 }, is = { 0 };

    for (unsigned i = 0; i < program->before; i++) {
        struct block block = make_block(program);

        add_block(&was, &block, &was.all, NULL);
        add_block(&is, &block, &is.inherited,
                  uniform() < program->freed ? &is.freed : NULL);
    }
    for (unsigned i = 0; i < program->after + churn; i++) {
        struct block block = make_block(program);

        add_block(&is, &block, &is.all, i < churn ? &is.freed : NULL);
    }
    out[0] = was.all;
    out[1] = is.all;
    lifetime_sum_add(&out[1], &was.all);
    out[1].blocks -= is.freed.blocks;
    out[1].bytes -= is.freed.bytes;
    out[1].blocks_variance -= is.freed.blocks_variance;
    out[1].bytes_variance -= is.freed.bytes_variance;
    out[2] = is.all;
    out[3] = is.freed;
    *blocks += is.live_blocks - was.live_blocks;
    return is.live_bytes - was.live_bytes;
}

static struct turnover turnover_of(const struct lifetime_sum of[4],
                                   bool is_bytes)
{
    double value[4], variance[4];

    for (unsigned i = 0; i < 4; i++) {
        value[i] = (double)(is_bytes ? of[i].bytes : of[i].blocks);
        variance[i] = is_bytes ? of[i].bytes_variance : of[i].blocks_variance;
    }
    return (
        struct turnover){ value[0],    value[1],    value[2],    value[3],
                          variance[0], variance[1], variance[2], variance[3] };
}

static void samples_that_are_read_twice_cancel(void **state)
{
    const struct profile profile = { .sample_interval = INTERVAL };

    (void)state;
    for (size_t p = 0; p < sizeof read_twice / sizeof *read_twice; p++) {
        const char *name = read_twice[p].of.name;
        unsigned hits[2] = { 0 }, certain = 0;

        state_of_random = 2;
        for (unsigned i = 0; i < SAMPLINGS; i++) {
            struct lifetime_sum of[4];
            double blocks = 0;
            double bytes =
                read_site(&read_twice[p].of, read_twice[p].churn, of, &blocks);
            const struct turnover turnovers[] = { turnover_of(of, true),
                                                  turnover_of(of, false) };
            struct interval interval = interval_of_turnover(
                &profile, MEASURE_LIVE_BYTES, &turnovers[0]);

            hits[0] += holds(interval, bytes);
            certain += interval.low > 0;
            hits[1] += holds(interval_of_turnover(&profile, MEASURE_LIVE_BLOCKS,
                                                  &turnovers[1]),
                             blocks);
        }
        check_hits(name, "growth of bytes", hits[0]);
        check_hits(name, "growth of blocks", hits[1]);
        print_message("%s: %u of %d say that it grew\n", name, certain,
                      SAMPLINGS);
        if (p == 0)
            assert_true(certain > SAMPLINGS * 9 / 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_that_are_read_twice_cancel),
        cmocka_unit_test(a_tree_of_processes_shares_what_it_inherited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
