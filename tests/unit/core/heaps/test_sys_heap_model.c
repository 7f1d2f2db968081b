/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sys_heap_model.c - random operations compared with a model, and damage
 *
 * The model is a list of blocks, each filled with its own pattern. The heap is
 * validated after each operation, so that overlapping blocks, lost contents and
 * wrong counts show at once.
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
    REGION = 16384,
    SLOTS = 200,
    OPERATIONS = 100000,
    DAMAGED = 2048, /* overwritten bytes of a region */
    DAMAGE_ROUNDS = 3000,
};

static _Alignas(8) unsigned char region[REGION];
static struct sys_heap heap;
static unsigned faults_told;

static void on_fault(struct sys_heap *of, const void *mem,
                     enum tally_heap_fault fault)
{
    (void)mem;
    (void)fault;
    assert_ptr_equal(of, &heap);
    faults_told++;
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

struct block {
    unsigned char *bytes; /* NULL: none */
    size_t size;
    unsigned char pattern;
};

static struct block blocks[SLOTS];

static void check_pattern(const struct block *block, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (block->bytes[i] != block->pattern)
            fail_msg("byte %zu of a block of %zu changed", i, size);
    }
}

static void fill(struct block *block, unsigned char *bytes, size_t size)
{
    block->bytes = bytes;
    block->size = size;
    memset(bytes, block->pattern, size);
}

static void allocate(struct random_sequence *random, struct block *block)
{
    size_t size =
        1 + random_below(random, random_below(random, 16) ? 120 : 900);
    size_t align =
        random_below(random, 4) ? 0 : (size_t)1 << random_below(random, 9);
    unsigned char *bytes = sys_heap_aligned_alloc(&heap, align, size);

    block->pattern = (unsigned char)random_next(random);
    if (bytes == NULL)
        return;
    assert_int_equal((uintptr_t)bytes % 8, 0);
    if (align != 0)
        assert_int_equal((uintptr_t)bytes % align, 0);
    assert_true(sys_heap_usable_size(&heap, bytes) >= size);
    assert_true(sys_heap_usable_size(&heap, bytes) < size + 8);
    fill(block, bytes, size);
}

static void reallocate(struct random_sequence *random, struct block *block)
{
    size_t size = 1 + random_below(random, 300);
    unsigned char *bytes = sys_heap_realloc(&heap, block->bytes, size);

    if (bytes == NULL) {
        check_pattern(block, block->size);
        return;
    }
    block->bytes = bytes;
    check_pattern(block, size < block->size ? size : block->size);
    fill(block, bytes, size);
}

static void random_operations_agree_with_the_model(void **state)
{
    struct random_sequence random = { 4711 };
    size_t whole = stats_of(&heap).free_bytes;
    uint32_t out = 0;

    (void)state;
    memset(blocks, 0, sizeof blocks);
    for (unsigned i = 0; i < OPERATIONS; i++) {
        struct block *block = &blocks[random_below(&random, SLOTS)];
        struct sys_memory_stats stats;

        if (block->bytes == NULL) {
            allocate(&random, block);
            out += block->bytes != NULL;
        } else if (random_below(&random, 3) == 0) {
            reallocate(&random, block);
        } else {
            check_pattern(block, block->size);
            sys_heap_free(&heap, block->bytes);
            block->bytes = NULL;
            out--;
        }
        if (!sys_heap_validate(&heap))
            fail_msg("not valid after operation %u", i);
        stats = stats_of(&heap);
        assert_int_equal(stats.free_bytes + stats.allocated_bytes, whole);
        assert_int_equal(figures_of(&heap).blocks, out);
    }
    for (unsigned i = 0; i < SLOTS; i++)
        sys_heap_free(&heap, blocks[i].bytes);
    assert_int_equal(stats_of(&heap).free_bytes, whole);
    assert_int_equal(figures_of(&heap).free_chunks, 1);
    assert_int_equal(faults_told, 0);
    assert_true(figures_of(&heap).refused > 100); /* it was full at times */
}

/*
 * Compact heaps hold as many blocks as Zephyr's up to 1 KiB; in larger ones the
 * map takes some: of 4,096 bytes Zephyr's hold 252, of 16,384 1,019.
 */
