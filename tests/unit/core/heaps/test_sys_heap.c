/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sys_heap.c - every return value, and refused requests
 *
 * This file is long because it has a test for each statement of the header.
 * test_sys_heap_model.c tests long use and damage.
 */
#include "tally/sys_heap.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum {
    REGION = 16384,
    COST = 8, /* overhead of each block in bytes */
};

static _Alignas(4096) unsigned char region[REGION];
static struct sys_heap heap;

static unsigned faults_told;
static enum tally_heap_fault last_fault;
static const void *last_mem;

static void on_fault(struct sys_heap *of, const void *mem,
                     enum tally_heap_fault fault)
{
    assert_ptr_equal(of, &heap);
    faults_told++;
    last_fault = fault;
    last_mem = mem;
}

static int open_heap(void **state)
{
    (void)state;
    memset(region, 0xa5, sizeof region);
    sys_heap_init(&heap, region, sizeof region);
    tally_heap_on_fault(on_fault);
    faults_told = 0;
    return 0;
}

static struct sys_memory_stats stats_of(struct sys_heap *of)
{
    struct sys_memory_stats stats = { 1, 1, 1 };

    assert_int_equal(sys_heap_runtime_stats_get(of, &stats), 0);
    return stats;
}

static struct tally_heap_figures figures_of(const struct sys_heap *of)
{
    struct tally_heap_figures figures;

    assert_int_equal(tally_heap_figures_get(of, &figures), 0);
    return figures;
}

static void blocks_go_out_in_order_and_merge_when_back(void **state)
{
    unsigned char *one, *two, *three;
    size_t whole = stats_of(&heap).free_bytes;

    (void)state;
    one = sys_heap_alloc(&heap, 8);
    two = sys_heap_alloc(&heap, 100);
    three = sys_heap_alloc(&heap, 1);
    assert_ptr_equal(two, one + 8 + COST);
    assert_ptr_equal(three, two + 104 + COST);
    assert_int_equal(stats_of(&heap).allocated_bytes, 16 + 112 + 16);
    assert_int_equal(figures_of(&heap).blocks, 3);

    sys_heap_free(&heap, two);
    assert_int_equal(figures_of(&heap).free_chunks, 2);
    sys_heap_free(&heap, one);
    assert_int_equal(figures_of(&heap).free_chunks, 2);
    sys_heap_free(&heap, three);
    assert_int_equal(figures_of(&heap).free_chunks, 1);
    assert_int_equal(figures_of(&heap).largest_free, whole - COST);
    assert_int_equal(stats_of(&heap).free_bytes, whole);
    assert_true(sys_heap_validate(&heap));
}

static void impossible_requests_are_refused(void **state)
{
    static const size_t sizes[] = { REGION, SIZE_MAX, SIZE_MAX - 7,
                                    (size_t)(UINT64_C(1) << 33 | REGION),
                                    SIZE_MAX / 2 };

    (void)state;
    assert_null(sys_heap_alloc(&heap, 0));
    assert_int_equal(figures_of(&heap).refused, 0);
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_null(sys_heap_alloc(&heap, sizes[i]));
        assert_null(sys_heap_realloc(&heap, NULL, sizes[i]));
        assert_int_equal(figures_of(&heap).refused, 2 * (i + 1));
    }
    assert_null(sys_heap_aligned_alloc(&heap, (SIZE_MAX >> 1) + 1, 8));
    assert_int_equal(faults_told, 0);
    assert_null(sys_heap_aligned_alloc(&heap, 3, 8));
    assert_null(sys_heap_aligned_alloc(&heap, SIZE_MAX, 8));
    assert_int_equal(faults_told, 2);
    assert_true(sys_heap_validate(&heap));
}

static void the_largest_block_can_be_had_and_no_larger(void **state)
{
    size_t largest = figures_of(&heap).largest_free;
    void *block;

    (void)state;
    assert_null(sys_heap_alloc(&heap, largest + 1));
    block = sys_heap_alloc(&heap, largest);
    assert_non_null(block);
    assert_int_equal(sys_heap_usable_size(&heap, block), largest);
    assert_int_equal(stats_of(&heap).free_bytes, 0);
    assert_int_equal(figures_of(&heap).largest_free, 0);
    assert_int_equal(figures_of(&heap).fragmentation, 0);
    assert_null(sys_heap_alloc(&heap, 1));
    sys_heap_free(&heap, block);
    assert_int_equal(figures_of(&heap).largest_free, largest);
}

