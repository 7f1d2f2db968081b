/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_shadow.c - references beside blocks, in every form of words
 *
 * Blocks are only addresses here: nothing is ever stored in them. Walks and
 * threads are in test_shadow_walk.c.
 */
#include "ledger/shards/shadow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "ports/posix/memory/pages.h"
#include "tests/fakes/fake_port.h"

#define REGION ((uintptr_t)SHADOW_REGION)

/* A region like those of a heap, and one that asks for the same slot first. */
#define HEAP    (UINT64_C(0x555500000000) / SHADOW_REGION * SHADOW_REGION)
#define FARAWAY (HEAP + REGION * SHADOW_SLOTS)

struct form {
    bool is_compressed;
    bool has_small_blocks;
    size_t granule;
    uint32_t largest_id;
    size_t block; /* the smallest that keeps any size below 32,767 */
};

static const struct form plain = { false, false, 16, REFERENCE_ID_MASK, 32 };
static const struct form compressed = { true, false, 16, 0xffff, 32 };
static const struct form small = { false, true, 8, REFERENCE_ID_MASK, 16 };
static const struct form *const forms[] = { &plain, &compressed, &small };

enum { FORMS = sizeof forms / sizeof forms[0] };

static size_t unlocked_bytes;

void pages_advise(void *pages, size_t size)
{
    (void)pages;
    (void)size;
}

void pages_unlock(void *pages, size_t size)
{
    assert_non_null(pages);
    unlocked_bytes += size;
}

static void open_form(const struct form *form)
{
    fake_port_reset();
    memset(&shadow, 0, sizeof shadow);
    shadow_open(form->is_compressed, form->has_small_blocks);
    shadow.is_wide = 1; /* as for ids of more than 15 bits */
}

static const void *at(uintptr_t address)
{
    return (const void *)address;
}

/* Return the words that the hot path finds, or NULL. */
static uint32_t *words_of(uintptr_t address)
{
    uint32_t *words;

    return shadow_words(at(address), &words) ? words : NULL;
}

static void assert_holds(struct reference reference, uint32_t id, size_t size)
{
    assert_int_equal(reference.id, id);
    assert_int_equal(reference.size, size);
}

/* Put, get and take one block; its neighbours stay empty. */
static void check_block(const struct form *form, uintptr_t address, uint32_t id,
                        size_t size)
{
    const struct reference reference = { id, size };

    assert_holds(shadow_get(at(address)), 0, 0);
    assert_true(shadow_put(at(address), reference));
    assert_holds(shadow_get(at(address)), id, size);
    assert_holds(shadow_get(at(address - form->granule)), 0, 0);
    assert_holds(shadow_take(at(address)), id, size);
    assert_holds(shadow_get(at(address)), 0, 0);
    assert_holds(shadow_take(at(address)), 0, 0);
}

static void blocks_at_region_borders_come_back(void **state)
{
    static const size_t sizes[] = { 0,     13,    14,       4000,
                                    65534, 65535, 1u << 31, (size_t)1 << 40 };

    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        const struct form *form = forms[i];
        const uintptr_t addresses[] = {
            HEAP,                              /* first of a region */
            HEAP + REGION - form->granule,     /* last granule */
            HEAP + REGION - 2 * form->granule, /* last but one */
            HEAP + REGION,                     /* first of the next */
            HEAP + REGION + 12345 * form->granule,
        };

        open_form(form);
        for (unsigned j = 0; j < 5 * sizeof sizes / sizeof sizes[0]; j++) {
            check_block(form, addresses[j % 5], 1, sizes[j / 5]);
            check_block(form, addresses[j % 5], form->largest_id, sizes[j / 5]);
        }
        assert_int_equal(fake_port_requests(), 2);
    }
}

static void neighbours_do_not_disturb_each_other(void **state)
{
    enum { COUNT = 4096 };

    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        const struct form *form = forms[i];
        uintptr_t first = HEAP + REGION - COUNT / 2 * form->block;

        open_form(form);
        for (uint32_t n = 0; n < COUNT; n++)
            assert_true(shadow_put(at(first + n * form->block),
                                   (struct reference){ n + 1, n * 7 }));
        for (uint32_t n = 0; n < COUNT; n += 2)
            assert_holds(shadow_take(at(first + n * form->block)), n + 1,
                         n * 7);
        for (uint32_t n = 0; n < COUNT; n++)
            assert_holds(shadow_get(at(first + n * form->block)),
                         n % 2 == 0 ? 0 : n + 1, n % 2 == 0 ? 0 : n * 7);
    }
}

