/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ledger_timeline.c - data points, complete or torn, and hostile segments
 */
#include "format/ledger/ledger_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger_case.h"

static void a_ledger_without_a_timeline_has_no_samples(void **state)
{
    struct ledger_reader reader = open_ledger(*state);
    struct ledger_cursor cursor = { 0 };
    struct ledger_sample sample;

    assert_int_equal(ledger_reader_next_sample(&reader, &cursor, &sample), 0);
}

static void samples_are_given_and_gaps_are_not(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    struct ledger_cursor cursor = { 0 };
    struct ledger_sample sample;

    fake_ledger_add_sample(ledger, 3, (struct ledger_sample){ 9, 80, 7, 600 });
    fake_ledger_add_sample(ledger, 4, (struct ledger_sample){ 0, 1, 2, 3 });
    fake_ledger_add_sample(ledger, LEDGER_SAMPLE_CAPACITY - 1,
                           (struct ledger_sample){ 5, 4, 3, 2 });
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_next_sample(&reader, &cursor, &sample), 1);
    assert_int_equal(sample.ns, 9);
    assert_int_equal(sample.live_bytes, 80);
    assert_int_equal(sample.live_blocks, 7);
    assert_int_equal(sample.alloc_bytes, 600);
    assert_int_equal(ledger_reader_next_sample(&reader, &cursor, &sample), 1);
    assert_int_equal(sample.ns, 5);
    assert_int_equal(ledger_reader_next_sample(&reader, &cursor, &sample), 0);
    assert_int_equal(ledger_reader_next_sample(&reader, &cursor, &sample), 0);
}

static void a_segment_with_less_room_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_reader reader;
    uint32_t entry;

    fake_ledger_add_sample(ledger, 0, (struct ledger_sample){ 1, 1, 1, 1 });
    entry = fake_ledger_entry(ledger, LEDGER_SEGMENT_TIMELINE, 0);
    ledger->directory[entry].size -= 1;
    assert_int_equal(ledger_reader_open(&reader, ledger->bytes, ledger->size),
                     LEDGER_E_DIRECTORY);
    assert_int_equal(reader.error_offset, 4096 + entry * UINT64_C(32));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_ledger_without_a_timeline_has_no_samples),
        TEST(samples_are_given_and_gaps_are_not),
        TEST(a_segment_with_less_room_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
