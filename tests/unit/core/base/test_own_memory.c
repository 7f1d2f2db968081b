/* SPDX-License-Identifier: Apache-2.0 */
/* test_own_memory.c - Tally's own memory is counted by line */
#include "core/base/own_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/fakes/run_alone.h"

static void pages_are_counted_while_they_are_held(void **state)
{
    static struct own_memory own = OWN_MEMORY;
    struct alloc_tag_counters counters;
    void *pages;

    (void)state;
    assert_null(own_memory_first());
    pages = own_memory_alloc(&own, 5000);
    assert_ptr_equal(own_memory_first(), &own);
    counters = alloc_tag_read(&own.tag);
    assert_int_equal(counters.bytes, 5000);
    assert_int_equal(counters.calls, 1);
    own_memory_free(&own, pages, 5000);
    counters = alloc_tag_read(&own.tag);
    assert_int_equal(counters.bytes, 0);
    assert_int_equal(counters.calls, 0);
    assert_int_equal(counters.total_bytes, 5000);
    assert_int_equal(counters.total_calls, 1);
    assert_string_equal(own.tag.modname, "tally");
    assert_string_equal(own.tag.function, __func__);
}

static void each_line_has_one_row(void **state)
{
    static struct own_memory one = OWN_MEMORY, two = OWN_MEMORY;

    (void)state;
    for (int i = 0; i < 3; i++) {
        own_memory_alloc(&one, 1);
        own_memory_alloc(&two, 1);
    }
    assert_ptr_equal(own_memory_first(), &two);
    assert_ptr_equal(two.next, &one);
    assert_null(one.next);
}

static void refused_pages_are_not_counted(void **state)
{
    static struct own_memory own = OWN_MEMORY;

    (void)state;
    fake_port_fail_at(1);
    assert_null(own_memory_alloc(&own, 1));
    assert_null(own_memory_first());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_counted_while_they_are_held),
        cmocka_unit_test(each_line_has_one_row),
        cmocka_unit_test(refused_pages_are_not_counted),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
