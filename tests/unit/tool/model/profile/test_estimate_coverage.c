/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_estimate_coverage.c - how often intervals contain the true value
 *
 * Programs of known blocks are sampled 2,000 times from fixed seeds, with the
 * recorder's weights. Each printed interval contains the true value in at least
 * 94 % of them; that of a row in 94 % of the samplings that have the row.
 *
 * This file is long because it has tables of the programs' block sizes.
 */
#include "format/ledger/ledger_layout.h"
#include "tool/model/profile/profile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ledger/blocks/sample_accounts.h"
#include "tests/unit/tool/model/names/program_sizes.h"

enum {
    SAMPLINGS = 2000,
    LEAST_HITS = SAMPLINGS * 94 / 100,
    SIZES = 80,
    SEEN_OFTEN = SAMPLINGS / 10
};

static uint64_t state_of_random;

static uint64_t next_random(void)
{
    uint64_t mixed = state_of_random += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

/* Return a number above 0, at most 1. */
static double uniform(void)
{
    return (double)((next_random() >> 11) + 1) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Return how many of `count` events with this chance happen. */
static double happens(double count, double chance)
{
    double found = 0, at = 0;

    if (count * chance > 15 && count * (1 - chance) > 15) {
        found = round(count * chance +
                      normal() * sqrt(count * chance * (1 - chance)));
        return found < 0 ? 0 : found > count ? count : found;
    }
    while ((at += 1 + floor(log(uniform()) / log1p(-chance))) <= count)
        found++;
    return found;
}

/* Blocks of one size, some of which stay live. */
struct kind {
    double size, chance, alive, freed;
};

struct program {
    const char *name;
    struct profile profile;
    struct kind kinds[SIZES];
    size_t count;
};

static void add(struct lifetime_sum *sum, const struct program *program,
                const struct kind *kind, double samples)
{
    struct sample_weight weight = { 0 };

    for (double i = 0; i < samples && i < 5; i++) {
        weight = sample_weigh(program->profile.sample_interval,
                              (uint64_t)kind->size, next_random());
        sum->blocks += weight.blocks;
        sum->bytes += weight.bytes;
    }
    /* The rounding of a sum of many is within their spread. */
    if (samples > 5) {
        sum->blocks += (uint64_t)((samples - 5) / kind->chance + uniform());
        sum->bytes +=
            (uint64_t)((samples - 5) * kind->size / kind->chance + uniform());
    }
    sum->samples += (uint64_t)samples;
    sum->seen += (uint64_t)(samples * kind->size);
    sum->blocks_variance += samples * weight.blocks_variance;
    sum->bytes_variance += samples * weight.bytes_variance;
}

static void sample(const struct program *program, const struct kind *kind,
                   struct lifetimes *found)
{
    double alive = happens(kind->alive, kind->chance);
    double freed = happens(kind->freed, kind->chance);

    add(&found->sums[LEDGER_LIFE_FREED + 3], program, kind, freed);
    found->sums[LEDGER_LIFE_ALLOCATED] = found->sums[LEDGER_LIFE_FREED + 3];
    add(&found->sums[LEDGER_LIFE_ALLOCATED], program, kind, alive);
}

enum figure {
    BYTES,
    BLOCKS,
    LIVE_BYTES,
    LIVE_BLOCKS,
    OF_BYTES,
    OF_BLOCKS,
    GROWTH,
    FIGURES
};

static const char *const figure_names[] = { "bytes",          "blocks",
                                            "live bytes",     "live blocks",
                                            "share of bytes", "share of blocks",
                                            "growth" };

static bool holds(struct interval interval, double truth)
{
    return interval.low <= truth && truth <= interval.high;
}

static struct profile_amounts amounts_of(const struct lifetimes *lifetimes)
{
    struct lifetime_sum live = lifetimes_live(lifetimes);
    struct lifetime_sum freed = lifetimes_freed(lifetimes);
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];

    return (struct profile_amounts){
        .alloc_blocks = all->blocks,
        .alloc_bytes = all->bytes,
        .live_blocks = (int64_t)live.blocks,
        .live_bytes = (int64_t)live.bytes,
        .error = amounts_error_of(all, &live, &freed),
    };
}

/* True values. */
struct truth {
    double bytes, blocks, live_bytes, live_blocks;
};

static void add_truth(struct truth *truth, const struct kind *kind)
{
    truth->bytes += (kind->alive + kind->freed) * kind->size;
    truth->blocks += kind->alive + kind->freed;
    truth->live_bytes += kind->alive * kind->size;
    truth->live_blocks += kind->alive;
}

/* Check the interval of each figure. */
static void look(const struct profile *profile,
                 const struct lifetimes *lifetimes, const struct truth *truth,
                 unsigned hits[FIGURES])
{
    struct profile_amounts amounts = amounts_of(lifetimes);
    struct lifetime_sum live = lifetimes_live(lifetimes);
    const struct lifetime_sum *all = &lifetimes->sums[LEDGER_LIFE_ALLOCATED];
    const struct {
        enum measure measure;
        double truth;
    } measures[] = { { MEASURE_TOTAL_BYTES, truth->bytes },
                     { MEASURE_TOTAL_BLOCKS, truth->blocks },
                     { MEASURE_LIVE_BYTES, truth->live_bytes },
                     { MEASURE_LIVE_BLOCKS, truth->live_blocks } };

    for (unsigned i = 0; i < 4; i++)
        hits[i] +=
            holds(interval_of_measure(profile, &amounts, measures[i].measure),
                  measures[i].truth);
    hits[OF_BYTES] += holds(share_of_bytes(profile, &live, all).interval,
                            truth->live_bytes / truth->bytes);
    hits[OF_BLOCKS] += holds(share_of_blocks(profile, &live, all).interval,
                             truth->live_blocks / truth->blocks);
}

/* Two runs of one program: nothing grew. */
static bool is_growth_right(const struct profile *profile,
                            const struct lifetimes *before,
                            const struct lifetimes *after)
{
    struct profile_amounts was = amounts_of(before), is = amounts_of(after);

    return holds(interval_of_growth(
                     (double)was.live_blocks,
                     interval_of_measure(profile, &was, MEASURE_LIVE_BLOCKS),
                     (double)is.live_blocks,
                     interval_of_measure(profile, &is, MEASURE_LIVE_BLOCKS)),
                 0);
}

/* Rows: one per size, present if it has samples. */
struct rows {
    unsigned seen[SIZES];
    unsigned hits[SIZES][FIGURES];
};

static void look_at_program(const struct program *program,
                            unsigned hits[FIGURES], struct rows *rows)
{
    struct lifetimes before = { 0 };
    struct truth truth = { 0 };

    for (size_t i = 0; i < program->count; i++)
        add_truth(&truth, &program->kinds[i]);
    for (unsigned i = 0; i < SAMPLINGS; i++) {
        struct lifetimes all = { 0 };

        for (size_t k = 0; k < program->count; k++) {
            struct lifetimes row = { 0 };
            struct truth of_row = { 0 };

            sample(program, &program->kinds[k], &row);
            lifetimes_add(&all, &row);
            if (row.sums[LEDGER_LIFE_ALLOCATED].samples == 0)
                continue;
            add_truth(&of_row, &program->kinds[k]);
            rows->seen[k]++;
            look(&program->profile, &row, &of_row, rows->hits[k]);
        }
        look(&program->profile, &all, &truth, hits);
        hits[GROWTH] +=
            i == 0 || is_growth_right(&program->profile, &before, &all);
        before = all;
    }
}

static unsigned complaints;

static void check(const struct program *program, const char *what,
                  enum figure figure, unsigned hits, unsigned seen)
{
    if (hits * 100 >= seen * 94)
        return;
    complaints++;
    printf("%s, one byte in %lu: %s of %s are right %u times of %u\n",
           program->name, (unsigned long)program->profile.sample_interval,
           figure_names[figure], what, hits, seen);
}

static void check_program(const struct program *program)
{
    unsigned hits[FIGURES] = { 0 };
    static struct rows rows;
    char what[32];

    rows = (struct rows){ 0 };
    state_of_random = 42;
    look_at_program(program, hits, &rows);
    for (unsigned i = 0; i < FIGURES; i++)
        check(program, "all", i, hits[i], SAMPLINGS);
    /* Each row; those that occur too rarely are checked together. */
    for (unsigned i = 0; i <= OF_BLOCKS; i++) {
        unsigned right = 0, seen = 0;

        for (size_t k = 0; k < program->count; k++) {
            snprintf(what, sizeof what, "%.0f bytes", program->kinds[k].size);
            if (rows.seen[k] >= SEEN_OFTEN) {
                check(program, what, i, rows.hits[k][i], rows.seen[k]);
                continue;
            }
            right += rows.hits[k][i];
            seen += rows.seen[k];
        }
        check(program, "rare rows", i, right, seen);
    }
}

static const struct {
    const char *name;
    const struct size_count *sizes;
    size_t count;
} programs[] = {
#define PROGRAM(name)                                                   \
    {                                                                   \
#name, name##_sizes, sizeof name##_sizes / sizeof *name##_sizes \
    }
    PROGRAM(mixture), PROGRAM(perl), PROGRAM(sqlite),
    PROGRAM(gawk),    PROGRAM(jq),   PROGRAM(python),
};

static void check_interval(uint64_t interval)
{
    complaints = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        struct program program = { .name = programs[i].name,
                                   .profile = { .sample_interval = interval },
                                   .count = programs[i].count };

        assert_true(program.count <= SIZES);
        for (size_t k = 0; k < program.count; k++) {
            double size = (double)programs[i].sizes[k].size;
            double count = (double)programs[i].sizes[k].count;

            program.kinds[k] = (struct kind){
                .size = size,
                .chance = -expm1(size * log1p(-1 / (double)interval)),
                .alive = floor(count / 3),
                .freed = count - floor(count / 3),
            };
        }
        check_program(&program);
    }
    assert_int_equal(complaints, 0);
}

