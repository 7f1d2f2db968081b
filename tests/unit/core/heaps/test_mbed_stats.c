/* SPDX-License-Identifier: Apache-2.0 */
/* test_mbed_stats.c - statistics of known accounts and a known platform */
#include "tally/mbed_stats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tally/hook.h"
#include "tally/port.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/run_alone.h"

static const struct tally_port_region regions[] = {
    { 0x1000, 300, 700, "one", 0, ZPL_HEAP },
    { 0x2000, 100, 0, "two", 0, ZPL_HEAP },
    { 0x10000, 1000, 7192, "main", 7, ZPL_STACK },
    { 0x20000, 500, 3596, NULL, 8, ZPL_STACK },
};

static void heap_figures_are_those_of_accounts(void **state)
{
    tally_reference kept, freed;
    mbed_stats_heap_t stats;
    uint32_t site;

    (void)state;
    assert_int_equal(tally_account_start(), 0);
    site = tally_site_open(0x600d);
    fake_port_set_regions(regions, 2);
    kept = tally_hook_alloc(site, 50);
    freed = tally_hook_alloc(site, 100);
    mbed_stats_heap_get(&stats);
    assert_int_equal(stats.current_size, 150);
    tally_hook_free(freed, 100);
    mbed_stats_heap_get(&stats);
    assert_int_equal(stats.current_size, 50);
    assert_int_equal(stats.max_size, 150);
    assert_int_equal(stats.total_size, 150);
    assert_int_equal(stats.reserved_size, 1100);
    assert_int_equal(stats.alloc_cnt, 1);
    assert_int_equal(stats.alloc_fail_cnt, 0);
    assert_int_equal(stats.overhead_size, 16);
    tally_hook_free(kept, 50);
    mbed_stats_heap_get(&stats);
    assert_int_equal(stats.current_size, 0);
    assert_int_equal(stats.alloc_cnt, 0);
    assert_int_equal(stats.total_size, 150);
    tally_hook_free(tally_hook_alloc(site, 400), 400);
    mbed_stats_heap_get(&stats);
    assert_int_equal(stats.max_size, 400); /* although no call read it */
}

static void stack_figures_are_sums(void **state)
{
    mbed_stats_stack_t stats;

    (void)state;
    fake_port_set_regions(regions, 4);
    mbed_stats_stack_get(&stats);
    assert_int_equal(stats.thread_id, 0);
    assert_int_equal(stats.max_size, 1500);
    assert_int_equal(stats.reserved_size, 12288);
    assert_int_equal(stats.stack_cnt, 2);
}

static void each_stack_has_its_figures(void **state)
{
    mbed_stats_stack_t stats[3];

    (void)state;
    fake_port_set_regions(regions, 4);
    assert_int_equal(mbed_stats_stack_get_each(stats, 3), 2);
    assert_int_equal(stats[0].thread_id, 7);
    assert_int_equal(stats[0].max_size, 1000);
    assert_int_equal(stats[1].thread_id, 8);
    assert_int_equal(stats[1].reserved_size, 4096);
    assert_int_equal(stats[1].stack_cnt, 1);
    assert_int_equal(mbed_stats_stack_get_each(stats, 1), 1);
    assert_int_equal(mbed_stats_stack_get_each(stats, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_figures_are_those_of_accounts),
        cmocka_unit_test(stack_figures_are_sums),
        cmocka_unit_test(each_stack_has_its_figures),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
