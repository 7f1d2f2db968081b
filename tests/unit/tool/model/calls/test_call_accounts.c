/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_call_accounts.c - effects of each call on the accounts, by value
 *
 * This file is long because every outcome of a call, or loss of one, has a
 * test.
 */
#include "tool/model/calls/calls.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int open_accounts(void **state)
{
    *state = calloc(1, sizeof(struct call_accounts));
    return *state == NULL ? -1 : 0;
}

static int close_accounts(void **state)
{
    call_accounts_close(*state);
    free(*state);
    return 0;
}

static void add(struct call_accounts *accounts, struct mem_trace_event event)
{
    call_accounts_add(accounts, &event);
}

static void add_malloc(struct call_accounts *accounts, uint64_t result,
                       uint64_t caller, uint64_t size)
{
    add(accounts, (struct mem_trace_event){ .op = MEM_TRACE_MALLOC,
                                            .result = result,
                                            .caller = caller,
                                            .size = size });
}

static void add_realloc(struct call_accounts *accounts, uint64_t result,
                        uint64_t caller, uint64_t pointer, uint64_t size)
{
    add(accounts, (struct mem_trace_event){ .op = MEM_TRACE_REALLOC,
                                            .result = result,
                                            .caller = caller,
                                            .pointer = pointer,
                                            .size = size });
}

static void add_calloc(struct call_accounts *accounts, uint64_t result,
                       uint64_t caller, uint64_t count, uint64_t size)
{
    add(accounts, (struct mem_trace_event){ .op = MEM_TRACE_CALLOC,
                                            .result = result,
                                            .caller = caller,
                                            .count = count,
                                            .size = size });
}

static void add_free(struct call_accounts *accounts, uint64_t pointer)
{
    add(accounts, (struct mem_trace_event){
                      .op = MEM_TRACE_FREE, .caller = 9, .pointer = pointer });
}

static void assert_sum(const struct call_accounts *accounts, uint64_t allocs,
                       uint64_t bytes, uint64_t frees, uint64_t live_bytes,
                       uint64_t peak)
{
    assert_int_equal(accounts->sum.alloc_blocks, allocs);
    assert_int_equal(accounts->sum.alloc_bytes, bytes);
    assert_int_equal(accounts->sum.free_blocks, frees);
    assert_int_equal(call_accounts_live_bytes(accounts), live_bytes);
    assert_int_equal(call_accounts_live_blocks(accounts), allocs - frees);
    assert_int_equal(accounts->sum.peak_bytes, peak);
}

static void assert_odd(const struct call_accounts *accounts, uint64_t failed,
                       uint64_t foreign_frees, uint64_t lost_frees)
{
    assert_int_equal(accounts->sum.failed, failed);
    assert_int_equal(accounts->foreign_frees, foreign_frees);
    assert_int_equal(accounts->lost_frees, lost_frees);
}

static void a_block_is_allocated_and_freed(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x20003240, 0x600d, 50);
    assert_sum(accounts, 1, 50, 0, 50, 50);
    add_free(accounts, 0x20003240);
    assert_sum(accounts, 1, 50, 1, 0, 50);
    assert_odd(accounts, 0, 0, 0);
    assert_int_equal(accounts->site_count, 1);
    assert_int_equal(accounts->sites[0].caller, 0x600d);
}

static void calloc_is_of_all_its_elements(void **state)
{
    struct call_accounts *accounts = *state;

    add_calloc(accounts, 0x10, 1, 25, 10);
    assert_sum(accounts, 1, 250, 0, 250, 250);
}

static void a_realloc_that_moves_frees_the_old_block(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_realloc(accounts, 0x20, 2, 0x10, 80);
    assert_sum(accounts, 2, 130, 1, 80, 80);
    assert_int_equal(accounts->sites[0].amounts.free_bytes, 50);
    assert_int_equal(accounts->sites[1].amounts.alloc_bytes, 80);
    add_free(accounts, 0x20);
    assert_sum(accounts, 2, 130, 2, 0, 80);
    add_free(accounts, 0x10);
    assert_odd(accounts, 0, 1, 0);
}

static void a_realloc_in_place_is_one_of_each(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_realloc(accounts, 0x10, 2, 0x10, 80);
    assert_sum(accounts, 2, 130, 1, 80, 80);
    assert_odd(accounts, 0, 0, 0);
}

static void a_realloc_of_nothing_allocates(void **state)
{
    struct call_accounts *accounts = *state;

    add_realloc(accounts, 0x10, 1, 0, 80);
    assert_sum(accounts, 1, 80, 0, 80, 80);
    assert_odd(accounts, 0, 0, 0);
}

