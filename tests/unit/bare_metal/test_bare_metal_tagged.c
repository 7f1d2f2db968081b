/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bare_metal_tagged.c - charges of the port's allocator, on a host
 *
 * Compiled with the port itself, without sources of interrupts. The heap has 16
 * KiB and persists between the tests, each of which frees all its blocks.
 */
#include "tally/tagged.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tally/alloc_tag.h"
#include "tally/bare_metal.h"

enum { COST = 8 }; /* overhead of each block in bytes */

static struct alloc_tag *tag, *other;

static int make_tags(void **state)
{
    DEFINE_ALLOC_TAG(first);
    DEFINE_ALLOC_TAG(second);

    (void)state;
    tag = &first;
    other = &second;
    return 0;
}

static void assert_held(const struct alloc_tag *by, uint64_t calls,
                        uint64_t bytes)
{
    struct alloc_tag_counters counters = alloc_tag_read(by);

    assert_int_equal(counters.calls, calls);
    assert_int_equal(counters.bytes, bytes);
}

static size_t allocated(void)
{
    struct sys_memory_stats stats;

    assert_int_equal(sys_heap_runtime_stats_get(tally_board_heap(), &stats), 0);
    return stats.allocated_bytes;
}

static uint32_t faults(void)
{
    struct tally_heap_figures figures;

    assert_int_equal(tally_heap_figures_get(tally_board_heap(), &figures), 0);
    return figures.faults;
}

static int all_is_back(void **state)
{
    (void)state;
    assert_held(tag, 0, 0);
    assert_held(other, 0, 0);
    assert_int_equal(allocated(), 0);
    assert_true(sys_heap_validate(tally_board_heap()));
    return 0;
}

static void requested_bytes_are_charged(void **state)
{
    char *one = tally_tag_malloc(tag, 13);
    char *two = tally_tag_malloc(tag, 100);

    (void)state;
    assert_held(tag, 2, 113);
    assert_int_equal((uintptr_t)one % _Alignof(max_align_t), 0);
    tally_tag_free(one);
    assert_held(tag, 1, 100);
    tally_tag_free(two);
    tally_tag_free(NULL);
}

static void a_block_costs_eight_bytes(void **state)
{
    size_t before = allocated();
    void *block = tally_tag_malloc(tag, 104);

    (void)state;
    assert_int_equal(allocated() - before, 104 + COST);
    tally_tag_free(block);
}

static void nothing_is_a_block_of_its_own(void **state)
{
    void *one = tally_tag_malloc(tag, 0);
    void *two = tally_tag_malloc(tag, 0);

    (void)state;
    assert_non_null(one);
    assert_ptr_not_equal(one, two);
    assert_held(tag, 2, 0);
    tally_tag_free(one);
    tally_tag_free(two);
}

static void calloc_clears_and_sees_overflow(void **state)
{
    unsigned char *block = tally_tag_malloc(NULL, 300);
    volatile size_t most = SIZE_MAX; /* not known to the compiler */

    (void)state;
    memset(block, 0xff, 300);
    tally_tag_free(block);
    block = tally_tag_calloc(tag, 3, 100);
    for (unsigned i = 0; i < 300; i++)
        assert_int_equal(block[i], 0);
    assert_held(tag, 1, 300);
    assert_null(tally_tag_calloc(tag, most / 2, 3));
    assert_null(tally_tag_calloc(tag, 1, most));
    assert_held(tag, 1, 300);
    tally_tag_free(block);
}

