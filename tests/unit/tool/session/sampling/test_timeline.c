/* SPDX-License-Identifier: Apache-2.0 */
/* test_timeline.c - a timeline of fixed size, and the data points kept in it */
#include "tool/session/sampling/sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger.h"

enum { CAPACITY = LEDGER_SAMPLE_CAPACITY, HALF = CAPACITY / 2 };

static struct ledger_sample samples[CAPACITY];

static int empty(void **state)
{
    (void)state;
    memset(samples, 0, sizeof samples);
    return 0;
}

static bool add(uint64_t ns, uint64_t live_bytes)
{
    struct ledger_sample sample = { ns, live_bytes, live_bytes + 1,
                                    live_bytes + 2 };

    return timeline_store_add(samples, &sample);
}

static void assert_sample(uint32_t slot, uint64_t ns, uint64_t live_bytes)
{
    assert_int_equal(samples[slot].ns, ns);
    assert_int_equal(samples[slot].live_bytes, live_bytes);
    assert_int_equal(samples[slot].live_blocks, live_bytes + 1);
    assert_int_equal(samples[slot].alloc_bytes, live_bytes + 2);
}

static void samples_follow_one_another(void **state)
{
    (void)state;
    assert_false(add(10, 100));
    assert_false(add(20, 50));
    assert_sample(0, 10, 100);
    assert_sample(1, 20, 50);
    assert_int_equal(samples[2].ns, 0);
}

/* Even data points are higher at first, odd ones from the middle on. */
static void the_higher_of_two_neighbours_stays(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CAPACITY; i++) {
        bool is_high = i < HALF ? i % 2 == 0 : i % 2 == 1;

        assert_false(add(i + 1, is_high ? 1000 + i : 10));
    }
    assert_true(add(5000, 3));
    assert_sample(0, 1, 1000);
    assert_sample(1, 3, 1002);
    assert_sample(HALF / 2, HALF + 2, 1000 + HALF + 1);
    assert_sample(HALF - 1, CAPACITY, 1000 + CAPACITY - 1);
    assert_sample(HALF, 5000, 3);
    assert_int_equal(samples[HALF + 1].ns, 0);
    assert_int_equal(samples[CAPACITY - 1].ns, 0);
}

static void however_many_the_peak_stays_and_so_does_the_last(void **state)
{
    uint32_t thinned = 0;

    (void)state;
    for (uint32_t i = 1; i <= 10 * CAPACITY; i++)
        thinned += add(i, i == 777 ? 123456 : 10);
    assert_int_equal(thinned, 18);
    for (uint32_t i = 0, found = 0; i < CAPACITY; i++) {
        found += samples[i].live_bytes == 123456;
        if (i == CAPACITY - 1)
            assert_int_equal(found, 1);
    }
}

static struct ledger_snapshot snapshot_of(struct fake_ledger *ledger)
{
    return (struct ledger_snapshot){ .bytes = ledger->bytes,
                                     .size = ledger->size,
                                     .fd = -1 };
}

static void totals_are_those_of_the_heap(void **state)
{
    struct fake_ledger *ledger = fake_ledger_create(2);
    struct ledger_snapshot snapshot;
    struct ledger_totals totals;
    uint32_t heap = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 1);
    uint32_t map = fake_ledger_add_site(ledger, LEDGER_SITE_MAP, 0, 2);

    (void)state;
    *fake_ledger_counter(ledger, heap, 0) =
        (struct ledger_counter){ .alloc_blocks = 5, .alloc_bytes = 500 };
    *fake_ledger_counter(ledger, heap, 1) =
        (struct ledger_counter){ .free_blocks = 2, .free_bytes = 150 };
    fake_ledger_site(ledger, heap)->inherited_blocks = 1;
    fake_ledger_site(ledger, heap)->inherited_bytes = 30;
    fake_ledger_counter(ledger, map, 0)->alloc_bytes = 4096;
    snapshot = snapshot_of(ledger);
    assert_true(ledger_totals_read(&snapshot, 99, &totals));
    assert_int_equal(totals.sample.ns, 99);
    assert_int_equal(totals.sample.live_bytes, 380);
    assert_int_equal(totals.sample.live_blocks, 4);
    assert_int_equal(totals.sample.alloc_bytes, 500);
    assert_int_equal(totals.allocations, 5);
    assert_false(totals.is_estimate);
    fake_ledger_destroy(ledger);
}

