/* SPDX-License-Identifier: Apache-2.0 */
/* test_ledger_residency.c - sites that pin pages, valid and hostile */
#include "format/ledger/ledger_reader.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger_case.h"

static void a_ledger_without_it_says_nothing(void **state)
{
    struct ledger_residency residency;
    struct ledger_reader reader = open_ledger(*state);

    assert_int_equal(ledger_reader_residency(&reader, 0, &residency), 0);
}

static void each_site_has_its_own(void **state)
{
    const uint32_t far = LEDGER_RESIDENCY_PER_SEGMENT + 3;
    struct fake_ledger *ledger = *state;
    struct ledger_residency residency;
    struct ledger_reader reader;

    *fake_ledger_residency(ledger, 0) = (struct ledger_residency){ .alone = 9 };
    *fake_ledger_residency(ledger, far) =
        (struct ledger_residency){ 1, 2, 3, 4, 5, 6, 7, 8 };
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_residency(&reader, 0, &residency), 1);
    assert_int_equal(residency.alone, 9);
    assert_int_equal(ledger_reader_residency(&reader, 3, &residency), 1);
    assert_int_equal(residency.resident, 0);
    assert_int_equal(ledger_reader_residency(&reader, far, &residency), 1);
    assert_int_equal(residency.resident, 1);
    assert_int_equal(residency.used, 2);
    assert_int_equal(residency.alone, 3);
    assert_int_equal(residency.alone_blocks, 4);
    assert_int_equal(residency.shared, 5);
    assert_int_equal(residency.swapped, 6);
    assert_int_equal(residency.huge, 7);
    assert_int_equal(residency.untouched, 8);
}

static void more_than_any_process_has_is_refused(void **state)
{
    struct fake_ledger *ledger = *state;
    struct ledger_residency residency, *stored;
    struct ledger_reader reader;

    stored = fake_ledger_residency(ledger, 5);
    stored->huge = (UINT64_C(1) << 57) - 1;
    reader = open_ledger(ledger);
    assert_int_equal(ledger_reader_residency(&reader, 5, &residency), 1);
    stored->huge++;
    assert_int_equal(ledger_reader_residency(&reader, 5, &residency),
                     LEDGER_E_RESIDENCY);
    assert_int_equal(reader.error_offset,
                     (unsigned char *)stored - ledger->bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_ledger_without_it_says_nothing),
        TEST(each_site_has_its_own),
        TEST(more_than_any_process_has_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