static void intervals_hold_the_truth_at_4K(void **state)
{
    (void)state;
    check_interval(4096);
}

static void intervals_hold_the_truth_at_64K(void **state)
{
    (void)state;
    check_interval(65536);
}

static void intervals_hold_the_truth_at_512K(void **state)
{
    (void)state;
    check_interval(524288);
}

/* A heap with changing blocks. */
enum { PATH_SIZE = 6000 };

struct path {
    const char *name;
    struct {
        unsigned block; /* allocated if it is not live, else freed */
        uint64_t size;
    } steps[PATH_SIZE];
    size_t count;
    double peak, live;
    bool lives[PATH_SIZE];
};

static void step(struct path *path, unsigned block, uint64_t size)
{
    path->steps[path->count].block = block;
    path->steps[path->count++].size = size;
    path->lives[block] = !path->lives[block];
    path->live += path->lives[block] ? (double)size : -(double)size;
    if (path->live > path->peak)
        path->peak = path->live;
}

/* Any of 1,000 blocks, repeatedly: half of them are live. */
static void wander(struct path *path)
{
    state_of_random = 7;
    for (unsigned i = 0; i < PATH_SIZE; i++)
        step(path, (unsigned)(next_random() % 1000), 64);
}

static void saw(struct path *path)
{
    for (unsigned i = 0; i < PATH_SIZE; i++)
        step(path, i % 500, 64);
}