static void unaligned_and_foreign_addresses_are_nobodys(void **state)
{
    static const uintptr_t foreign[] = {
        0,
        16,
        HEAP + 3 * REGION,
        FARAWAY,
        FARAWAY + HEAP,
        UINT64_C(0x8000000000000000),
        UINT64_C(0x4200000000000000) | HEAP, /* a tag in the top byte */
        UINTPTR_MAX - 15,
        UINTPTR_MAX,
    };

    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        open_form(forms[i]);
        assert_true(shadow_put(at(HEAP), (struct reference){ 7, 100 }));
        for (uintptr_t off = 1; off < forms[i]->granule; off++) {
            assert_holds(shadow_get(at(HEAP + off)), 0, 0);
            assert_holds(shadow_take(at(HEAP + off)), 0, 0);
            assert_false(
                shadow_put(at(HEAP + off), (struct reference){ 1, 2 }));
        }
        for (unsigned j = 0; j < sizeof foreign / sizeof foreign[0]; j++) {
            assert_holds(shadow_get(at(foreign[j])), 0, 0);
            assert_holds(shadow_take(at(foreign[j])), 0, 0);
        }
        assert_holds(shadow_get(at(HEAP)), 7, 100);
    }
}

/* The fast path finds the same words, or NULL. */
static void the_short_way_finds_the_same_words(void **state)
{
    static const uintptr_t foreign[] = { 0,
                                         16,
                                         REGION,
                                         HEAP - REGION,
                                         HEAP + REGION,
                                         FARAWAY,
                                         UINTPTR_MAX - 15,
                                         UINTPTR_MAX - REGION - 15 };

    (void)state;
    open_form(&plain);
    assert_true(shadow_is_plain());
    assert_null(words_of(HEAP));
    for (uintptr_t offset = 0; offset < REGION; offset += REGION / 64) {
        shadow_put(at(HEAP + offset), (struct reference){ 9, offset + 1 });
        assert_holds(reference_get(words_of(HEAP + offset)), 9, offset + 1);
        reference_put(words_of(HEAP + offset), 3, offset);
        assert_holds(shadow_get(at(HEAP + offset)), 3, offset);
    }
    for (unsigned i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        assert_null(words_of(foreign[i]));
    assert_non_null(words_of(HEAP + 16));
    for (uintptr_t offset = 1; offset < 16; offset++)
        assert_null(words_of(HEAP + offset));

    open_form(&compressed);
    assert_false(shadow_is_plain());
    open_form(&small);
    assert_false(shadow_is_plain());
}

/* Regions 256 GiB apart hash to the same slot; the next free one is used. */
static void regions_that_collide_have_leaves_of_their_own(void **state)
{
    (void)state;
    open_form(&plain);
    for (uint32_t i = 0; i < 20; i++)
        assert_true(shadow_put(at(HEAP + i * (FARAWAY - HEAP)),
                               (struct reference){ i + 1, i }));
    for (uint32_t i = 0; i < 20; i++)
        assert_holds(shadow_get(at(HEAP + i * (FARAWAY - HEAP))), i + 1, i);
    assert_non_null(words_of(HEAP));
    assert_null(words_of(FARAWAY));
}

/* I1: a claim whose creator never returned is completed by the next thread. */
static void a_claim_without_a_leaf_is_completed(void **state)
{
    uintptr_t region = HEAP / REGION;

    (void)state;
    open_form(&plain);
    shadow.claims[region % SHADOW_SLOTS] = (uint32_t)region + 1;
    assert_holds(shadow_get(at(HEAP)), 0, 0);
    assert_true(shadow_put(at(HEAP), (struct reference){ 5, 50 }));
    assert_holds(shadow_get(at(HEAP)), 5, 50);
    assert_holds(reference_get(words_of(HEAP)), 5, 50);
}

static void without_memory_a_block_is_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        open_form(forms[i]);
        fake_port_fail_at(1);
        assert_false(shadow_put(at(HEAP), (struct reference){ 1, 2 }));
        assert_holds(shadow_get(at(HEAP)), 0, 0);
        assert_true(shadow_put(at(HEAP), (struct reference){ 1, 2 }));
        assert_holds(shadow_get(at(HEAP)), 1, 2);
    }
}

static void a_full_table_refuses_and_returns_the_leaf(void **state)
{
    (void)state;
    open_form(&plain);
    for (uint32_t i = 0; i < SHADOW_SLOTS; i++)
        shadow.claims[i] = UINT32_MAX;
    assert_false(shadow_put(at(HEAP), (struct reference){ 1, 2 }));
    assert_holds(shadow_get(at(HEAP)), 0, 0);
    assert_int_equal(fake_port_requests(), 1);
    assert_int_equal(fake_port_pages_out(), 0);
}

static void assert_stale(uintptr_t address, size_t size, uint32_t id,
                         size_t stale_size)
{
    assert_holds(shadow_take_stale(at(address), size), id, stale_size);
}

