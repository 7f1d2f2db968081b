/* SPDX-License-Identifier: Apache-2.0 */
/* test_history.c - times as users write them, snapshots, and series */
#include "tool/model/profile/profile_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct history_wish read_wish(const char *text)
{
    struct history_wish wish;

    assert_true(history_read_wish(text, &wish));
    return wish;
}

static void times_are_read(void **state)
{
    static const struct {
        const char *text;
        enum history_time time;
        uint64_t ns;
    } rows[] = {
        { "0", HISTORY_SINCE_START, 0 },
        { "12.5", HISTORY_SINCE_START, 12500000000 },
        { "12.5s", HISTORY_SINCE_START, 12500000000 },
        { "3m", HISTORY_SINCE_START, 180000000000 },
        { "2h", HISTORY_SINCE_START, 7200000000000 },
        { "250ms", HISTORY_SINCE_START, 250000000 },
        { "7ns", HISTORY_SINCE_START, 7 },
        { "peak", HISTORY_PEAK, 0 },
        { "end", HISTORY_END, 0 },
        { "2026-01-31 12:00:01", HISTORY_DATE, 1769860801000000000 },
        { "2026-01-31T12:00:01", HISTORY_DATE, 1769860801000000000 },
    };

    (void)state;
    setenv("TZ", "UTC", 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct history_wish wish = read_wish(rows[i].text);

        assert_int_equal(rows[i].time, wish.time);
        assert_int_equal(rows[i].ns, wish.ns);
    }
}

static void other_texts_are_refused(void **state)
{
    static const char *const texts[] = { "",     "s",     "1.2.3",      "-1",
                                         "1  s", "inf",   "0x10",       "1e3",
                                         "9w",   "peaks", "2026-01-31", "1s " };
    struct history_wish wish;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        assert_false(history_read_wish(texts[i], &wish));
    assert_false(history_read_wish("9999999999h", &wish));
    assert_false(history_read_wish("9999-01-31 12:00:00", &wish));
}

/* Site 1 grows, then site 2, then both are partly freed. */
static const unsigned char runs[] = {
    1, 4, 40, 0, 0,                  /* until 110 */
    2, 5, 50, 0, 0,                  /* 120 */
    1, 0, 0,  1, 10, 1, 0, 0, 5, 50, /* 140 */
};
static const struct ledger_history_view view = {
    .count = 3,
    .left_out = 2,
    .instants = { { 110, 40, 5, 0 }, { 120, 90, 10, 0 }, { 140, 30, 20, 0 } },
    .runs = runs,
};

static struct history load(struct history_wish wish)
{
    struct history history = { .wish = wish };

    assert_int_equal(0, history_load(&history, &view, 100));
    assert_int_equal(3, history.site_limit);
    return history;
}

static void nearest_is_chosen(void **state)
{
    static const struct {
        struct history_wish wish;
        size_t chosen;
        uint64_t live[2];
    } rows[] = {
        { { HISTORY_SINCE_START, 0 }, 0, { 40, 0 } },
        { { HISTORY_SINCE_START, 15 }, 0, { 40, 0 } },
        { { HISTORY_SINCE_START, 16 }, 1, { 40, 50 } },
        { { HISTORY_DATE, 129 }, 1, { 40, 50 } },
        { { HISTORY_DATE, 131 }, 2, { 30, 0 } },
        { { HISTORY_PEAK, 0 }, 1, { 40, 50 } },
        { { HISTORY_END, 0 }, 2, { 30, 0 } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct history history = load(rows[i].wish);

        assert_true(history.is_chosen);
        assert_int_equal(2, history.left_out);
        assert_int_equal(rows[i].chosen, history.chosen);
        for (unsigned site = 1; site < 3; site++) {
            const uint64_t *held = history.held[site];

            assert_int_equal(rows[i].live[site - 1], held[1] - held[3]);
        }
        history_free(&history);
    }
}

static void what_is_not_in_it_is_not_chosen(void **state)
{
    static const struct history_wish wishes[] = {
        { HISTORY_NONE, 0 },
        { HISTORY_DATE, 99 },
        { HISTORY_DATE, 141 + 1000000 },
        { HISTORY_SINCE_START, UINT64_MAX / 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        struct history history = load(wishes[i]);

        assert_false(history.is_chosen);
        assert_null(history.held);
        history_free(&history);
    }
}

static void rows_have_series(void **state)
{
    struct history history = load((struct history_wish){ 0 });
    const uint32_t numbers[] = { 1, UINT32_MAX, 0 };
    int64_t bytes[6] = { 7 }, blocks[6] = { 1 };
    const int64_t wanted_bytes[] = { 7, 57, 7, 40, 40, 30 };
    const int64_t wanted_blocks[] = { 1, 6, 1, 4, 4, 3 };
    struct history_series series = { &history, numbers, bytes, blocks };

    (void)state;
    assert_int_equal(UINT32_MAX, history_row(&history, 1));
    history.rows[1] = 0 + 1;
    history.rows[2] = 2 + 1;
    history_series(&series, 2);
    assert_memory_equal(wanted_bytes, bytes, sizeof bytes);
    assert_memory_equal(wanted_blocks, blocks, sizeof blocks);
    history_free(&history);
}

static void damaged_runs_are_refused(void **state)
{
    struct ledger_history_view damaged = view;
    struct history history = { 0 };

    (void)state;
    damaged.instants[2].end = 19;
    assert_int_equal(LEDGER_E_HISTORY, history_load(&history, &damaged, 100));
    history_free(&history);
}

/* Eight bytes can name the last of four million sites. */
static void the_last_site_may_change(void **state)
{
    static const unsigned char one[] = { 0xff, 0xff, 0x8e, 0x02, 1, 2, 3, 4 };
    const struct ledger_history_view distant = {
        .count = 1, .instants = { { 110, 40, sizeof one, 0 } }, .runs = one
    };
    struct history history = { .wish = { HISTORY_END, 0 } };

    (void)state;
    assert_int_equal(0, history_load(&history, &distant, 100));
    assert_int_equal(LEDGER_SITE_LIMIT, history.site_limit);
    assert_int_equal(4, history.held[LEDGER_SITE_LIMIT - 1][3]);
    assert_int_equal(0, history.held[1][3]);
    history_free(&history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(nearest_is_chosen),
        cmocka_unit_test(what_is_not_in_it_is_not_chosen),
        cmocka_unit_test(rows_have_series),
        cmocka_unit_test(damaged_runs_are_refused),
        cmocka_unit_test(the_last_site_may_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