static void small_regions_hold_a_block_or_nothing(void **state)
{
    static struct sys_heap small;
    static _Alignas(8) unsigned char bytes[256];

    (void)state;
    for (size_t size = 0; size <= sizeof bytes - 8; size++) {
        for (size_t shift = 0; shift < 8; shift++) {
            memset(bytes, 0x5a, sizeof bytes);
            sys_heap_init(&small, bytes + shift, size);
            void *block = sys_heap_alloc(&small, 1);

            assert_true(sys_heap_validate(&small));
            if (shift == 0)
                assert_int_equal(block != NULL,
                                 size >= TALLY_HEAP_SMALLEST_BYTES);
            sys_heap_free(&small, block);
            assert_true(sys_heap_validate(&small));
            for (size_t i = shift + size; i < sizeof bytes; i++)
                assert_int_equal(bytes[i], 0x5a);
        }
    }
    tally_heap_forget(&small);
}

static void alignment_costs_no_more_than_its_gap(void **state)
{
    (void)state;
    for (size_t align = 1; align <= 4096; align *= 2) {
        void *small = sys_heap_alloc(&heap, 8);
        unsigned char *block = sys_heap_aligned_alloc(&heap, align, 40);

        assert_non_null(block);
        assert_int_equal((uintptr_t)block % align, 0);
        assert_int_equal(sys_heap_usable_size(&heap, block), 40);
        assert_int_equal(stats_of(&heap).allocated_bytes, 16 + 48);
        assert_true(sys_heap_validate(&heap));
        sys_heap_free(&heap, small);
        sys_heap_free(&heap, block);
        assert_int_equal(figures_of(&heap).free_chunks, 1);
    }
    assert_non_null(sys_heap_aligned_alloc(&heap, 0, 8));
    assert_non_null(sys_heap_noalign_alloc(&heap, 3, 8));
}

static void realloc_stays_where_it_can(void **state)
{
    unsigned char *one = sys_heap_realloc(&heap, NULL, 64);
    unsigned char *two = sys_heap_alloc(&heap, 64);
    unsigned char *moved;

    (void)state;
    memset(one, 1, 64);
    assert_ptr_equal(sys_heap_realloc(&heap, one, 20), one);
    assert_int_equal(sys_heap_usable_size(&heap, one), 24);
    assert_ptr_equal(sys_heap_realloc(&heap, one, 64), one);
    moved = sys_heap_realloc(&heap, one, 65);
    assert_ptr_not_equal(moved, one);
    for (unsigned i = 0; i < 20; i++)
        assert_int_equal(moved[i], 1);

    assert_null(sys_heap_realloc(&heap, moved, REGION));
    assert_int_equal(sys_heap_usable_size(&heap, moved), 72);
    assert_int_equal(faults_told, 0);
    assert_null(sys_heap_aligned_realloc(&heap, moved, 3, 8));
    assert_int_equal(faults_told, 1);
    assert_null(sys_heap_realloc(&heap, two, 0));
    assert_null(sys_heap_realloc(&heap, moved, 0));
    assert_int_equal(stats_of(&heap).allocated_bytes, 0);
    assert_int_equal(faults_told, 1);
    assert_true(sys_heap_validate(&heap));
}

static void aligned_realloc_moves_what_is_not_aligned(void **state)
{
    unsigned char *first = sys_heap_aligned_alloc(&heap, 256, 8);
    unsigned char *block = sys_heap_alloc(&heap, 8);
    unsigned char *moved;

    (void)state;
    (void)first;
    if ((uintptr_t)block % 256 == 0)
        block = sys_heap_alloc(&heap, 8);
    memcpy(block, "contents", 8);
    moved = sys_heap_aligned_realloc(&heap, block, 256, 16);
    assert_int_equal((uintptr_t)moved % 256, 0);
    assert_memory_equal(moved, "contents", 8);
    assert_ptr_equal(sys_heap_aligned_realloc(&heap, moved, 256, 24), moved);
}

static void resize_never_moves(void **state)
{
    unsigned char *one = sys_heap_alloc(&heap, 64);
    unsigned char *two = sys_heap_alloc(&heap, 64);

    (void)state;
    assert_false(tally_heap_resize(&heap, one, 65));
    assert_false(tally_heap_resize(&heap, one, 0));
    assert_false(tally_heap_resize(&heap, two, SIZE_MAX));
    assert_true(tally_heap_resize(&heap, two, 1000));
    assert_int_equal(sys_heap_usable_size(&heap, two), 1000);
    sys_heap_free(&heap, two);
    assert_true(tally_heap_resize(&heap, one, 65));
    assert_true(sys_heap_validate(&heap));
}

