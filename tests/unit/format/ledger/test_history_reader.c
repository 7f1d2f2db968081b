/* SPDX-License-Identifier: Apache-2.0 */
/* test_history_reader.c - valid and invalid histories */
#include "format/ledger/history_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/fakes/fake_ledger.h"

static struct ledger_history_view view;

/* Two sites in the first snapshot, none in the second. */
static const unsigned char runs[] = { 1, 2, 0x85, 0x01, 0, 0, 3, 1, 1, 1, 1 };

static struct ledger_history head = { .instant_count = 2, .left_out = 9 };
static struct ledger_instant instants[] = {
    { 1100, 70, sizeof runs, 4096 },
    { 1200, 60, sizeof runs, 8192 },
};

/* Return the result of reading it. */
static int read_with(struct ledger_history with_head,
                     const struct ledger_instant with_instants[2], size_t size)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    unsigned char *bytes = fake_ledger_add_history(ledger, 4096);
    uint32_t entry = fake_ledger_entry(ledger, LEDGER_SEGMENT_HISTORY, 0);
    static unsigned char copy[8 << 20];
    struct ledger_reader reader;
    int result;

    memcpy(bytes, &with_head, sizeof with_head);
    memcpy(bytes + sizeof with_head, with_instants, sizeof instants);
    memcpy(bytes + sizeof with_head + sizeof instants, runs, sizeof runs);
    ledger->directory[entry].size = size;
    memcpy(copy, ledger->bytes, ledger->size);
    assert_int_equal(LEDGER_E_OK,
                     ledger_reader_open(&reader, copy, ledger->size));
    result = ledger_reader_history(&reader, &view);
    if (result < 0)
        assert_int_equal(ledger->directory[entry].offset, reader.error_offset);
    fake_ledger_destroy(ledger);
    return result;
}

static const size_t whole = sizeof head + sizeof instants + sizeof runs;

static void changes_come_in_order(void **state)
{
    struct ledger_change change;
    struct ledger_run run;

    (void)state;
    assert_int_equal(1, read_with(head, instants, whole));
    assert_int_equal(2, view.count);
    assert_int_equal(9, view.left_out);
    assert_int_equal(1200, view.instants[1].ns);
    assert_int_equal(60, view.instants[1].live_bytes);
    assert_int_equal(4096, view.instants[0].resident);
    assert_int_equal(8192, view.instants[1].resident);
    run = ledger_run_of(view.runs, view.instants, 0);
    assert_int_equal(1, ledger_run_next(&run, &change));
    assert_int_equal(1, change.site);
    assert_int_equal(2, change.grown[0]);
    assert_int_equal(133, change.grown[1]);
    assert_int_equal(0, change.grown[2]);
    assert_int_equal(1, ledger_run_next(&run, &change));
    assert_int_equal(4, change.site);
    assert_int_equal(1, change.grown[3]);
    assert_int_equal(0, ledger_run_next(&run, &change));
    run = ledger_run_of(view.runs, view.instants, 1);
    assert_int_equal(0, ledger_run_next(&run, &change));
}

static void none_is_no_damage(void **state)
{
    struct fake_ledger *ledger = fake_ledger_create(1);
    struct ledger_reader reader;

    (void)state;
    ledger_reader_open(&reader, ledger->bytes, ledger->size);
    assert_int_equal(0, ledger_reader_history(&reader, &view));
    fake_ledger_destroy(ledger);
    assert_int_equal(0,
                     read_with((struct ledger_history){ 0 }, instants, 4096));
}

static void heads_that_contradict_are_damage(void **state)
{
    const struct ledger_instant bad[][2] = {
        { { 1200, 0, 0, 0 }, { 1200, 0, 0, 0 } },
        { { 0, 0, 0, 0 }, { 1, 0, 0, 0 } },
        { { 1, 0, 2, 0 }, { 2, 0, 1, 0 } },
        { { 1, 0, 2, 0 }, { 2, 0, sizeof runs + 1, 0 } },
    };
    const uint32_t counts[] = { LEDGER_INSTANT_CAPACITY + 1, UINT32_MAX };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(LEDGER_E_HISTORY, read_with(head, bad[i], whole));
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(
            LEDGER_E_HISTORY,
            read_with((struct ledger_history){ .instant_count = counts[i] },
                      instants, whole));
    assert_int_equal(LEDGER_E_HISTORY, read_with(head, instants, whole - 1));
    assert_int_equal(LEDGER_E_HISTORY,
                     read_with(head, instants, sizeof head + 63));
    assert_int_equal(LEDGER_E_HISTORY, read_with(head, instants, 15));
}

static int first_of(const void *bytes, size_t size)
{
    struct ledger_run run = { bytes, (const unsigned char *)bytes + size, 0 };
    struct ledger_change change;

    return ledger_run_next(&run, &change);
}

#define FIRST_OF(...)                                \
    first_of((const unsigned char[]){ __VA_ARGS__ }, \
             sizeof((const unsigned char[]){ __VA_ARGS__ }))

static void runs_that_cannot_be_are_damage(void **state)
{
    (void)state;
    assert_int_equal(1, FIRST_OF(1, 0, 0, 0, 0));
    assert_int_equal(LEDGER_E_HISTORY, FIRST_OF(0, 0, 0, 0, 0));
    assert_int_equal(LEDGER_E_HISTORY, FIRST_OF(1, 0, 0, 0));
    assert_int_equal(LEDGER_E_HISTORY, FIRST_OF(1, 0, 0, 0, 0x80));
    assert_int_equal(1, FIRST_OF(1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255,
                                 255, 255, 1));
    assert_int_equal(LEDGER_E_HISTORY, FIRST_OF(1, 0, 0, 0, 255, 255, 255, 255,
                                                255, 255, 255, 255, 255, 2));
    assert_int_equal(LEDGER_E_HISTORY,
                     FIRST_OF(1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255,
                              255, 255, 129, 0));
    /* 34,688 * 128 - 1 is the highest id. */
    assert_int_equal(1, FIRST_OF(0xff, 0xff, 0x8e, 0x02, 0, 0, 0, 0));
    assert_int_equal(LEDGER_E_HISTORY,
                     FIRST_OF(0x80, 0x80, 0x8f, 0x02, 0, 0, 0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_come_in_order),
        cmocka_unit_test(none_is_no_damage),
        cmocka_unit_test(heads_that_contradict_are_damage),
        cmocka_unit_test(runs_that_cannot_be_are_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