/* Stale records of unseen frees are found before their words are
   overwritten. */
static void what_is_in_the_way_is_taken_whole(void **state)
{
    const uintptr_t here = HEAP + 4096;

    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        const uintptr_t granule = forms[i]->granule;
        const struct reference reference = { 5, 100 };

        open_form(forms[i]);
        assert_stale(here, 100, 0, 0); /* no leaf */
        for (uintptr_t there = here - granule; there <= here + granule;
             there += granule) {
            shadow_put(at(there), reference);
            assert_stale(here, 100, 5, 100);
            assert_stale(here, 100, 0, 0);
            assert_holds(shadow_get(at(there)), 0, 0);
            assert_holds(shadow_get(at(there + granule)), 0, 0);
        }
        shadow_put(at(here - 2 * granule), reference);
        shadow_put(at(here + 2 * granule), reference);
        assert_stale(here, 100, 0, 0);
        assert_stale(here - granule, 100, 5, 100); /* and the other one */
        assert_stale(here + granule, 100, 5, 100);
        assert_stale(here + 1, 100, 0, 0);
        /* A region's words end with it. */
        shadow_put(at(HEAP + REGION - granule), reference);
        shadow_put(at(HEAP + REGION), reference);
        assert_stale(HEAP + REGION - granule, 100, 5, 100);
        assert_stale(HEAP + REGION - granule, 100, 0, 0);
        assert_stale(HEAP + REGION, 100, 5, 100);
    }
}

static void small_blocks_live_beside_each_other(void **state)
{
    (void)state;
    open_form(&small);
    shadow_put(at(HEAP), (struct reference){ 5, 8 });
    shadow_put(at(HEAP + 16), (struct reference){ 6, 8 });
    assert_stale(HEAP + 8, 8, 0, 0);
    assert_stale(HEAP + 8, 14, 6, 8); /* which needs the next word */
}

/* Sizes that take more than two words, before and after. */
static void large_sizes_reach_further(void **state)
{
    static const struct reference large = { 5, (size_t)3 << 30 };

    (void)state;
    for (unsigned i = 0; i < FORMS; i++) {
        const uintptr_t granule = forms[i]->granule;
        const uintptr_t reach = forms[i]->is_compressed ? 6 : 3;

        open_form(forms[i]);
        shadow_put(at(HEAP), large);
        assert_stale(HEAP + reach * granule, 8, 0, 0);
        assert_stale(HEAP + (reach - 1) * granule, 8, 5, large.size);
        shadow_put(at(HEAP + (reach - 1) * granule), large);
        assert_stale(HEAP, 20, 0, 0);
        assert_stale(HEAP, large.size, 5, large.size);
    }
}

static void a_size_is_no_reference_of_16_bits(void **state)
{
    (void)state;
    for (unsigned is_wide = 0; is_wide <= 1; is_wide++) {
        open_form(&compressed);
        shadow.is_wide = is_wide;
        shadow_put(at(HEAP), (struct reference){ 5, 20 });
        assert_stale(HEAP + 32, 20, 0, 0);
        assert_holds(shadow_get(at(HEAP + 16)), is_wide ? 0x8014 : 0, 0);
        assert_holds(shadow_take(at(HEAP)), 5, 20);
    }
}

static void unlocking_reaches_table_and_leaves(void **state)
{
    (void)state;
    open_form(&plain);
    shadow_put(at(HEAP), (struct reference){ 1, 2 });
    shadow_put(at(FARAWAY), (struct reference){ 1, 2 });
    unlocked_bytes = 0;
    shadow_unlock();
    assert_int_equal(unlocked_bytes,
                     sizeof shadow + 2 * (REGION / 16 + REFERENCE_WORDS) *
                                         sizeof(uint32_t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_at_region_borders_come_back),
        cmocka_unit_test(neighbours_do_not_disturb_each_other),
        cmocka_unit_test(unaligned_and_foreign_addresses_are_nobodys),
        cmocka_unit_test(the_short_way_finds_the_same_words),
        cmocka_unit_test(regions_that_collide_have_leaves_of_their_own),
        cmocka_unit_test(a_claim_without_a_leaf_is_completed),
        cmocka_unit_test(without_memory_a_block_is_refused),
        cmocka_unit_test(a_full_table_refuses_and_returns_the_leaf),
        cmocka_unit_test(what_is_in_the_way_is_taken_whole),
        cmocka_unit_test(small_blocks_live_beside_each_other),
        cmocka_unit_test(large_sizes_reach_further),
        cmocka_unit_test(a_size_is_no_reference_of_16_bits),
        cmocka_unit_test(unlocking_reaches_table_and_leaves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
