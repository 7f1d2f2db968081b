/* SPDX-License-Identifier: Apache-2.0 */
/* life.c - the life of a block; at rate 1, where all counts are exact */
#include <errno.h>
#include <stdlib.h>

#include "tests/memprof/tracker.h"

enum { EPOCH_WORDS = 262144, BLOCK_WORDS = 8, BLOCK_BYTES = 56 };

static void *blocks[EPOCH_WORDS];

static void check_advance(void)
{
    struct memprof *profile = start_at(1);
    void *minor = malloc(2048), *major = malloc(2049), *gone = malloc(1);

    free(gone);
    expect("made", 2, 1, 0, 1, 0);
    memprof_advance();
    expect("advanced", 0, 0, 1, 0, 0);
    memprof_advance();
    expect("once is enough", 0, 0, 0, 0, 0);
    free(minor);
    free(major);
    expect("freed", 0, 0, 0, 0, 2);
    end(profile);
}

/* Blocks of 8 words, header included: the last one ends the epoch for the
   others. */
static void check_epoch(void)
{
    struct memprof *profile = start_at(1);
    unsigned count = EPOCH_WORDS / BLOCK_WORDS;

    for (unsigned i = 0; i < count - 1; i++)
        blocks[i] = malloc(BLOCK_BYTES);
    expect("before the end", count - 1, 0, 0, 0, 0);
    blocks[count - 1] = malloc(BLOCK_BYTES);
    expect("the end", 1, 0, count - 1, 0, 0);
    for (unsigned i = 0; i < count; i++)
        free(blocks[i]);
    expect("freed", 0, 0, 0, 1, count - 1);
    for (unsigned i = 0; i < count; i++)
        free(malloc(BLOCK_BYTES));
    expect("those that died young", count, 0, 0, count, 0);
    blocks[0] = malloc(BLOCK_BYTES);
    free(malloc(EPOCH_WORDS * 8));
    expect("a large block counts, too", 1, 1, 1, 0, 1);
    free(blocks[0]);
    expect("freed", 0, 0, 0, 0, 1);
    end(profile);
}

static void check_nursery(void)
{
    struct memprof *profile;
    void *block;

    tally_memprof_nursery(100, 10);
    profile = start_at(1);
    block = malloc(80);
    expect("minor", 1, 0, 0, 0, 0);
    free(malloc(88));
    expect("major", 0, 1, 0, 0, 1);
    for (int i = 0; i < 12; i++)
        free(malloc(BLOCK_BYTES));
    /* 11 + 12 + 12 * 8 = 119 words; with the tenth block 103. */
    expect("an epoch of 100 words", 12, 0, 1, 12, 0);
    free(block);
    expect("freed", 0, 0, 0, 0, 1);
    end(profile);
    tally_memprof_nursery(SIZE_MAX, 256);
    profile = start_at(1);
    block = malloc(100);
    free(malloc(3000));
    expect("one endless epoch", 1, 1, 0, 0, 1);
    free(block);
    expect("freed", 0, 0, 0, 1, 0);
    end(profile);
    tally_memprof_nursery(EPOCH_WORDS, 256);
}

/* Epochs end as usual, though custom memory adds up to more than 2^64. */
static void check_epochs_of_huge_memory(void)
{
    struct memprof *profile;
    void *block;

    tally_memprof_nursery(100, 10);
    profile = start_at(1);
    for (int i = 0; i < 40; i++) {
        memprof_custom_free(memprof_custom_alloc(SIZE_MAX / 4));
        expect("huge", 0, 1, 0, 0, 1);
        block = malloc(8);
        free(malloc(8));
        expect("young", 2, 0, 0, 1, 0);
        memprof_custom_free(memprof_custom_alloc(100 * sizeof(void *)));
        expect("old", 0, 1, 1, 0, 1);
        free(block);
        expect("freed", 0, 0, 0, 0, 1);
    }
    end(profile);
    tally_memprof_nursery(EPOCH_WORDS, 256);
}

/* The epoch begins at once, not at the next sample some hundred words later. */
static void check_advance_begins_an_epoch(void)
{
    enum { WORDS = 10000, COUNT = WORDS / 2, TURNS = 16 };

    tally_memprof_nursery(WORDS, 256);
    for (int turn = 0; turn < TURNS; turn++) {
        struct memprof *profile = start_at(0.01);
        unsigned count = 0;

        for (int i = 0; i < 1000; i++)
            free(malloc(8));
        memprof_advance();
        promotes = 0;
        while (promotes == 0 && count < 2 * COUNT)
            blocks[count++] = malloc(8);
        CHECK_IS(count, COUNT);
        for (unsigned i = 0; i < count; i++)
            free(blocks[i]);
        end(profile);
        forget_all();
    }
    tally_memprof_nursery(EPOCH_WORDS, 256);
}

