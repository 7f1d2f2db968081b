/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reference.c - both forms of a reference, and invariants I1 to I4
 *
 * The words lie between guards whose value no reference has, so that a write
 * outside of the block's own words is detected.
 */
#include "format/ledger/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#define GIB (UINT64_C(1) << 30)

enum { GUARDS = 4, AREA = GUARDS + REFERENCE_WORDS + GUARDS };

#define GUARD_32 UINT32_C(0x55aa1234)
#define GUARD_16 UINT16_C(0x5aa5)

struct full_words {
    uint32_t area[AREA];
};

struct compressed_words {
    uint16_t area[AREA];
};

static const uint32_t full_ids[] = { 1, 2, 0xffff, 0x10000, REFERENCE_ID_MASK };
static const uint32_t compressed_ids[] = { 1, 2, 0x8000,
                                           REFERENCE_COMPRESSED_LIMIT };

enum {
    FULL_IDS = sizeof full_ids / sizeof full_ids[0],
    COMPRESSED_IDS = sizeof compressed_ids / sizeof compressed_ids[0],
};

/* Return the words that a block of this size may write
   (format/ledger/reference.h). */
static unsigned full_words_used(size_t size)
{
    return size <= 13 ? 1 : size < 2 * GIB ? 2 : 3;
}

static unsigned compressed_words_used(size_t size)
{
    return size < 0x7fff ? 2 : 6;
}

static void check_full(uint32_t id, size_t size)
{
    struct full_words words;
    struct reference reference;
    unsigned used = full_words_used(size);

    for (unsigned i = 0; i < AREA; i++)
        words.area[i] = GUARD_32;
    reference_put(words.area + GUARDS, id, size);
    reference = reference_get(words.area + GUARDS);
    assert_int_equal(reference.id, id);
    assert_int_equal(reference.size, size);

    for (unsigned i = 0; i < AREA; i++) {
        if (i < GUARDS || i >= GUARDS + used)
            assert_int_equal(words.area[i], GUARD_32);
        else
            assert_int_equal(reference_is_there(words.area[i]), i == GUARDS);
    }
}

static void check_compressed(uint32_t id, size_t size)
{
    struct compressed_words words;
    struct reference reference;
    unsigned used = compressed_words_used(size);

    for (unsigned i = 0; i < AREA; i++)
        words.area[i] = GUARD_16;
    reference_put_compressed(words.area + GUARDS, id, size);
    reference = reference_get_compressed(words.area + GUARDS);
    assert_int_equal(reference.id, id);
    assert_int_equal(reference.size, size);

    for (unsigned i = 0; i < AREA; i++) {
        if (i < GUARDS || i >= GUARDS + used)
            assert_int_equal(words.area[i], GUARD_16);
        else if (i > GUARDS) /* I4 */
            assert_true(words.area[i] >= 0x8000);
    }
}

static void check_size(size_t size)
{
    for (unsigned i = 0; i < FULL_IDS; i++)
        check_full(full_ids[i], size);
    for (unsigned i = 0; i < COMPRESSED_IDS; i++)
        check_compressed(compressed_ids[i], size);
}

static void every_small_size_comes_back(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 70000; size++)
        check_size(size);
}

static void sizes_around_31_bits_come_back(void **state)
{
    (void)state;
    for (size_t size = 2 * GIB - 2; size <= 2 * GIB + 2; size++)
        check_size(size);
    for (size_t size = 4 * GIB - 2; size <= 4 * GIB + 2; size++)
        check_size(size);
}

static void huge_sizes_come_back(void **state)
{
    (void)state;
    check_size(1024 * GIB);
    check_size(1024 * GIB - 1);
    check_full(REFERENCE_ID_MASK, ((size_t)1 << 62) - 1);
    check_compressed(REFERENCE_COMPRESSED_LIMIT, ((size_t)1 << 60) - 1);
}

/* I1: sizes that look like references are not references. */
static void a_size_is_never_taken_for_a_reference(void **state)
{
    static const size_t sizes[] = { REFERENCE_SIZE_LIMIT, 2 * GIB,
                                    (size_t)UINT32_MAX, ((size_t)1 << 62) - 1 };

    (void)state;
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint32_t words[REFERENCE_WORDS] = { 0 };

        reference_put(words, 7, sizes[i]);
        assert_true(reference_is_there(words[0]));
        for (unsigned word = 1; word < REFERENCE_WORDS; word++) {
            assert_false(reference_is_there(words[word]));
            assert_int_equal(reference_get(words + word).id, 0);
            assert_int_equal(reference_get(words + word).size, 0);
        }
    }
}

static void zero_words_are_nobodys(void **state)
{
    const uint32_t full[REFERENCE_WORDS] = { 0, 24 };
    const uint16_t compressed[REFERENCE_WORDS] = { 0, 24 };

    (void)state;
    assert_int_equal(reference_get(full).id, 0);
    assert_int_equal(reference_get(full).size, 0);
    assert_int_equal(reference_get_compressed(compressed).id, 0);
    assert_int_equal(reference_get_compressed(compressed).size, 0);
}

/* I3: another block writes to the place of an empty block's size. */
static void a_reference_is_never_taken_for_a_size(void **state)
{
    uint32_t words[REFERENCE_WORDS] = { REFERENCE_BIT | 7, 0 };

    (void)state;
    reference_put(words + 1, 8, 100);
    assert_int_equal(reference_get(words).id, 7);
    assert_int_equal(reference_get(words).size, 0);
}

static void a_reused_block_keeps_nothing_of_the_old_one(void **state)
{
    uint32_t words[REFERENCE_WORDS] = { 0 };

    (void)state;
    reference_put(words, 7, 5 * GIB);
    reference_put(words, 8, 13);
    assert_int_equal(reference_get(words).id, 8);
    assert_int_equal(reference_get(words).size, 13);
    reference_put(words, 9, 14);
    assert_int_equal(reference_get(words).id, 9);
    assert_int_equal(reference_get(words).size, 14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_size_comes_back),
        cmocka_unit_test(sizes_around_31_bits_come_back),
        cmocka_unit_test(huge_sizes_come_back),
        cmocka_unit_test(a_size_is_never_taken_for_a_reference),
        cmocka_unit_test(zero_words_are_nobodys),
        cmocka_unit_test(a_reference_is_never_taken_for_a_size),
        cmocka_unit_test(a_reused_block_keeps_nothing_of_the_old_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
