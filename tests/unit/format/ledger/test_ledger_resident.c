/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_resident.c - resident memory, known, torn or impossible */
#include "format/ledger/ledger_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger_case.h"

static bool read_back(struct fake_ledger *ledger,
                      enum ledger_resident_time time,
                      struct ledger_resident *resident)
{
    struct ledger_reader reader = open_ledger(ledger);

    return ledger_reader_resident(&reader, time, resident);
}

static void what_was_never_read_is_not_known(void **state)
{
    struct ledger_resident resident;

    assert_false(read_back(*state, LEDGER_RESIDENT_LATEST, &resident));
    assert_false(read_back(*state, LEDGER_RESIDENT_MOST, &resident));
}

static void all_parts_are_given_and_add_up(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_resident resident;

    ledger->header->resident[LEDGER_RESIDENT_MOST] =
        (struct ledger_resident){ .ns = 9,
                                  .heap = 1000000,
                                  .maps = 200000,
                                  .files = 30000,
                                  .stacks = 4000,
                                  .tally = 500,
                                  .unexplained = 60,
                                  .live_bytes = 7,
                                  .highest = 8,
                                  .flags = LEDGER_RESIDENT_MAPS_KNOWN };
    assert_true(read_back(ledger, LEDGER_RESIDENT_MOST, &resident));
    assert_int_equal(ledger_resident_sum(&resident), 1234560);
    assert_int_equal(resident.ns, 9);
    assert_int_equal(resident.live_bytes, 7);
    assert_int_equal(resident.highest, 8);
    assert_int_equal(resident.flags, LEDGER_RESIDENT_MAPS_KNOWN);
    assert_false(read_back(ledger, LEDGER_RESIDENT_LATEST, &resident));
}

static void more_than_any_process_has_is_not_taken(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_resident *stored =
        &ledger->header->resident[LEDGER_RESIDENT_LATEST];
    struct ledger_resident resident;

    *stored = (struct ledger_resident){ .ns = 1, .stacks = UINT64_MAX };
    assert_false(read_back(ledger, LEDGER_RESIDENT_LATEST, &resident));
    *stored =
        (struct ledger_resident){ .ns = 1, .live_bytes = UINT64_C(1) << 57 };
    assert_false(read_back(ledger, LEDGER_RESIDENT_LATEST, &resident));
    *stored = (struct ledger_resident){ .ns = 1,
                                        .live_bytes = (UINT64_C(1) << 57) - 1 };
    assert_true(read_back(ledger, LEDGER_RESIDENT_LATEST, &resident));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_never_read_is_not_known),
        TEST(all_parts_are_given_and_add_up),
        TEST(more_than_any_process_has_is_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