/* Nothing is freed. */
static void grow(struct path *path)
{
    for (unsigned i = 0; i < PATH_SIZE / 2; i++)
        step(path, i, 64);
}

/* One block in ten is a hundred times as large as the others. */
static void mix(struct path *path)
{
    state_of_random = 9;
    for (unsigned i = 0; i < PATH_SIZE; i++) {
        unsigned block = (unsigned)(next_random() % 1000);

        step(path, block, block % 10 == 0 ? 6400 : 64);
    }
}

/* Only large blocks, all of which are sampled. */
static void tower(struct path *path)
{
    for (unsigned i = 0; i < 12; i++)
        step(path, i % 5, 1000000);
}

static double sample_path(const struct path *path, uint64_t interval,
                          struct profile *profile)
{
    static struct ledger_header header;
    static struct {
        struct sample_halves halves;
        uint64_t bytes;
        bool lives;
    } blocks[PATH_SIZE];

    memset(&header, 0, sizeof header);
    memset(blocks, 0, sizeof blocks);
    for (size_t i = 0; i < path->count; i++) {
        unsigned block = path->steps[i].block;
        uint64_t size = path->steps[i].size;
        uint64_t hits;

        blocks[block].lives = !blocks[block].lives;
        if (!blocks[block].lives) {
            if (blocks[block].bytes != 0)
                sample_peak_subtract(&header, &blocks[block].halves,
                                     blocks[block].bytes);
            continue;
        }
        hits = (uint64_t)happens((double)size, 1 / (double)interval);
        blocks[block].bytes =
            hits == 0 ? 0 : sample_weigh(interval, size, next_random()).bytes;
        if (hits == 0)
            continue;
        blocks[block].halves = sample_peak_split(
            interval, size, hits,
            (const uint64_t[]){ next_random(), next_random() });
        sample_peak_add(&header, &blocks[block].halves, blocks[block].bytes);
    }
    *profile = (struct profile){ .sample_interval = interval };
    profile->peak_bytes = (uint64_t)header.peak_bytes;
    profile->peak_most =
        (uint64_t)(header.sample_most > header.peak_bytes ? header.sample_most
                                                          : header.peak_bytes);
    return (double)header.sample_most;
}