static void a_realloc_to_nothing_frees(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_realloc(accounts, 0, 2, 0x10, 0);
    assert_sum(accounts, 1, 50, 1, 0, 50);
    assert_odd(accounts, 0, 0, 0);
    add_malloc(accounts, 0x10, 1, 50);
    add_realloc(accounts, 0x30, 2, 0x10, 0);
    assert_sum(accounts, 3, 100, 2, 0, 50);
}

static void a_realloc_that_fails_keeps_the_old_block(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_realloc(accounts, 0, 2, 0x10, 1000);
    assert_sum(accounts, 1, 50, 0, 50, 50);
    assert_odd(accounts, 1, 0, 0);
    assert_int_equal(accounts->sites[1].amounts.failed, 1);
    assert_int_equal(accounts->sites[1].amounts.failed_largest, 1000);
    add_free(accounts, 0x10);
    assert_sum(accounts, 1, 50, 1, 0, 50);
}

static void failures_count_only_as_failed(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0, 1, 50);
    add_calloc(accounts, 0, 1, 25, 10);
    add_calloc(accounts, 0, 1, UINT64_MAX, 2);
    assert_sum(accounts, 0, 0, 0, 0, 0);
    assert_odd(accounts, 3, 0, 0);
    assert_int_equal(accounts->odd_sizes, 0);
    assert_int_equal(accounts->sum.failed_largest, UINT64_MAX);
}

static void freeing_nothing_is_nothing(void **state)
{
    struct call_accounts *accounts = *state;

    add_free(accounts, 0);
    assert_sum(accounts, 0, 0, 0, 0, 0);
    assert_odd(accounts, 0, 0, 0);
    assert_int_equal(accounts->events, 1);
}

static void unknown_blocks_are_counted(void **state)
{
    struct call_accounts *accounts = *state;

    add_free(accounts, 0x10);
    add_realloc(accounts, 0x30, 1, 0x20, 5);
    assert_sum(accounts, 1, 5, 0, 5, 5);
    assert_odd(accounts, 0, 2, 0);
}

static void an_address_handed_out_again_was_freed(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_malloc(accounts, 0x10, 2, 7);
    assert_sum(accounts, 2, 57, 1, 7, 50);
    assert_odd(accounts, 0, 0, 1);
    assert_int_equal(accounts->sites[0].amounts.free_bytes, 50);
    add_free(accounts, 0x10);
    assert_int_equal(accounts->sites[1].amounts.free_bytes, 7);
}

static void a_realloc_may_be_overtaken(void **state)
{
    struct call_accounts *accounts = *state;
    struct mem_trace_event event = {
        .op = MEM_TRACE_MALLOC, .result = 0x10, .size = 50, .thread = 1
    };

    add(accounts, event);
    event.size = 7; /* while it moves */
    event.thread = 2;
    add(accounts, event);
    assert_odd(accounts, 0, 0, 1);
    event = (struct mem_trace_event){ .op = MEM_TRACE_REALLOC,
                                      .result = 0x20,
                                      .pointer = 0x10,
                                      .size = 80,
                                      .thread = 1 };
    add(accounts, event);
    assert_sum(accounts, 3, 137, 1, 87, 87);
    assert_odd(accounts, 0, 0, 0);
    add_free(accounts, 0x10);
    add_free(accounts, 0x20);
    assert_sum(accounts, 3, 137, 3, 0, 87);
    assert_odd(accounts, 0, 0, 0);
}

/* The caller of realloc is unknown: gains and losses are equal. */
static void sums_are_right_without_threads(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_malloc(accounts, 0x10, 2, 7);
    add_realloc(accounts, 0x20, 3, 0x10, 80);
    add_free(accounts, 0x10);
    add_free(accounts, 0x20);
    assert_sum(accounts, 3, 137, 3, 0, 80);
    assert_odd(accounts, 0, 1, 1);
}

static void a_realloc_is_not_overtaken_by_its_own_thread(void **state)
{
    struct call_accounts *accounts = *state;
    struct mem_trace_event event = {
        .op = MEM_TRACE_MALLOC, .result = 0x10, .size = 5, .thread = 1
    };

    add(accounts, event);
    add(accounts, event);
    event = (struct mem_trace_event){ .op = MEM_TRACE_REALLOC,
                                      .result = 0x20,
                                      .pointer = 0x10,
                                      .size = 6,
                                      .thread = 1 };
    add(accounts, event);
    assert_sum(accounts, 3, 16, 2, 6, 6);
    assert_odd(accounts, 0, 0, 1);
}

static void sizes_that_cannot_be_are_left_out(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, UINT64_C(1) << 63);
    add_calloc(accounts, 0x20, 1, UINT64_C(1) << 40, 1 << 30);
    assert_sum(accounts, 0, 0, 0, 0, 0);
    assert_int_equal(accounts->odd_sizes, 2);
}

