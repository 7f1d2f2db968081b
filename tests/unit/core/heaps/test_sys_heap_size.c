/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sys_heap_size.c - usable sizes of blocks, as Zephyr has them
 *
 * A chunk is the smallest multiple of 8 bytes that holds the header and the
 * requested size. A block ends with its chunk, whatever was free behind it.
 */
#include "tally/sys_heap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tally/config.h"
#include "tests/fakes/random_sequence.h"

enum {
    IS_COMPACT = sizeof(void *) == 4 && !TALLY_CONFIG(CONFIG_SYS_HEAP_BIG),
    HEADER = IS_COMPACT ? 4 : 8, /* bytes */
    REGION = 16384,
    SLOTS = 256,
};

static _Alignas(8) unsigned char region[REGION];
static struct sys_heap heap;

static int open_heap(void **state)
{
    (void)state;
    sys_heap_init(&heap, region, sizeof region);
    return 0;
}

/* Return the bytes of the chunk of a block of `size`. */
static size_t chunk_of(size_t size)
{
    size_t bytes = (size + HEADER + 7) & ~(size_t)7;

    return bytes < 16 && !IS_COMPACT ? 16 : bytes;
}

static size_t allocated(void)
{
    struct sys_memory_stats stats;

    assert_int_equal(sys_heap_runtime_stats_get(&heap, &stats), 0);
    return stats.allocated_bytes;
}

static size_t usable(void *block)
{
    return sys_heap_usable_size(&heap, block);
}

static uint32_t free_chunks(void)
{
    struct tally_heap_figures figures;

    assert_int_equal(tally_heap_figures_get(&heap, &figures), 0);
    return figures.free_chunks;
}

/* Allocate and free at random while blocks of `percent` of the heap are live;
   check each size, and that nothing else counts as allocated. */
static void stress(size_t bytes, unsigned percent, unsigned largest)
{
    static struct {
        void *block;
        size_t size;
    } slots[SLOTS];
    struct random_sequence random = { bytes + percent };
    size_t live = 0;
    unsigned refused = 0;

    sys_heap_init(&heap, region, bytes);
    memset(slots, 0, sizeof slots);
    for (unsigned i = 0; i < 4096; i++) {
        unsigned slot = random_below(&random, SLOTS);

        if (slots[slot].block != NULL) {
            sys_heap_free(&heap, slots[slot].block);
            slots[slot].block = NULL;
            live -= chunk_of(slots[slot].size);
        } else if (live * 100 <= bytes * percent) {
            slots[slot].size = 1 + random_below(&random, largest);
            slots[slot].block = sys_heap_alloc(&heap, slots[slot].size);
            if (slots[slot].block == NULL) {
                refused++;
                continue;
            }
            live += chunk_of(slots[slot].size);
            assert_int_equal(usable(slots[slot].block),
                             chunk_of(slots[slot].size) - HEADER);
        }
        assert_int_equal(allocated(), live);
        assert_true(sys_heap_validate(&heap));
    }
    assert_int_equal(refused > 0, percent == 100);
}

static void blocks_end_with_their_chunk_in_a_small_heap(void **state)
{
    (void)state;
    stress(2048, 50, 100);
}

static void blocks_end_with_their_chunk_in_a_fragmented_heap(void **state)
{
    (void)state;
    stress(2048, 100, 100);
}

static void blocks_end_with_their_chunk_in_a_larger_heap(void **state)
{
    (void)state;
    stress(REGION, 100, 400);
}

/* A heap with 8 bytes left is sound, and refuses a block of 9 in them. */
static void eight_bytes_may_be_left(void **state)
{
    size_t whole;
    void *block;

    (void)state;
    for (size_t bytes = TALLY_HEAP_SMALLEST_BYTES; bytes <= 128; bytes += 8) {
        struct sys_memory_stats stats;

        sys_heap_init(&heap, region, bytes);
        assert_int_equal(sys_heap_runtime_stats_get(&heap, &stats), 0);
        whole = stats.free_bytes;
        if (whole < chunk_of(1) + 8)
            continue;
        block = sys_heap_alloc(&heap, whole - 8 - HEADER);
        assert_int_equal(usable(block), whole - 8 - HEADER);
        assert_int_equal(allocated(), whole - 8);
        assert_true(sys_heap_validate(&heap));
        assert_null(sys_heap_alloc(&heap, 9));
        sys_heap_free(&heap, block);
        block = sys_heap_alloc(&heap, whole - HEADER);
        assert_int_equal(usable(block), whole - HEADER);
    }
}

