/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_ledger_case.h - cases about a ledger with two shards, built by hand
 *
 *     TEST(case)           in the table; its *state is a struct fake_ledger
 *
 * Include after <cmocka.h>.
 */
#pragma once

#include "format/ledger/ledger_reader.h"
#include "tests/fakes/fake_ledger.h"

static int create_ledger(void **state)
{
    *state = fake_ledger_create(2);
    return 0;
}

static int destroy_ledger(void **state)
{
    fake_ledger_destroy(*state);
    return 0;
}

#define TEST(name) \
    cmocka_unit_test_setup_teardown(name, create_ledger, destroy_ledger)

static struct ledger_reader open_ledger(const struct fake_ledger *ledger)
{
    struct ledger_reader reader;

    assert_int_equal(ledger_reader_open(&reader, ledger->bytes, ledger->size),
                     LEDGER_E_OK);
    return reader;
}
