/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bare_metal_port.c - the port's functions that run on a host
 *
 * The arena is 4 KiB and each test uses some of it up. Locks and SysTick need
 * the processor and are tested in tests/firmware/.
 */
#include "tally/port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tally/bare_metal.h"

extern uint32_t host_cycles; /* of host_machine.h */

static char written[64];
static size_t written_size;

void tally_board_write(const void *bytes, size_t size)
{
    assert_true(written_size + size <= sizeof written);
    memcpy(written + written_size, bytes, size);
    written_size += size;
}

static void pages_are_zero_and_aligned_to_16(void **state)
{
    unsigned char *one = tally_port_pages_alloc(100);
    unsigned char *two = tally_port_pages_alloc(512);

    (void)state;
    assert_int_equal((uintptr_t)one % 16, 0);
    assert_int_equal((uintptr_t)two % 16, 0);
    assert_true(two >= one + 100);
    for (unsigned i = 0; i < 512; i++)
        assert_int_equal(two[i], 0);
}

static void what_was_taken_last_can_be_given_back(void **state)
{
    unsigned char *one = tally_port_pages_alloc(100);
    unsigned char *two = tally_port_pages_alloc(200);

    (void)state;
    tally_port_pages_free(one, 100); /* not the last one: it stays */
    memset(two, 0xff, 200);
    tally_port_pages_free(two, 200);
    assert_ptr_equal(tally_port_pages_alloc(200), two);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(two[i], 0);
}

static void there_are_none_left_in_the_end(void **state)
{
    unsigned count = 0;

    (void)state;
    assert_null(tally_port_pages_alloc(4097));
    assert_null(tally_port_pages_alloc(SIZE_MAX));
    while (tally_port_pages_alloc(256) != NULL)
        count++;
    assert_in_range(count, 8, 16);
    assert_null(tally_port_pages_alloc(256));
}

static void what_is_printed_goes_to_the_board(void **state)
{
    (void)state;
    assert_int_equal(tally_port_write(1, "out ", 4), 0);
    tally_port_console("line\n", 5);
    assert_int_equal(written_size, 9);
    assert_memory_equal(written, "out line\n", 9);
}

static void there_is_no_environment(void **state)
{
    char name[8] = "same";

    (void)state;
    assert_null(tally_port_environment("PATH"));
    assert_false(tally_port_module_name(name, name, sizeof name));
    assert_int_equal(tally_port_time_ns(), 0);
}

static void cycles_are_microseconds(void **state)
{
    (void)state;
    host_cycles = 1000;
    tally_clock_start(16000000);
    assert_int_equal(tally_port_time_ns(), 0);
    host_cycles += 15;
    assert_int_equal(tally_port_time_ns(), 0);
    host_cycles += 17; /* the 15 before count as well */
    assert_int_equal(tally_port_time_ns(), 2000);
}

/* 3 * 2^32 cycles of 16 MHz are 805,306,368 us. */
static void the_counter_may_wrap_between_ticks(void **state)
{
    (void)state;
    host_cycles = UINT32_MAX - 5;
    tally_clock_start(16000000);
    for (unsigned quarter = 0; quarter < 12; quarter++) {
        host_cycles += UINT32_C(1) << 30;
        tally_clock_tick();
    }
    assert_int_equal(tally_port_time_ns(), UINT64_C(805306368000));
}

static void a_slow_clock_counts_at_most_one_cycle_a_microsecond(void **state)
{
    (void)state;
    host_cycles = 0;
    tally_clock_start(32768);
    host_cycles = 7;
    assert_int_equal(tally_port_time_ns(), 7000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_zero_and_aligned_to_16),
        cmocka_unit_test(what_was_taken_last_can_be_given_back),
        cmocka_unit_test(there_are_none_left_in_the_end),
        cmocka_unit_test(what_is_printed_goes_to_the_board),
        cmocka_unit_test(there_is_no_environment),
        cmocka_unit_test(cycles_are_microseconds),
        cmocka_unit_test(the_counter_may_wrap_between_ticks),
        cmocka_unit_test(a_slow_clock_counts_at_most_one_cycle_a_microsecond),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