/* After stop, promote and dealloc callbacks continue until discard. */
static void check_stop(void)
{
    struct memprof *profile = start_at(1);
    void *young = malloc(10), *old = malloc(20), *oldest = malloc(30);

    CHECK_IS(memprof_stop(), 0);
    free(malloc(1));
    expect("stopped", 3, 0, 0, 0, 0);
    free(young);
    expect("dealloc", 0, 0, 0, 1, 0);
    memprof_advance();
    expect("promote", 0, 0, 2, 0, 0);
    free(old);
    expect("dealloc", 0, 0, 0, 0, 1);
    CHECK_IS(memprof_discard(profile), 0);
    memprof_advance();
    free(oldest);
    expect("discarded", 0, 0, 0, 0, 0);
}

static void check_errors(void)
{
    static const struct memprof_tracker *const null = &memprof_null_tracker;
    struct memprof *profile, *other;
    double none = 0;

    CHECK_IS(memprof_stop(), -ESRCH);
    CHECK_IS(memprof_discard(NULL), -EINVAL);
    CHECK_IS(memprof_start(-0.1, 0, null, &profile), -EINVAL);
    CHECK_IS(memprof_start(1.1, 0, null, &profile), -EINVAL);
    CHECK_IS(memprof_start(none / none, 0, null, &profile), -EINVAL);
    CHECK_IS(memprof_start(0.5, -1, null, &profile), -EINVAL);
    CHECK_IS(memprof_start(0.5, 1, NULL, &profile), -EINVAL);
    CHECK_IS(memprof_start(0.5, 1, null, NULL), -EINVAL);
    CHECK_IS(memprof_is_sampling(), 0);
    CHECK_IS(memprof_start(0.25, 0, null, &profile), 0);
    CHECK(memprof_effective_rate(profile) == 0.25);
    CHECK_IS(memprof_is_sampling(), 1);
    CHECK_IS(memprof_start(0.5, 1, null, &other), -EALREADY);
    CHECK_IS(memprof_start(2, 1, null, &other), -EINVAL);
    CHECK_IS(memprof_discard(profile), -EBUSY);
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_is_sampling(), 0);
    CHECK_IS(memprof_stop(), -ESRCH);
    CHECK_IS(memprof_start(1, 1, null, &other), 0);
    CHECK_IS(memprof_discard(profile), 0);
    CHECK_IS(memprof_discard(profile), -EALREADY);
    CHECK_IS(memprof_discard(other), -EBUSY);
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_discard(other), 0);
    CHECK_IS(memprof_discard(other), -EALREADY);
    CHECK_IS(memprof_discard(profile), -EALREADY);
}

/* Each block belongs to the profile that sampled it, in any order of ends. */
static void check_several_profiles(void)
{
    struct memprof *profiles[3];
    void *mine[3];

    for (int i = 0; i < 3; i++) {
        profiles[i] = start_at(1);
        mine[i] = malloc(40);
        CHECK_IS(memprof_stop(), 0);
    }
    expect("three", 3, 0, 0, 0, 0);
    CHECK_IS(memprof_discard(profiles[1]), 0);
    free(mine[1]);
    expect("discarded", 0, 0, 0, 0, 0);
    free(mine[0]);
    expect("older", 0, 0, 0, 1, 0);
    CHECK_IS(memprof_discard(profiles[0]), 0);
    memprof_advance();
    expect("newer", 0, 0, 1, 0, 0);
    CHECK_IS(memprof_discard(profiles[2]), 0);
    free(mine[2]);
    expect("all discarded", 0, 0, 0, 0, 0);
    for (int i = 0; i < 3000; i++) { /* handles are reused late */
        struct memprof *profile = start_at(1);

        free(malloc(1));
        end(profile);
        CHECK_IS(memprof_discard(profile), -EALREADY);
    }
    forget_all();
}

/* A missing callback, or one that returns NULL, ends the reports of a block. */
static void check_untracked(void)
{
    struct memprof_tracker partial = tracker;
    struct memprof *profile;
    void *block;

    partial.alloc_minor = NULL;
    partial.promote = NULL;
    CHECK_IS(memprof_start(1, 0, &partial, &profile), 0);
    free(malloc(10));
    expect("no alloc_minor", 0, 0, 0, 0, 0);
    free(malloc(3000));
    expect("alloc_major", 0, 1, 0, 0, 1);
    end(profile);

    partial = tracker;
    partial.promote = NULL;
    CHECK_IS(memprof_start(1, 0, &partial, &profile), 0);
    block = malloc(10);
    memprof_advance();
    free(block);
    expect("no promote", 1, 0, 0, 0, 0);
    end(profile);

    CHECK_IS(memprof_start(1, 0, &memprof_null_tracker, &profile), 0);
    free(malloc(10));
    expect("nothing", 0, 0, 0, 0, 0);
    end(profile);
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    check_errors();
    check_advance();
    check_epoch();
    check_nursery();
    check_epochs_of_huge_memory();
    check_advance_begins_an_epoch();
    check_stop();
    check_several_profiles();
    check_untracked();
    return end_of_test();
}
