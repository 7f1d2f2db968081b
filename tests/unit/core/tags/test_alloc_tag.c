/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_alloc_tag.c - hooks, tags in force, and charges to them
 *
 * A process has one setting, so each test runs in a child process.
 */
#include "tally/alloc_tag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/accounts/mem_profiling.h"
#include "core/tags/alloc_tag.h"
#include "format/ledger/reference.h"
#include "format/ledger/segments_layout.h"
#include "tally/tagged.h"
#include "tests/fakes/run_alone.h"

static void *allocate_noprof(size_t size)
{
    return tally_tag_malloc(tally_current_tag, size);
}

#define allocate(...) alloc_hooks(allocate_noprof(__VA_ARGS__))

static void assert_counters(const struct alloc_tag *tag, uint64_t bytes,
                            uint64_t calls, uint64_t total_bytes,
                            uint64_t total_calls)
{
    struct alloc_tag_counters counters = alloc_tag_read(tag);

    assert_int_equal(counters.bytes, bytes);
    assert_int_equal(counters.calls, calls);
    assert_int_equal(counters.total_bytes, total_bytes);
    assert_int_equal(counters.total_calls, total_calls);
}

struct place {
    const char *function;
    struct alloc_tag *tag;
    unsigned count;
};

static int match(struct alloc_tag *tag, void *context)
{
    struct place *place = context;

    if (strcmp(tag->function, place->function) == 0) {
        place->tag = tag;
        place->count++;
    }
    return 0;
}

/* The only tag of a function. */
static struct alloc_tag *tag_in(const char *function)
{
    struct place place = { .function = function };

    assert_int_equal(alloc_tag_for_each(match, &place), 0);
    assert_int_equal(place.count, 1);
    return place.tag;
}

static void a_hook_charges_its_place(void **state)
{
    uint32_t line = __LINE__ + 1;
    void *block = allocate(100);
    struct alloc_tag *tag = tag_in(__func__);

    (void)state;
    assert_non_null(block);
    assert_string_equal(tag->file, "tests/unit/core/tags/test_alloc_tag.c");
    assert_int_equal(tag->lineno, line);
    assert_null(tag->modname);
    assert_counters(tag, 100, 1, 100, 1);
    tally_tag_free(block);
    assert_counters(tag, 0, 0, 100, 1);
    assert_null(tally_current_tag);
}

static int answer_noprof(struct alloc_tag **seen)
{
    *seen = tally_current_tag;
    return 42;
}

static void nothing_noprof(struct alloc_tag **seen)
{
    *seen = tally_current_tag;
}

static void a_hook_is_an_expression_of_the_calls_type(void **state)
{
    struct alloc_tag *first = NULL, *second = NULL;
    const int answer = alloc_hooks(answer_noprof(&first)) + 1;

    (void)state;
    assert_int_equal(answer, 43);
    alloc_hooks(nothing_noprof(&second));
    assert_non_null(first);
    assert_non_null(second);
    assert_ptr_not_equal(first, second);
    assert_int_equal(sizeof(alloc_hooks(answer_noprof(&first))), sizeof(int));
}

static void *inner_noprof(size_t size, struct alloc_tag *own)
{
    void *charged_to_own = alloc_hooks_tag(own, allocate_noprof(size));
    void *charged_to_outer = allocate_noprof(2 * size);

    tally_tag_free(charged_to_own);
    return charged_to_outer;
}

static void the_innermost_hook_counts_and_the_outer_returns(void **state)
{
    struct alloc_tag own = { "o.c", "own", NULL, 1, 0, 0, 0 };
    void *block = alloc_hooks(inner_noprof(50, &own));
    struct alloc_tag *outer = tag_in(__func__);

    (void)state;
    assert_counters(&own, 0, 0, 50, 1);
    assert_counters(outer, 100, 1, 100, 1);
    tally_tag_free(block);
    assert_counters(outer, 0, 0, 100, 1);
}

static void without_a_tag_of_its_own_the_enclosing_one_stays(void **state)
{
    void *block = alloc_hooks(inner_noprof(7, NULL));
    struct alloc_tag *outer = tag_in(__func__);

    (void)state;
    assert_counters(outer, 14, 1, 21, 2);
    tally_tag_free(block);
}

struct table {
    struct alloc_tag *tag;
};

static int table_init_noprof(struct table *table)
{
    alloc_tag_record(table->tag);
    return 0;
}

#define table_init(...) alloc_hooks(table_init_noprof(__VA_ARGS__))

static void a_tag_is_recorded_also_while_off(void **state)
{
    struct table table;
    void *block;

    (void)state;
    assert_int_equal(tally_sysctl("vm.mem_profiling=0"), 0);
    assert_false(mem_profiling_is_on());
    assert_int_equal(table_init(&table), 0);
    assert_ptr_equal(table.tag, tag_in(__func__));
    assert_int_equal(tally_sysctl("vm.mem_profiling=1"), 0);
    block = alloc_hooks_tag(table.tag, allocate_noprof(64));
    assert_counters(table.tag, 64, 1, 64, 1);
    tally_tag_free(block);
}

static void under_never_hooks_store_nothing(void **state)
{
    struct table table;

    (void)state;
    assert_int_equal(tally_sysctl("vm.mem_profiling=never"), 0);
    assert_false(mem_profiling_is_on());
    assert_int_equal(table_init(&table), 0);
    assert_null(table.tag);
}

static void blocks_from_on_that_are_freed_while_off_are_subtracted(void **state)
{
    void *one, *two;

    (void)state;
    for (int i = 0; i < 2; i++) {
        void **block = i == 0 ? &one : &two;

        *block = allocate(30);
        tally_sysctl("vm.mem_profiling=0");
    }
    assert_counters(tag_in(__func__), 30, 1, 30, 1);
    tally_tag_free(one);
    tally_tag_free(two);
    assert_counters(tag_in(__func__), 0, 0, 30, 1);
}