/* Each hole is filled with each smaller block: the rest of the hole is free,
   and the block can grow by it and by no more. */
static void the_rest_of_a_hole_stays_free(void **state)
{
    for (size_t hole = 16; hole <= 120; hole += 8) {
        for (size_t size = 1; size <= hole; size++) {
            unsigned char *block, *first, *wall;

            open_heap(state);
            first = sys_heap_alloc(&heap, hole);
            wall = sys_heap_alloc(&heap, 8);
            sys_heap_free(&heap, first);
            block = sys_heap_aligned_alloc(&heap, 8, size);
            assert_ptr_equal(block, first);
            assert_int_equal(usable(block), chunk_of(size) - HEADER);
            assert_true(sys_heap_validate(&heap));
            assert_ptr_equal(sys_heap_realloc(&heap, block, hole), block);
            assert_int_equal(usable(block), chunk_of(hole) - HEADER);
            assert_false(
                tally_heap_resize(&heap, block, chunk_of(hole) - HEADER + 1));
            assert_ptr_equal(sys_heap_realloc(&heap, block, size), block);
            assert_int_equal(usable(block), chunk_of(size) - HEADER);
            assert_int_equal(allocated(), chunk_of(size) + chunk_of(8));
            sys_heap_free(&heap, wall);
            sys_heap_free(&heap, block);
            assert_int_equal(free_chunks(), 1);
            assert_int_equal(allocated(), 0);
        }
    }
}

/* With a used block behind it, a block moves exactly if its chunk is too
   small. */
static void a_block_moves_only_if_its_chunk_is_too_small(void **state)
{
    for (size_t before = 1; before <= 64; before++) {
        for (size_t after = 1; after <= 80; after++) {
            unsigned char *block, *moved;
            size_t kept = before < after ? before : after;

            open_heap(state);
            block = sys_heap_alloc(&heap, before);
            (void)sys_heap_alloc(&heap, 8);
            memset(block, 0x3c, before);
            moved = sys_heap_aligned_realloc(&heap, block, 8, after);
            assert_int_equal(moved == block,
                             chunk_of(after) <= chunk_of(before));
            assert_int_equal(usable(moved), chunk_of(after) - HEADER);
            for (size_t i = 0; i < kept; i++)
                assert_int_equal(moved[i], 0x3c);
            assert_int_equal(allocated(), chunk_of(after) + chunk_of(8));
            assert_true(sys_heap_validate(&heap));
        }
    }
}

/* An aligned block has the first address that fits, even 8 bytes after a used
   chunk. */
static void aligned_blocks_have_no_more_than_their_chunk(void **state)
{
    for (size_t align = 8; align <= 256; align *= 2) {
        for (size_t before = 1; before <= 64; before += 7) {
            for (size_t size = 1; size <= 64; size++) {
                uintptr_t lowest;
                void *block;

                open_heap(state);
                lowest = (uintptr_t)sys_heap_alloc(&heap, before);
                lowest += chunk_of(before);
                lowest = (lowest + align - 1) & ~(uintptr_t)(align - 1);
                block = sys_heap_aligned_alloc(&heap, align, size);
                assert_int_equal((uintptr_t)block, lowest);
                assert_int_equal(usable(block), chunk_of(size) - HEADER);
                assert_int_equal(allocated(),
                                 chunk_of(before) + chunk_of(size));
                assert_true(sys_heap_validate(&heap));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_end_with_their_chunk_in_a_small_heap),
        cmocka_unit_test(blocks_end_with_their_chunk_in_a_fragmented_heap),
        cmocka_unit_test(blocks_end_with_their_chunk_in_a_larger_heap),
        cmocka_unit_test(eight_bytes_may_be_left),
        cmocka_unit_test(the_rest_of_a_hole_stays_free),
        cmocka_unit_test(a_block_moves_only_if_its_chunk_is_too_small),
        cmocka_unit_test(aligned_blocks_have_no_more_than_their_chunk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