static void what_is_freed_at_once_is_temporary(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_free(accounts, 0x10);
    assert_int_equal(accounts->sum.temporary, 1);
    add_malloc(accounts, 0x10, 1, 50);
    add_malloc(accounts, 0x20, 1, 50);
    add_free(accounts, 0x10);
    assert_int_equal(accounts->sum.temporary, 1);
    add_free(accounts, 0x20);
    assert_int_equal(accounts->sum.temporary, 2);
}

static void threads_have_temporary_blocks_of_their_own(void **state)
{
    struct call_accounts *accounts = *state;
    struct mem_trace_event event = { .op = MEM_TRACE_MALLOC,
                                     .result = 0x10,
                                     .thread = 1,
                                     .size = 1,
                                     .has_time = true,
                                     .time_ns = 100 };

    add(accounts, event);
    event.result = 0x20;
    event.thread = 2;
    event.time_ns = 200;
    add(accounts, event);
    event = (struct mem_trace_event){ .op = MEM_TRACE_FREE,
                                      .pointer = 0x10,
                                      .thread = 1,
                                      .has_time = true,
                                      .time_ns = 300 };
    add(accounts, event);
    assert_int_equal(accounts->sum.temporary, 1);
    event.pointer = 0x20;
    add(accounts, event);
    assert_int_equal(accounts->sum.temporary, 1);
    assert_true(accounts->has_times);
    assert_int_equal(accounts->first, 100);
    assert_int_equal(accounts->last, 300);
    assert_int_equal(accounts->peak_place, 200);
}

static void the_peak_has_a_place(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_malloc(accounts, 0x20, 1, 50);
    add_free(accounts, 0x10);
    add_malloc(accounts, 0x10, 1, 50);
    assert_false(accounts->has_times);
    assert_int_equal(accounts->sum.peak_bytes, 100);
    assert_int_equal(accounts->peak_place, 1);
    assert_int_equal(accounts->last, 3);
}

static void sites_are_known_at_the_peak(void **state)
{
    struct call_accounts *accounts = *state;

    add_malloc(accounts, 0x10, 1, 50);
    add_malloc(accounts, 0x20, 2, 30);
    add_free(accounts, 0x10);
    add_malloc(accounts, 0x30, 3, 60);
    add_malloc(accounts, 0x40, 3, 5);
    add_free(accounts, 0x20);
    add_free(accounts, 0x40);
    call_accounts_finish(accounts);
    assert_int_equal(accounts->sum.peak_bytes, 95);
    assert_int_equal(accounts->sites[0].at_peak_bytes, 0);
    assert_int_equal(accounts->sites[1].at_peak_bytes, 30);
    assert_int_equal(accounts->sites[1].at_peak_blocks, 1);
    assert_int_equal(accounts->sites[2].at_peak_bytes, 65);
    assert_int_equal(accounts->sites[2].at_peak_blocks, 2);
    assert_int_equal(accounts->sites[0].amounts.peak_bytes, 50);
}

static void the_line_keeps_its_highest_points(void **state)
{
    enum { ROUNDS = 100000, WHERE = 71234 };

    struct call_accounts *accounts = *state;
    const struct live_line *line = &accounts->line;
    uint64_t highest = 0, place = 0;

    for (uint64_t i = 0; i < ROUNDS; i++) {
        add_malloc(accounts, 0x10, 1, i == WHERE ? 5000 : 10);
        add_free(accounts, 0x10);
    }
    assert_in_range(line->count, LIVE_LINE_POINTS / 2, LIVE_LINE_POINTS);
    for (size_t i = 0; i < line->count; i++) {
        assert_true(i == 0 ||
                    line->points[i].place > line->points[i - 1].place);
        if (line->points[i].live_bytes > highest) {
            highest = line->points[i].live_bytes;
            place = line->points[i].place;
            assert_int_equal(line->points[i].live_blocks, 1);
        }
    }
    assert_int_equal(highest, 5000);
    assert_in_range(2 * WHERE, place, place + line->stride - 1);
    assert_int_equal(line->points[line->count - 1].total_bytes,
                     accounts->sum.alloc_bytes);
}

static void add_frame(struct call_accounts *accounts, uint64_t caller,
                      uint64_t left)
{
    add(accounts, (struct mem_trace_event){
                      .op = MEM_TRACE_FRAME, .caller = caller, .count = left });
}

