/* SPDX-License-Identifier: Apache-2.0 */
/* test_regions.c - guarantees of struct regions, also for unusual traces */
#include "tool/model/trace/trace_figures.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void add(struct regions *regions, uint64_t time, unsigned kind,
                uint64_t address, uint32_t used, uint32_t unused)
{
    struct zpl_event event = {
        .time_ns = time,
        .memory_addr = address,
        .used = used,
        .unused = unused,
        .memory_region = (uint8_t)kind,
    };

    regions_add(regions, &event);
}

static void test_kind_and_address_are_the_key(void **state)
{
    struct regions regions = { 0 };

    (void)state;
    add(&regions, 1, ZPL_K_HEAP, 0x10, 1, 9);
    add(&regions, 2, ZPL_HEAP, 0x20, 2, 8);
    add(&regions, 3, ZPL_HEAP, 0x10, 3, 7);
    add(&regions, 4, ZPL_HEAP, 0x20, 4, 16);
    regions_finish(&regions);
    assert_int_equal(regions.count, 3);
    assert_int_equal(regions.events, 4);
    assert_int_equal(regions.items[0].address, 0x10);
    assert_int_equal(regions.items[0].kind, ZPL_HEAP);
    assert_int_equal(regions.items[1].used, 4);
    assert_int_equal(regions.items[1].size, 20); /* the largest */
    assert_int_equal(regions.items[2].kind, ZPL_K_HEAP);
    assert_int_equal(regions.first, 1);
    assert_int_equal(regions.last, 4);
    regions_close(&regions);
}

static void test_peak_is_where_it_was_first_reached(void **state)
{
    static const uint32_t used[] = { 5, 90, 20, 90, 7 };
    struct regions regions = { 0 };

    (void)state;
    for (unsigned i = 0; i < 5; i++)
        add(&regions, 100 + i, ZPL_HEAP, 1, used[i], 100 - used[i]);
    regions_finish(&regions);
    assert_int_equal(regions.items[0].peak, 90);
    assert_int_equal(regions.items[0].peak_place, 101);
    assert_int_equal(regions.items[0].used, 7);
    regions_close(&regions);
}

static void test_points_halve_and_keep_the_most(void **state)
{
    enum { EVENTS = REGION_POINTS * 5 };
    struct regions regions = { 0 };
    const struct region *region;
    uint64_t most = 0;

    (void)state;
    for (unsigned i = 0; i < EVENTS; i++)
        add(&regions, i, ZPL_HEAP, 1, i == 777 ? 1000 : i % 10, 0);
    regions_finish(&regions);
    region = &regions.items[0];
    assert_int_equal(region->stride, 8);
    assert_int_equal(region->point_count, EVENTS / 8);
    for (size_t i = 0; i < region->point_count; i++) {
        assert_int_equal(region->points[i].place, i * 8);
        if (region->points[i].used > most)
            most = region->points[i].used;
    }
    assert_int_equal(most, 1000);
    assert_int_equal(region->points[777 / 8].used, 1000);
    regions_close(&regions);
}

static void test_without_times_events_are_counted(void **state)
{
    struct regions regions = { 0 };

    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        add(&regions, ZPL_EVENT_NO_TIME, ZPL_HEAP, 1, 10 * i, 0);
        add(&regions, ZPL_EVENT_NO_TIME, ZPL_HEAP, 2, 0, 10);
    }
    regions_finish(&regions);
    assert_false(regions.has_times);
    assert_int_equal(regions.last, 9);
    assert_int_equal(regions.items[0].peak_place, 9);
    assert_true(fabs(regions.items[0].slope - 10) < 1e-9);
    assert_int_equal(regions.items[0].trend, REGION_RISING);
    assert_int_equal(regions.items[1].trend, REGION_STEADY);
    regions_close(&regions);
}

static void test_trends(void **state)
{
    struct regions regions = { 0 };

    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t time = UINT64_C(1700000000000000000) + i * 1000000000ull;

        add(&regions, time, ZPL_HEAP, 1, 5000 - 5 * i, 0); /* decreases */
        add(&regions, time, ZPL_HEAP, 2, i % 7 * 100, 0);  /* a sawtooth */
        add(&regions, time, ZPL_HEAP, 3, i / 999, 100000); /* hardly changes */
    }
    regions_finish(&regions);
    assert_int_equal(regions.items[0].trend, REGION_FALLING);
    assert_true(fabs(regions.items[0].slope * 1e9 + 5) < 1e-6);
    assert_int_equal(regions.items[1].trend, REGION_STEADY);
    assert_int_equal(regions.items[2].trend, REGION_STEADY);
    regions_close(&regions);
}

static void test_more_regions_are_counted(void **state)
{
    struct regions regions = { 0 };

    (void)state;
    for (unsigned i = 0; i < REGION_LIMIT + 5; i++)
        add(&regions, i, ZPL_HEAP, i * 8ull, 1, 1);
    add(&regions, REGION_LIMIT, ZPL_HEAP, 8, 2, 1);
    assert_int_equal(regions.count, REGION_LIMIT);
    assert_int_equal(regions.left_out, 5);
    assert_int_equal(regions_find(&regions, ZPL_HEAP, 8)->used, 2);
    assert_null(regions_find(&regions, ZPL_K_HEAP, 8));
    regions_close(&regions);
}

static void test_time_that_goes_back_stays_at_the_begin(void **state)
{
    struct regions regions = { 0 };

    (void)state;
    add(&regions, 1000, ZPL_HEAP, 1, 1, 1);
    add(&regions, 10, ZPL_HEAP, 1, 2, 0);
    regions_finish(&regions);
    assert_int_equal(regions.first, 1000);
    assert_int_equal(regions.items[0].peak_place, 1000);
    assert_int_equal(regions.items[0].trend, REGION_STEADY);
    regions_close(&regions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kind_and_address_are_the_key),
        cmocka_unit_test(test_peak_is_where_it_was_first_reached),
        cmocka_unit_test(test_points_halve_and_keep_the_most),
        cmocka_unit_test(test_without_times_events_are_counted),
        cmocka_unit_test(test_trends),
        cmocka_unit_test(test_more_regions_are_counted),
        cmocka_unit_test(test_time_that_goes_back_stays_at_the_begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
