/* SPDX-License-Identifier: Apache-2.0 */
/* test_heap_total.c - the peak, and how seldom a shard asks to be added */
#include "ledger/heap_total.h"

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
        heap_total_settle(&header, total);
        settled++;
    }
    assert_int_equal(live_now(), live);
    assert_int_equal(heap_total_peak(&header), peak);
}

/* Not when it is as high again, or lower. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_what_was_higher_than_ever_is_added, set_up),
        cmocka_unit_test_setup(growth_is_added_when_its_room_is_used_up,
                               set_up),
        cmocka_unit_test_setup(a_fall_is_added_when_it_is_large, set_up),
        cmocka_unit_test_setup(any_sequence, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