/* Mean error of the peak and of the samples' maximum. */
struct lean {
    double peak, most;
};

static struct lean check_peak(const struct path *path, uint64_t interval)
{
    struct lean lean = { 0 };
    unsigned hits = 0;

    state_of_random = 42;
    for (unsigned i = 0; i < SAMPLINGS; i++) {
        struct profile profile;

        lean.most += sample_path(path, interval, &profile) / path->peak;
        lean.peak += (double)profile.peak_bytes / path->peak;
        hits += holds(interval_of_peak(&profile), path->peak);
    }
    lean.most = lean.most / SAMPLINGS - 1;
    lean.peak = lean.peak / SAMPLINGS - 1;
    printf("%s, %4lu: peak %+.1f %%, most %+.1f %%, %u of %u\n", path->name,
           (unsigned long)interval, lean.peak * 100, lean.most * 100, hits,
           (unsigned)SAMPLINGS);
    assert_true(hits >= LEAST_HITS);
    return lean;
}

/* The samples' maximum is up to 80 % above the true peak. */
static void the_peak_does_not_lean_up(void **state)
{
    static const struct {
        const char *name;
        void (*make)(struct path *path);
    } paths[] = { { "wander", wander },
                  { "saw", saw },
                  { "grow", grow },
                  { "mix", mix },
                  { "tower", tower } };
    static const uint64_t intervals[] = { 256, 1024, 4096 };
    double most = 0;

    (void)state;
    for (unsigned p = 0; p < sizeof paths / sizeof *paths; p++) {
        static struct path path;

        memset(&path, 0, sizeof path);
        path.name = paths[p].name;
        paths[p].make(&path);
        for (unsigned i = 0; i < 3; i++) {
            struct lean lean = check_peak(&path, intervals[i]);

            most = fmax(most, lean.most);
            assert_true(lean.peak < 0.02);
            assert_true(lean.peak > -0.2);
        }
    }
    assert_true(most > 0.1);
}

/* If each byte is sampled, the peak is exact. */
static void the_peak_of_all_is_exact(void **state)
{
    static struct path path;
    struct profile profile;

    (void)state;
    mix(&path);
    assert_true(sample_path(&path, 1, &profile) == path.peak);
    assert_int_equal(profile.peak_bytes, (uint64_t)path.peak);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_truth_at_4K),
        cmocka_unit_test(intervals_hold_the_truth_at_64K),
        cmocka_unit_test(intervals_hold_the_truth_at_512K),
        cmocka_unit_test(the_peak_does_not_lean_up),
        cmocka_unit_test(the_peak_of_all_is_exact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