/* Frames without an end, and impossible frames, belong to no stack. */
static void frames_make_sites(void **state)
{
    struct call_accounts *accounts = *state;

    for (uint64_t i = 0; i < 6; i++) {
        add_frame(accounts, 100, 2);
        add_frame(accounts, 200 + i % 2, 1);
        add_malloc(accounts, 0x1000 + i, 7, 10);
    }
    add_frame(accounts, 100, 3);
    add_frame(accounts, 200, 2);
    add_malloc(accounts, 0x2000, 7, 10);
    add_frame(accounts, 300, MEM_TRACE_DEEPEST + 1);
    add_frame(accounts, 300, UINT64_MAX);
    add_malloc(accounts, 0x2001, 7, 10);
    add_frame(accounts, 100, 5);
    add_frame(accounts, 201, 1);
    add_malloc(accounts, 0x2002, 7, 10);
    assert_int_equal(accounts->events, 9);
    assert_int_equal(accounts->site_count, 4);
    for (unsigned i = 0; i < 2; i++) {
        const struct call_site *site = &accounts->sites[i];
        const struct call_frame *inner = &accounts->frames[site->frame - 1];

        assert_true(site->caller == 7 && site->amounts.alloc_bytes == 30);
        assert_true(inner->caller == 200 + i);
        assert_true(accounts->frames[inner->parent - 1].caller == 100);
        assert_int_equal(accounts->frames[inner->parent - 1].parent, 0);
    }
    assert_int_equal(accounts->sites[2].frame, 0);
    assert_int_equal(accounts->sites[2].amounts.alloc_blocks, 2);
    assert_int_equal(accounts->frames[accounts->sites[3].frame - 1].caller,
                     201);
    assert_int_equal(accounts->frames[accounts->sites[3].frame - 1].parent, 0);
}

/* A block of one byte in 4,096 stands for 4,096; a large one for itself. */
static void samples_stand_for_others(void **state)
{
    struct call_accounts *accounts = *state;
    const struct lifetime_sum *all, *freed;

    accounts->sample_interval = 4096;
    add_malloc(accounts, 0x1000, 7, 1);
    add_malloc(accounts, 0x2000, 8, 1000000);
    add_malloc(accounts, 0x3000, 8, 0);
    add_free(accounts, 0x1000);
    all = &accounts->sites[0].all;
    freed = &accounts->sites[0].freed;
    assert_int_equal(all->samples, 1);
    assert_in_range(all->blocks, 4096, 4097);
    assert_in_range(all->bytes, 4096, 4097);
    assert_true(all->bytes_variance > 4096 * 4094.0 &&
                all->bytes_variance < 4096 * 4097.0);
    assert_memory_equal(all, freed, sizeof *all);
    assert_int_equal(accounts->sites[0].amounts.free_bytes, all->bytes);
    assert_int_equal(accounts->sites[1].all.samples, 2);
    assert_in_range(accounts->sites[1].amounts.alloc_blocks, 4097, 4099);
    assert_in_range(accounts->sites[1].amounts.alloc_bytes, 1004096, 1004098);
}

#define WITH_ACCOUNTS(test) \
    cmocka_unit_test_setup_teardown(test, open_accounts, close_accounts)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ACCOUNTS(a_block_is_allocated_and_freed),
        WITH_ACCOUNTS(calloc_is_of_all_its_elements),
        WITH_ACCOUNTS(a_realloc_that_moves_frees_the_old_block),
        WITH_ACCOUNTS(a_realloc_in_place_is_one_of_each),
        WITH_ACCOUNTS(a_realloc_of_nothing_allocates),
        WITH_ACCOUNTS(a_realloc_to_nothing_frees),
        WITH_ACCOUNTS(a_realloc_that_fails_keeps_the_old_block),
        WITH_ACCOUNTS(failures_count_only_as_failed),
        WITH_ACCOUNTS(freeing_nothing_is_nothing),
        WITH_ACCOUNTS(unknown_blocks_are_counted),
        WITH_ACCOUNTS(an_address_handed_out_again_was_freed),
        WITH_ACCOUNTS(a_realloc_may_be_overtaken),
        WITH_ACCOUNTS(sums_are_right_without_threads),
        WITH_ACCOUNTS(a_realloc_is_not_overtaken_by_its_own_thread),
        WITH_ACCOUNTS(sizes_that_cannot_be_are_left_out),
        WITH_ACCOUNTS(what_is_freed_at_once_is_temporary),
        WITH_ACCOUNTS(threads_have_temporary_blocks_of_their_own),
        WITH_ACCOUNTS(the_peak_has_a_place),
        WITH_ACCOUNTS(sites_are_known_at_the_peak),
        WITH_ACCOUNTS(the_line_keeps_its_highest_points),
        WITH_ACCOUNTS(frames_make_sites),
        WITH_ACCOUNTS(samples_stand_for_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
