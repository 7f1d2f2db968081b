/* SPDX-License-Identifier: Apache-2.0 */
/* test_program_maps.c - tables in the test's memory, intact, torn and
   hostile */
#include "tool/session/sampling/sampling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

static struct ledger_map maps[] = {
    { .start = 0x1000, .end = 0x3000, .site = 1 },
    { .start = 0x3000, .end = 0x4000, .site = 2 },
    { .start = 0x8000, .end = 0x9000, .site = 1 },
};

static struct ledger_map_table table;

static int fill(void **state)
{
    (void)state;
    maps[1].start = 0x3000;
    table.address = (uint64_t)(uintptr_t)maps;
    table.count = sizeof maps / sizeof maps[0];
    return 0;
}

static bool read_ours(struct program_maps *read)
{
    program_maps_read(read, getpid(), (uint64_t)(uintptr_t)&table);
    return read->is_known;
}

static uint64_t cover(const struct program_maps *read, uint64_t from,
                      uint64_t end)
{
    uint64_t to, sum = 0;

    for (; program_maps_next(read, &from, end, &to); from = to)
        sum += to - from;
    return sum;
}

static void a_range_is_covered_where_maps_are(void **state)
{
    struct program_maps read;

    (void)state;
    assert_true(read_ours(&read));
    assert_int_equal(cover(&read, 0x1000, 0x4000), 0x3000);
    assert_int_equal(cover(&read, 0x2000, 0x8800), 0x2800);
    assert_int_equal(cover(&read, 0x4000, 0x8000), 0);
    assert_int_equal(cover(&read, 0x9000, UINT64_MAX), 0);
    program_maps_free(&read);
}

static void stacks_are_no_maps(void **state)
{
    struct program_maps read;

    (void)state;
    maps[0].site = LEDGER_MAP_STACK;
    assert_true(read_ours(&read));
    assert_int_equal(cover(&read, 0, maps[0].end), 0);
    assert_int_equal(cover(&read, 0, maps[1].end), maps[1].end - maps[1].start);
    program_maps_free(&read);
}

static void no_maps_are_known_to_be_none(void **state)
{
    struct program_maps read;

    (void)state;
    table = (struct ledger_map_table){ 0 };
    assert_true(read_ours(&read));
    assert_int_equal(cover(&read, 0, UINT64_MAX), 0);
}

static void a_table_in_disorder_is_not_known(void **state)
{
    struct program_maps read;

    (void)state;
    maps[1].start = 0x2000;
    assert_false(read_ours(&read));
    assert_int_equal(cover(&read, 0, UINT64_MAX), 0);
}

static void what_is_not_there_is_not_known(void **state)
{
    struct program_maps read;

    (void)state;
    program_maps_read(&read, getpid(), 0);
    assert_false(read.is_known);
    program_maps_read(&read, getpid(), UINT64_MAX - 4);
    assert_false(read.is_known);
    table.address = 8;
    assert_false(read_ours(&read));
    table.count = UINT64_MAX;
    assert_false(read_ours(&read));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_range_is_covered_where_maps_are, fill),
        cmocka_unit_test_setup(stacks_are_no_maps, fill),
        cmocka_unit_test_setup(no_maps_are_known_to_be_none, fill),
        cmocka_unit_test_setup(a_table_in_disorder_is_not_known, fill),
        cmocka_unit_test_setup(what_is_not_there_is_not_known, fill),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