/* While it runs, a free may be seen before its allocation. */
static void below_zero_is_zero_until_the_end(void **state)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    uint32_t site = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 1);
    struct ledger_snapshot snapshot;
    struct ledger_totals totals;

    (void)state;
    *fake_ledger_counter(ledger, site, 0) =
        (struct ledger_counter){ .free_blocks = 1, .free_bytes = 8 };
    snapshot = snapshot_of(ledger);
    ledger->header->ended = 0;
    assert_true(ledger_totals_read(&snapshot, 1, &totals));
    assert_int_equal(totals.sample.live_bytes, 0);
    assert_int_equal(totals.sample.live_blocks, 0);
    ledger->header->ended = 1;
    assert_true(ledger_totals_read(&snapshot, 1, &totals));
    assert_int_equal(totals.sample.live_bytes, UINT64_MAX - 7);
    fake_ledger_destroy(ledger);
}

static void the_last_sample_goes_into_the_snapshot(void **state)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    uint32_t site = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, 0, 1);
    struct ledger_snapshot snapshot;
    const struct ledger_sample *stored;
    uint32_t entry;

    (void)state;
    fake_ledger_counter(ledger, site, 0)->alloc_bytes = 70;
    fake_ledger_add_sample(ledger, 0, (struct ledger_sample){ 5, 1, 1, 1 });
    snapshot = snapshot_of(ledger);
    timeline_store_close(&snapshot, 6);
    entry = fake_ledger_entry(ledger, LEDGER_SEGMENT_TIMELINE, 0);
    stored = (const void *)(ledger->bytes + ledger->directory[entry].offset);
    assert_int_equal(stored[0].ns, 5);
    assert_int_equal(stored[1].ns, 6);
    assert_int_equal(stored[1].live_bytes, 70);
    assert_int_equal(stored[2].ns, 0);
    assert_int_equal(fake_ledger_site(ledger, site)->peak_seen, 70);
    fake_ledger_destroy(ledger);
}

/* The program may damage the directory. */
static void a_timeline_elsewhere_is_left_alone(void **state)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    struct ledger_snapshot snapshot = snapshot_of(ledger);
    uint32_t entry;

    (void)state;
    fake_ledger_add_sample(ledger, 0, (struct ledger_sample){ 5, 1, 1, 1 });
    snapshot = snapshot_of(ledger);
    entry = fake_ledger_entry(ledger, LEDGER_SEGMENT_TIMELINE, 0);
    assert_non_null(ledger_snapshot_timeline(&snapshot));
    ledger->directory[entry].offset = 0;
    assert_null(ledger_snapshot_timeline(&snapshot));
    ledger->directory[entry].offset = ledger->size;
    assert_null(ledger_snapshot_timeline(&snapshot));
    ledger->directory[entry].offset = UINT64_MAX - LEDGER_PAGE + 1;
    assert_null(ledger_snapshot_timeline(&snapshot));
    ledger->directory[entry].offset = LEDGER_FIRST_SEGMENT;
    ledger->directory[entry].size = LEDGER_PAGE;
    assert_null(ledger_snapshot_timeline(&snapshot));
    fake_ledger_destroy(ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(samples_follow_one_another, empty),
        cmocka_unit_test_setup(the_higher_of_two_neighbours_stays, empty),
        cmocka_unit_test_setup(however_many_the_peak_stays_and_so_does_the_last,
                               empty),
        cmocka_unit_test(totals_are_those_of_the_heap),
        cmocka_unit_test(below_zero_is_zero_until_the_end),
        cmocka_unit_test(the_last_sample_goes_into_the_snapshot),
        cmocka_unit_test(a_timeline_elsewhere_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