static void a_tag_by_hand(void **state)
{
    DEFINE_ALLOC_TAG(mine);
    struct alloc_tag *outer = alloc_tag_save(&mine);
    void *block = allocate_noprof(5);

    (void)state;
    alloc_tag_restore(&mine, outer);
    assert_null(tally_current_tag);
    assert_counters(&mine, 5, 1, 5, 1);
    tally_tag_free(block);
}

static void an_allocation_without_a_tag_is_said_once_for_its_place(void **state)
{
    struct tally_debug_place place = { "a.c", "f", 12, 0 };
    struct tally_debug_place other = { "b.c", "g", 4000000000u, 0 };

    (void)state;
    alloc_hooks(tally_debug_untagged(&place));
    assert_string_equal(fake_port_console(), "");
    tally_debug_untagged(&place);
    tally_debug_untagged(&place);
    tally_debug_untagged(&other);
    assert_string_equal(
        fake_port_console(),
        "tally: a.c:12: f() allocates with no tag in force; this is not "
        "accounted until alloc_hooks() is around it\n"
        "tally: b.c:4000000000: g() allocates with no tag in force; this is "
        "not accounted until alloc_hooks() is around it\n");
}

static void while_off_nothing_is_said(void **state)
{
    struct tally_debug_place place = { "a.c", "f", 12, 0 };

    (void)state;
    tally_sysctl("vm.mem_profiling=0");
    tally_debug_untagged(&place);
    assert_string_equal(fake_port_console(), "");
}

static void a_tag_that_finds_no_memory_is_inaccurate(void **state)
{
    struct alloc_tag tag = { "a.c", "f", NULL, 1, 0, 0, 0 };
    void *block;

    (void)state;
    assert_true(mem_profiling_is_on());
    /* The next site needs another segment of counters. */
    while ((tally_site_count() + 1) % LEDGER_SITES_PER_SEGMENT != 0)
        assert_int_not_equal(tally_site_open_place(1, NULL), 0);
    fake_port_fail_from(1);
    block = tally_tag_malloc(&tag, 10);
    assert_non_null(block);
    assert_int_equal(tag.flags, ALLOC_TAG_INACCURATE);
    assert_int_equal(tag.site, 0);
    fake_port_fail_from(0);
    tally_tag_free(block);
    block = tally_tag_malloc(&tag, 20);
    assert_counters(&tag, 20, 1, 20, 1);
    tally_tag_free(block);
    assert_int_equal(tag.flags, ALLOC_TAG_INACCURATE);
}

/* More tags than the engine of these tests can name. */
static void more_tags_than_compressed_references_end_it_for_good(void **state)
{
    enum { SITES = LEDGER_DIRECTORY_CAPACITY * LEDGER_SITES_PER_SEGMENT - 1 };
    static struct alloc_tag tags[SITES + 1];
    void *first, *last;

    (void)state;
    assert_int_equal(tally_sysctl("vm.mem_profiling=1,compressed"), 0);
    first = tally_tag_malloc(&tags[0], 10);
    for (size_t i = 0; i < SITES; i++) {
        tags[i] = (struct alloc_tag){ "a.c", "f", NULL, 1, 0, tags[i].site, 0 };
        assert_int_not_equal(alloc_tag_site(&tags[i]), 0);
    }
    assert_true(mem_profiling_is_available());
    assert_string_equal(fake_port_console(), "");

    last = tally_tag_malloc(&tags[SITES], 10);
    assert_non_null(last);
    assert_false(mem_profiling_is_available());
    assert_false(mem_profiling_is_on());
    assert_int_equal(*tally_mem_profiling, 0);
    assert_int_equal(tally_sysctl("vm.mem_profiling=1"), -22);
    tally_tag_free(last);
    last = tally_tag_malloc(&tags[0], 10);
    assert_counters(&tags[0], 10, 1, 10, 1);
    tally_tag_free(last);
    tally_tag_free(first);
    assert_counters(&tags[0], 0, 0, 10, 1);
    assert_string_equal(fake_port_console(),
                        "tally: more tags than compressed references can "
                        "name; memory profiling is off for good\n");
}

/* Like the test above, without the limit. */
static void full_references_name_more(void **state)
{
    static struct alloc_tag tags[REFERENCE_COMPRESSED_LIMIT + 100];

    (void)state;
    assert_true(mem_profiling_is_on());
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        assert_int_not_equal(alloc_tag_site(&tags[i]), 0);
    assert_true(mem_profiling_is_on());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hook_charges_its_place),
        cmocka_unit_test(a_hook_is_an_expression_of_the_calls_type),
        cmocka_unit_test(the_innermost_hook_counts_and_the_outer_returns),
        cmocka_unit_test(without_a_tag_of_its_own_the_enclosing_one_stays),
        cmocka_unit_test(a_tag_is_recorded_also_while_off),
        cmocka_unit_test(under_never_hooks_store_nothing),
        cmocka_unit_test(
            blocks_from_on_that_are_freed_while_off_are_subtracted),
        cmocka_unit_test(a_tag_by_hand),
        cmocka_unit_test(
            an_allocation_without_a_tag_is_said_once_for_its_place),
        cmocka_unit_test(while_off_nothing_is_said),
        cmocka_unit_test(a_tag_that_finds_no_memory_is_inaccurate),
        cmocka_unit_test(more_tags_than_compressed_references_end_it_for_good),
        cmocka_unit_test(full_references_name_more),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