static void small_blocks_waste_little(void **state)
{
    static const unsigned sizes[] = { 256, 512, 1024, 2048, 4096, 16384 };
    static const unsigned expected[] = { 14, 29, 60, 123, 249, 1004 };
    static const unsigned expected_of_64_bits[] = { 7, 17, 37, 79, 162, 665 };

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        unsigned char *one, *first = NULL;
        unsigned count = 0;

        sys_heap_init(&heap, region, sizes[i]);
        while ((one = sys_heap_alloc(&heap, 12)) != NULL) {
            memset(one, 0xff, 12);
            first = count++ == 0 ? one : first;
            assert_int_equal((uintptr_t)one % 8, 0);
        }
        assert_int_equal(count,
                         IS_COMPACT ? expected[i] : expected_of_64_bits[i]);
        assert_true(sys_heap_validate(&heap));
        sys_heap_free(&heap, first);
        sys_heap_free(&heap, first);
        assert_int_equal(faults_told, i + 1);
    }
}

/* A compact header has room for 4,095 sites; charges to other sites end at
   once. */
static void a_compact_block_keeps_its_site(void **state)
{
    static const uint32_t limits[] = { 1u << 27, 1u << 12 };
    struct tally_heap_block charged;
    void *block = sys_heap_alloc(&heap, 20);
    uint32_t limit = limits[IS_COMPACT];

    (void)state;
    tally_heap_block_charge(&heap, block, limit - 1, 20);
    assert_true(tally_heap_block_read(&heap, block, &charged));
    assert_int_equal(charged.site, limit - 1);
    assert_int_equal(charged.requested, 20);
    tally_heap_block_charge(&heap, block, limit, 19);
    assert_true(tally_heap_block_free(&heap, block, &charged));
    assert_int_equal(charged.site, 0);
    assert_int_equal(charged.requested, 19);
}

/* Damage the region: overwrite one byte, or copy a piece over another. */
static void damage(struct random_sequence *random, unsigned char *bytes)
{
    if (random_below(random, 4) == 0)
        bytes[random_below(random, DAMAGED)] =
            (unsigned char)random_next(random);
    if (random_below(random, 16) == 0)
        memmove(bytes + random_below(random, DAMAGED - 8),
                bytes + random_below(random, DAMAGED - 8), 8);
}

static void use(struct random_sequence *random, unsigned char **slot)
{
    if (random_below(random, 3) == 0) {
        (void)sys_heap_realloc(&heap, *slot, random_below(random, 200));
        *slot = NULL;
    } else if (*slot == NULL) {
        *slot =
            sys_heap_aligned_alloc(&heap, (size_t)1 << random_below(random, 7),
                                   random_below(random, 100));
    } else {
        sys_heap_free(&heap, *slot);
        *slot = NULL;
    }
}

/*
 * Any damage within the region: calls still return, and touch nothing outside
 * (checked by sanitizers and guards on both sides).
 */
static void damage_of_any_kind_does_no_harm_elsewhere(void **state)
{
    static unsigned char guarded[64 + DAMAGED + 64];
    struct random_sequence random = { 12345 };
    unsigned char *out[32];

    (void)state;
    for (unsigned round = 0; round < DAMAGE_ROUNDS; round++) {
        memset(guarded, 0x77, sizeof guarded);
        sys_heap_init(&heap, guarded + 64, DAMAGED);
        memset(out, 0, sizeof out);
        for (unsigned i = 0; i < 120; i++) {
            if (i >= 60)
                damage(&random, guarded + 64);
            use(&random, &out[random_below(&random, 32)]);
        }
        (void)sys_heap_validate(&heap);
        (void)figures_of(&heap);
        for (unsigned i = 0; i < 64; i++) {
            assert_int_equal(guarded[i], 0x77);
            assert_int_equal(guarded[64 + DAMAGED + i], 0x77);
        }
    }
    assert_true(faults_told > DAMAGE_ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(random_operations_agree_with_the_model,
                               open_heap),
        cmocka_unit_test_setup(small_blocks_waste_little, open_heap),
        cmocka_unit_test_setup(a_compact_block_keeps_its_site, open_heap),
        cmocka_unit_test_setup(damage_of_any_kind_does_no_harm_elsewhere,
                               open_heap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
