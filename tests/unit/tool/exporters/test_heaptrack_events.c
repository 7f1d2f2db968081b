/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_heaptrack_events.c - events, replayed as heaptrack does, give the
 * accounts
 *
 * The rules: a block counts as temporary if its `-` directly follows the `+` of
 * its number; the peak is the maximum of live bytes.
 */
#include "tool/exporters/exporter.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/random_sequence.h"

enum { STACKS = 40, INFOS = 100000 };

struct played {
    uint64_t allocations[STACKS], bytes[STACKS], live[STACKS], blocks[STACKS];
    uint64_t temporary[STACKS], at_peak[STACKS];
    uint64_t total, peak;
};

/* Infos are 0 until declared. */
static struct {
    uint64_t size;
    uint64_t call;
} infos[INFOS];

static void play_line(struct played *played, const char *line, uint64_t *count,
                      uint64_t *last)
{
    uint64_t a = 0, b = 0;
    unsigned call;

    sscanf(line + 1, "%" SCNx64 " %" SCNx64, &a, &b);
    if (line[0] == 'a') {
        assert_true(*count < INFOS);
        infos[*count].size = a;
        infos[(*count)++].call = b - 1;
        return;
    }
    if (line[0] == 'c')
        return;
    assert_true(a < *count);
    call = (unsigned)infos[a].call;
    if (line[0] == '+') {
        played->allocations[call]++;
        played->bytes[call] += infos[a].size;
        played->live[call] += infos[a].size;
        played->blocks[call]++;
        played->total += infos[a].size;
        *last = a + 1;
        if (played->total > played->peak) {
            played->peak = played->total;
            memcpy(played->at_peak, played->live, sizeof played->live);
        }
        return;
    }
    assert_int_equal(line[0], '-');
    assert_true(played->blocks[call] > 0);
    played->temporary[call] += *last == a + 1;
    played->live[call] -= infos[a].size;
    played->blocks[call]--;
    played->total -= infos[a].size;
    *last = 0;
}

static void play(const struct profile *profile, struct played *played)
{
    uint64_t calls[STACKS], count = 0, last = 0;
    struct heaptrack_events events = { .stream = tmpfile() };
    char line[64];

    memset(played, 0, sizeof *played);
    for (size_t i = 0; i < STACKS; i++)
        calls[i] = i + 1;
    heaptrack_events_write(&events, profile, calls);
    rewind(events.stream);
    while (fgets(line, sizeof line, events.stream) != NULL)
        play_line(played, line, &count, &last);
    fclose(events.stream);
    assert_int_equal(events.left_out, 0);
}

/* A possible program: each block is of one of four kinds. */
static struct profile_amounts make_up(struct random_sequence *random)
{
    uint64_t temporary = random_below(random, 20);
    uint64_t passing = random_below(random, 20);
    uint64_t peak_only = random_below(random, 10);
    uint64_t kept = 1 + random_below(random, 10);
    uint64_t size = 1 + random_below(random, 500);
    uint64_t all = temporary + passing + peak_only + kept;

    return (struct profile_amounts){
        .alloc_blocks = all,
        .alloc_bytes = all * size,
        .free_blocks = all - kept,
        .free_bytes = (all - kept) * size,
        .peak_blocks = peak_only + kept,
        .peak_bytes = (peak_only + kept) * size,
        .temporary_blocks = temporary,
        .live_blocks = (int64_t)kept,
        .live_bytes = (int64_t)(kept * size),
    };
}

static void make_all_up(struct profile_stack *stacks)
{
    struct random_sequence random = { 3 };

    for (unsigned i = 0; i < STACKS; i++)
        stacks[i].amounts = make_up(&random);
}

static void check_accounts(struct profile_stack *stacks)
{
    struct profile profile = {
        .has_peaks = true,
        .has_temporary = true,
        .stacks = { .stacks = stacks, .stack_count = STACKS },
    };
    struct played *played = calloc(1, sizeof *played);
    uint64_t peak = 0;

    for (unsigned i = 0; i < STACKS; i++)
        peak += stacks[i].amounts.peak_bytes;
    play(&profile, played);
    assert_int_equal(played->peak, peak);
    for (unsigned i = 0; i < STACKS; i++) {
        const struct profile_amounts *amounts = &stacks[i].amounts;

        assert_int_equal(played->allocations[i], amounts->alloc_blocks);
        assert_int_equal(played->bytes[i], amounts->alloc_bytes);
        assert_int_equal(played->live[i], amounts->live_bytes);
        assert_int_equal(played->blocks[i], amounts->live_blocks);
        assert_int_equal(played->temporary[i], amounts->temporary_blocks);
        assert_int_equal(played->at_peak[i], amounts->peak_bytes);
    }
    free(played);
}

static void events_lead_to_the_accounts(void **state)
{
    struct profile_stack stacks[STACKS] = { { 0 } };

    (void)state;
    make_all_up(stacks);
    check_accounts(stacks);
}

/* The last block before the heap decreases was freed at once. */
static void a_block_of_the_peak_is_temporary(void **state)
{
    struct profile_stack stacks[STACKS] = { { 0 } };
    struct profile_amounts *amounts = &stacks[7].amounts;

    (void)state;
    make_all_up(stacks);
    assert_true((int64_t)amounts->peak_blocks > amounts->live_blocks);
    amounts->temporary_blocks =
        amounts->alloc_blocks - amounts->peak_blocks + 1;
    check_accounts(stacks);
}

/* Contradictory accounts: only live blocks are freed. */
static void odd_accounts_are_played_as_far_as_they_go(void **state)
{
    struct random_sequence random = { 5 };
    struct profile_stack stacks[STACKS] = { { 0 } };
    struct profile profile = {
        .has_peaks = true,
        .stacks = { .stacks = stacks, .stack_count = STACKS },
    };
    struct played *played = calloc(1, sizeof *played);

    (void)state;
    for (unsigned i = 0; i < STACKS; i++)
        stacks[i].amounts = (struct profile_amounts){
            .alloc_blocks = random_below(&random, 30),
            .alloc_bytes = random_below(&random, 3000),
            .peak_blocks = random_below(&random, 30),
            .peak_bytes = random_below(&random, 3000),
            .temporary_blocks = random_below(&random, 30),
            .live_blocks = (int64_t)random_below(&random, 30) - 5,
            .live_bytes = (int64_t)random_below(&random, 3000) - 500,
        };
    play(&profile, played);
    free(played);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_lead_to_the_accounts),
        cmocka_unit_test(a_block_of_the_peak_is_temporary),
        cmocka_unit_test(odd_accounts_are_played_as_far_as_they_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