static void realloc_charges_the_one_who_asks(void **state)
{
    char *block = tally_tag_realloc(tag, NULL, 24);
    char *next = tally_tag_malloc(NULL, 8);
    volatile size_t most = SIZE_MAX;
    char *moved;

    (void)state;
    memcpy(block, "as it was", 10);
    assert_ptr_equal(tally_tag_realloc(other, block, 10), block);
    assert_held(tag, 0, 0);
    assert_held(other, 1, 10);
    moved = tally_tag_realloc(tag, block, 500);
    assert_ptr_not_equal(moved, block);
    assert_string_equal(moved, "as it was");
    assert_held(tag, 1, 500);
    assert_held(other, 0, 0);
    assert_null(tally_tag_realloc(other, moved, most));
    assert_held(tag, 1, 500);
    assert_null(tally_tag_realloc(other, moved, 0));
    tally_tag_free(next);
}

static void alignment_is_checked_and_kept(void **state)
{
    void *block = tally_tag_aligned_alloc(tag, 256, 50);
    void *unchanged = block;

    (void)state;
    assert_int_equal((uintptr_t)block % 256, 0);
    assert_held(tag, 1, 50);
    assert_null(tally_tag_aligned_alloc(tag, 24, 50));
    assert_int_equal(tally_tag_posix_memalign(tag, &unchanged, 24, 8), EINVAL);
    assert_int_equal(tally_tag_posix_memalign(tag, &unchanged, 1, 8), EINVAL);
    assert_int_equal(tally_tag_posix_memalign(tag, &unchanged, 64, 1 << 20),
                     ENOMEM);
    assert_ptr_equal(unchanged, block);
    assert_int_equal(tally_tag_posix_memalign(tag, &unchanged, 64, 8), 0);
    assert_int_equal((uintptr_t)unchanged % 64, 0);
    assert_held(tag, 2, 58);
    tally_tag_free(block);
    tally_tag_free(unchanged);
}

static void without_a_tag_nobody_is_charged(void **state)
{
    void *block = tally_tag_malloc(NULL, 40);

    (void)state;
    assert_held(tag, 0, 0);
    block = tally_tag_realloc(tag, block, 60);
    assert_held(tag, 1, 60);
    tally_tag_free(block);
}

static void an_account_opened_is_closed_also_when_off(void **state)
{
    void *one = tally_tag_malloc(tag, 40);
    void *two;

    (void)state;
    assert_int_equal(tally_sysctl("vm.mem_profiling=0"), 0);
    two = tally_tag_malloc(tag, 41);
    assert_held(tag, 1, 40);
    tally_tag_free(one);
    assert_held(tag, 0, 0);
    assert_int_equal(tally_sysctl("vm.mem_profiling=1"), 0);
    tally_tag_free(two);
    assert_held(tag, 0, 0);
}

static void what_is_not_a_block_changes_nothing(void **state)
{
    char *block = tally_tag_malloc(tag, 40);
    uint32_t before = faults();

    (void)state;
    tally_tag_free(block + 8);
    assert_null(tally_tag_realloc(tag, block + 8, 3));
    assert_held(tag, 1, 40);
    assert_int_equal(faults(), before + 2);
    tally_tag_free(block);
    tally_tag_free(block);
    assert_held(tag, 0, 0);
    assert_int_equal(faults(), before + 3);
}

static void ignore(struct sys_heap *of, const void *mem,
                   enum tally_heap_fault fault)
{
    (void)of;
    (void)mem;
    (void)fault;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TAGGED_TEST(name) \
    cmocka_unit_test_setup_teardown(name, make_tags, all_is_back)
        TAGGED_TEST(requested_bytes_are_charged),
        TAGGED_TEST(a_block_costs_eight_bytes),
        TAGGED_TEST(nothing_is_a_block_of_its_own),
        TAGGED_TEST(calloc_clears_and_sees_overflow),
        TAGGED_TEST(realloc_charges_the_one_who_asks),
        TAGGED_TEST(alignment_is_checked_and_kept),
        TAGGED_TEST(without_a_tag_nobody_is_charged),
        TAGGED_TEST(an_account_opened_is_closed_also_when_off),
        TAGGED_TEST(what_is_not_a_block_changes_nothing),
    };

    tally_heap_on_fault(ignore);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
