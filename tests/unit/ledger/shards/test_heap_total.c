/* SPDX-License-Identifier: Apache-2.0 */
/* test_heap_total.c - the peak, and how rarely a shard is added */
#include "ledger/shards/heap_total.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct ledger_header header;
static struct ledger_total *total = &header.totals[1];
static int64_t live, peak;
static uint32_t settled;

static int set_up(void **state)
{
    (void)state;
    memset(&header, 0, sizeof header);
    for (int i = 0; i < LEDGER_TOTAL_CAPACITY; i++)
        header.totals[i].room = LEDGER_TOTAL_BATCH;
    total->rise_at = 1;
    total->fall_at = 2 * LEDGER_TOTAL_BATCH;
    total->is_used = 1;
    live = peak = 0;
    settled = 0;
    return 0;
}

static int64_t live_now(void)
{
    return header.live_bytes + total->highest - heap_total_below(total->room);
}

static void change(enum shard_side side, uint64_t size)
{
    live += side == SHARD_ALLOC ? (int64_t)size : -(int64_t)size;
    peak = live > peak ? live : peak;
    if (heap_total_add(total, side, size)) {
        heap_total_flush(&header, total, (struct heap_now){ 1, live_now(), 0 },
                         side == SHARD_FREE ? size : 0);
        settled++;
    }
    assert_int_equal(live_now(), live);
    assert_int_equal(heap_total_peak(&header, true), peak);
}

/* A total that only reaches the same height, or less, is not added. */
static void only_what_was_higher_than_ever_is_added(void **state)
{
    (void)state;
    change(SHARD_ALLOC, 100);
    change(SHARD_FREE, 100);
    assert_int_equal(settled, 1);
    for (int i = 0; i < 1000; i++) {
        change(SHARD_ALLOC, 60);
        change(SHARD_ALLOC, 40);
        change(SHARD_FREE, 60);
        change(SHARD_FREE, 40);
    }
    assert_int_equal(settled, 1);
    change(SHARD_ALLOC, 101);
    change(SHARD_FREE, 101);
    assert_int_equal(settled, 2);
    assert_int_equal(header.peak_bytes, 101);
}

static void growth_is_added_when_its_room_is_used_up(void **state)
{
    (void)state;
    for (int i = 0; i < 10 * LEDGER_TOTAL_BATCH / 64; i++)
        change(SHARD_ALLOC, 64);
    assert_in_range(settled, 9, 10);
    assert_in_range(header.live_bytes, 9 * LEDGER_TOTAL_BATCH,
                    10 * LEDGER_TOTAL_BATCH + 64);
}

static void a_fall_is_added_when_it_is_large(void **state)
{
    (void)state;
    change(SHARD_ALLOC, 10 * LEDGER_TOTAL_BATCH);
    settled = 0;
    for (int i = 0; i < 10 * LEDGER_TOTAL_BATCH / 64; i++)
        change(SHARD_FREE, 64);
    assert_in_range(settled, 9, 10);
    assert_int_equal(header.peak_bytes, 10 * LEDGER_TOTAL_BATCH);
}

static void any_sequence(void **state)
{
    uint64_t random = 7;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t size;

        random = random * UINT64_C(6364136223846793005) + 1442695041;
        size = random >> 33 & (i % 100 == 0 ? 0xfffff : 0x3ff);
        total->rise_at = 1 + (int64_t)(random >> 20 & 0xfff);
        if ((random >> 60) < 8 && (int64_t)size <= live)
            change(SHARD_FREE, size);
        else
            change(SHARD_ALLOC, size);
    }
    assert_true(settled > 0);
}

static void look(struct ledger_total *at, uint64_t freed, uint64_t random)
{
    heap_total_flush(&header, at, heap_total_now(&header), freed);
    at->rise_at = 1 + (int64_t)(random >> 20 & 0xfff);
    at->fall_at = LEDGER_TOTAL_BATCH + 1 + (int64_t)(random >> 24 & 0x7fff);
}

/* Change the total `number`; 0: of threads that own none. */
static void change_one(uint32_t number, uint64_t random)
{
    struct ledger_total *at = &header.totals[number];
    uint64_t size = 1 + (random >> 33 & (random >> 50 & 63 ? 0x3ff : 0x3ffff));
    bool is_free = (random >> 60) < 8 && (int64_t)size <= live;
    enum shard_side side = is_free ? SHARD_FREE : SHARD_ALLOC;

    live += is_free ? -(int64_t)size : (int64_t)size;
    peak = live > peak ? live : peak;
    if (number == 0 ? heap_total_add_shared(&header, side, size)
                    : heap_total_add(at, side, size))
        look(at, is_free ? size : 0, random);
    assert_int_equal(heap_total_now(&header).live, live);
    assert_int_equal(heap_total_peak(&header, true), peak);
}

/* Return a number that no living thread has; the last one is 0, for threads
   that own none. */
static uint32_t number_for(const uint32_t *living, uint32_t count,
                           uint32_t first)
{
    uint32_t number = first % LEDGER_TOTAL_CAPACITY;

    for (uint32_t i = 0; i < count; i++) {
        if (living[i] == number)
            return number_for(living, count, number + 1);
    }
    return number;
}

/* The creator of a thread continues when it has ended. */
static void threads_that_wait_for_what_they_create(void **state)
{
    uint32_t living[LEDGER_TOTAL_CAPACITY], count = 0;
    uint64_t random = 11;

    (void)state;
    for (uint32_t turn = 0; turn < 8000; turn++) {
        random = random * UINT64_C(6364136223846793005) + 1442695041;
        if (count == 0 ||
            (count < LEDGER_TOTAL_CAPACITY && (random >> 60) < 8)) {
            living[count] = number_for(living, count, (uint32_t)(random >> 40));
            header.totals[living[count++]].is_used = 1;
            heap_total_share(&header);
        } else if (count > 1) {
            count--;
        }
        for (uint32_t i = 0; i < turn % 97; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695041;
            change_one(living[count - 1], random);
        }
    }
}

/* Bytes of the last thread when the next one was elsewhere are not of the same
   time. */
static void no_more_than_there_ever_was_beside_others(void **state)
{
    (void)state;
    for (uint32_t number = 1; number < LEDGER_TOTAL_CAPACITY; number++) {
        header.totals[number].is_used = 1;
        header.totals[number].rise_at = LEDGER_TOTAL_BATCH;
        heap_total_share(&header);
        for (uint32_t i = 0; i < 600; i++) {
            enum shard_side side = i / 200 % 2 == 0 ? SHARD_ALLOC : SHARD_FREE;

            if (heap_total_add(&header.totals[number], side, 100))
                look(&header.totals[number], side == SHARD_FREE ? 100 : 0, 0);
        }
        for (uint32_t i = 0; i < 200; i++)
            heap_total_add(&header.totals[number], SHARD_FREE, 100);
    }
    assert_int_equal(heap_total_peak(&header, true), 200 * 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_what_was_higher_than_ever_is_added, set_up),
        cmocka_unit_test_setup(growth_is_added_when_its_room_is_used_up,
                               set_up),
        cmocka_unit_test_setup(a_fall_is_added_when_it_is_large, set_up),
        cmocka_unit_test_setup(any_sequence, set_up),
        cmocka_unit_test_setup(threads_that_wait_for_what_they_create, set_up),
        cmocka_unit_test_setup(no_more_than_there_ever_was_beside_others,
                               set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