static void null_is_minus_einval(void **state)
{
    struct sys_memory_stats stats;
    struct tally_heap_figures figures;

    (void)state;
    assert_int_equal(sys_heap_runtime_stats_get(NULL, &stats), -EINVAL);
    assert_int_equal(sys_heap_runtime_stats_get(&heap, NULL), -EINVAL);
    assert_int_equal(sys_heap_runtime_stats_reset_max(NULL), -EINVAL);
    assert_int_equal(tally_heap_figures_get(NULL, &figures), -EINVAL);
    assert_int_equal(tally_heap_figures_get(&heap, NULL), -EINVAL);
    assert_int_equal(sys_heap_array_get(NULL), -EINVAL);
    sys_heap_free(&heap, NULL);
    assert_int_equal(faults_told, 0);
}

static void the_most_is_kept_until_it_is_reset(void **state)
{
    void *block = sys_heap_alloc(&heap, 992);

    (void)state;
    sys_heap_free(&heap, block);
    block = sys_heap_alloc(&heap, 192);
    assert_int_equal(stats_of(&heap).max_allocated_bytes, 1000);
    assert_int_equal(sys_heap_runtime_stats_reset_max(&heap), 0);
    assert_int_equal(stats_of(&heap).max_allocated_bytes, 200);
    assert_ptr_equal(sys_heap_realloc(&heap, block, 292), block);
    assert_int_equal(stats_of(&heap).max_allocated_bytes, 304);
}

static void a_block_keeps_who_it_is_charged_to(void **state)
{
    struct tally_heap_block charged;
    void *block = sys_heap_alloc(&heap, 1);

    (void)state;
    assert_true(tally_heap_block_read(&heap, block, &charged));
    assert_int_equal(charged.site, 0);
    assert_int_equal(charged.requested, 1);
    tally_heap_block_charge(&heap, block, (1u << 27) - 1, 0);
    assert_true(tally_heap_block_read(&heap, block, &charged));
    assert_int_equal(charged.site, (1u << 27) - 1);
    assert_int_equal(charged.requested, 0);
    for (size_t size = 1; size < 300; size++) {
        assert_true(tally_heap_resize(&heap, block, size));
        assert_true(tally_heap_block_read(&heap, block, &charged));
        assert_int_equal(charged.site, (1u << 27) - 1);
        assert_int_equal(charged.requested, size);
    }
    assert_true(tally_heap_block_free(&heap, block, &charged));
    assert_int_equal(charged.site, (1u << 27) - 1);
    assert_int_equal(charged.requested, 299);
    assert_false(tally_heap_block_free(&heap, block, &charged));
    assert_int_equal(charged.site, 0);
    assert_false(tally_heap_block_read(&heap, block, &charged));
    assert_int_equal(charged.site, 0);
    assert_int_equal(charged.requested, 0);
}

static void check_refused(void *mem, enum tally_heap_fault fault)
{
    struct sys_memory_stats before = stats_of(&heap);
    unsigned told = faults_told;
    struct sys_memory_stats after;

    sys_heap_free(&heap, mem);
    assert_int_equal(faults_told, told + 1);
    assert_int_equal(last_fault, fault);
    assert_ptr_equal(last_mem, mem);
    assert_null(sys_heap_realloc(&heap, mem, 8));
    assert_int_equal(sys_heap_usable_size(&heap, mem), 0);
    assert_false(tally_heap_resize(&heap, mem, 8));
    after = stats_of(&heap);
    assert_memory_equal(&after, &before, sizeof after);
    assert_int_equal(figures_of(&heap).faults, faults_told);
}

static void what_is_not_a_block_is_refused(void **state)
{
    unsigned char *one = sys_heap_alloc(&heap, 64);
    unsigned char *two = sys_heap_alloc(&heap, 64);
    int elsewhere;

    (void)state;
    check_refused(&elsewhere, TALLY_HEAP_FOREIGN);
    check_refused(one + 4, TALLY_HEAP_FOREIGN);
    check_refused(region, TALLY_HEAP_FOREIGN);
    check_refused(region + REGION, TALLY_HEAP_FOREIGN);
    check_refused(region + REGION - 8, TALLY_HEAP_FOREIGN);
    check_refused(two + 4096, TALLY_HEAP_NOT_OUT);
    /* A forged header, equal to that of a block. */
    memcpy(one + 16, two - COST, COST);
    check_refused(one + 16 + COST, TALLY_HEAP_NOT_OUT);
    assert_true(sys_heap_validate(&heap));
}

static void a_second_free_is_refused(void **state)
{
    unsigned char *one = sys_heap_alloc(&heap, 64);
    unsigned char *two = sys_heap_alloc(&heap, 64);
    unsigned char *three = sys_heap_alloc(&heap, 64);

    (void)state;
    sys_heap_free(&heap, two);
    check_refused(two, TALLY_HEAP_NOT_OUT);
    sys_heap_free(&heap, one); /* two is within a larger chunk now */
    check_refused(two, TALLY_HEAP_NOT_OUT);
    check_refused(one, TALLY_HEAP_NOT_OUT);
    sys_heap_free(&heap, three);
    check_refused(three, TALLY_HEAP_NOT_OUT);
    assert_true(sys_heap_validate(&heap));
}

/* Overwrite each byte after a block with each value: the block's memory is
   preserved. */
static void a_block_written_over_its_end_is_not_merged(void **state)
{
    for (unsigned is_free = 0; is_free < 2; is_free++) {
        for (unsigned value = 0; value < 256; value++) {
            unsigned char *one, *two;
            unsigned char old;

            open_heap(state);
            one = sys_heap_alloc(&heap, 64);
            two = sys_heap_alloc(&heap, 64);
            (void)sys_heap_alloc(&heap, 64);
            if (is_free)
                sys_heap_free(&heap, two);
            old = one[64];
            one[64] = (unsigned char)value;
            if (value == old) {
                sys_heap_free(&heap, one);
                assert_int_equal(faults_told, 0);
                continue;
            }
            check_refused(one, TALLY_HEAP_DAMAGED);
            assert_false(sys_heap_validate(&heap));
            one[64] = old;
            assert_true(sys_heap_validate(&heap));
        }
    }
}

static void a_damaged_list_is_given_up(void **state)
{
    unsigned char *one = sys_heap_alloc(&heap, 64);
    unsigned char *two;

    (void)state;
    (void)sys_heap_alloc(&heap, 8);
    sys_heap_free(&heap, one);
    memset(one, 0xff, 64); /* written after it was freed */
    two = sys_heap_alloc(&heap, 64);
    assert_non_null(two);
    assert_ptr_not_equal(two, one);
    assert_int_equal(faults_told, 1);
    assert_int_equal(last_fault, TALLY_HEAP_LOST);
    sys_heap_free(&heap, two);
    assert_int_equal(faults_told, 1);
}

static void all_heaps_are_in_the_list_once(void **state)
{
    static struct sys_heap many[TALLY_HEAP_ARRAY_SIZE + 4];
    static unsigned char small[64];
    struct sys_heap **array = NULL;
    unsigned count = 0;

    (void)state;
    assert_int_equal(sys_heap_array_get(&array), 1);
    assert_ptr_equal(array[0], &heap);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < TALLY_HEAP_ARRAY_SIZE + 4; i++)
            sys_heap_init(&many[i], small, sizeof small);
    }
    assert_int_equal(sys_heap_array_get(&array), TALLY_HEAP_ARRAY_SIZE);
    assert_ptr_equal(array[1], &many[0]);
    for (struct sys_heap *each = tally_heap_next(NULL); each != NULL;
         each = tally_heap_next(each))
        count++;
    assert_int_equal(count, 1 + TALLY_HEAP_ARRAY_SIZE + 4);
    for (unsigned i = 0; i < TALLY_HEAP_ARRAY_SIZE + 4; i++)
        tally_heap_forget(&many[i]);
    assert_int_equal(sys_heap_array_get(&array), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define HEAP_TEST(name) cmocka_unit_test_setup(name, open_heap)
        HEAP_TEST(blocks_go_out_in_order_and_merge_when_back),
        HEAP_TEST(impossible_requests_are_refused),
        HEAP_TEST(the_largest_block_can_be_had_and_no_larger),
        HEAP_TEST(small_regions_hold_a_block_or_nothing),
        HEAP_TEST(alignment_costs_no_more_than_its_gap),
        HEAP_TEST(realloc_stays_where_it_can),
        HEAP_TEST(aligned_realloc_moves_what_is_not_aligned),
        HEAP_TEST(resize_never_moves),
        HEAP_TEST(null_is_minus_einval),
        HEAP_TEST(the_most_is_kept_until_it_is_reset),
        HEAP_TEST(a_block_keeps_who_it_is_charged_to),
        HEAP_TEST(what_is_not_a_block_is_refused),
        HEAP_TEST(a_second_free_is_refused),
        HEAP_TEST(a_block_written_over_its_end_is_not_merged),
        HEAP_TEST(a_damaged_list_is_given_up),
        HEAP_TEST(all_heaps_are_in_the_list_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
