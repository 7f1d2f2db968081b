/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bootstrap_arena.c - blocks from the arena, until it is used up
 *
 * There is one arena and nothing is ever given back to it, so the tests share
 * it in the order of main(), and the last ones use it up.
 */
#include "recorder/bootstrap_arena.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, THREAD_BLOCKS = 100, MOST_BLOCKS = 5000 };

struct block {
    unsigned char *bytes;
    size_t size;
};

static bool is_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

static struct block take(size_t alignment, size_t size)
{
    struct block block = { bootstrap_alloc(alignment, size), size };

    assert_non_null(block.bytes);
    assert_true(bootstrap_owns(block.bytes));
    assert_int_equal(bootstrap_size(block.bytes), size);
    assert_true(is_zero(block.bytes, size));
    memset(block.bytes, 0xff, size);
    return block;
}

static void blocks_are_zeroed_apart_and_remember_their_size(void **state)
{
    static const size_t sizes[] = { 0, 1, 15, 16, 17, 0, 500, 24 };
    enum { COUNT = sizeof sizes / sizeof sizes[0] };
    struct block blocks[COUNT];

    (void)state;
    for (unsigned i = 0; i < COUNT; i++) {
        blocks[i] = take(1, sizes[i]);
        for (unsigned j = 0; j < i; j++)
            assert_true(blocks[i].bytes >= blocks[j].bytes + sizes[j] &&
                        blocks[i].bytes != blocks[j].bytes);
    }
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(bootstrap_size(blocks[i].bytes), sizes[i]);
}

static void blocks_are_aligned_as_asked_and_to_16(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        struct block block = take(alignment, 3);
        size_t expected = alignment < 16 ? 16 : alignment;

        assert_int_equal((uintptr_t)block.bytes % expected, 0);
    }
}

static void what_cannot_be_is_refused_and_takes_nothing(void **state)
{
    unsigned char *before = take(16, 16).bytes;

    (void)state;
    assert_null(bootstrap_alloc(16, BOOTSTRAP_ARENA_SIZE));
    assert_null(bootstrap_alloc(16, SIZE_MAX));
    assert_null(bootstrap_alloc(16, SIZE_MAX - 4096));
    assert_null(bootstrap_alloc(8192, 1));
    assert_null(bootstrap_alloc((SIZE_MAX >> 1) + 1, 1));
    assert_ptr_equal(take(16, 16).bytes, before + 32);
}

static void only_the_arena_is_owned(void **state)
{
    int elsewhere = 0;

    (void)state;
    assert_true(bootstrap_owns(bootstrap_arena));
    assert_true(bootstrap_owns(bootstrap_arena + BOOTSTRAP_ARENA_SIZE - 1));
    assert_false(bootstrap_owns(bootstrap_arena + BOOTSTRAP_ARENA_SIZE));
    assert_false(
        bootstrap_owns((const void *)((uintptr_t)bootstrap_arena - 1)));
    assert_false(bootstrap_owns(&elsewhere));
    assert_false(bootstrap_owns(NULL));
    assert_false(bootstrap_owns((const void *)UINTPTR_MAX));
}

struct taker {
    pthread_t thread;
    unsigned char *blocks[THREAD_BLOCKS];
    unsigned wrong;
};

/* Each block is filled at once: one handed out twice would not be zero. */
static void *take_many(void *argument)
{
    struct taker *self = argument;

    for (unsigned i = 0; i < THREAD_BLOCKS; i++) {
        unsigned char *block = bootstrap_alloc(16, 1 + i % 40);

        self->wrong += block == NULL || !is_zero(block, 1 + i % 40);
        if (block != NULL)
            memset(block, 0xff, 1 + i % 40);
        self->blocks[i] = block;
    }
    return NULL;
}

static void threads_get_blocks_of_their_own(void **state)
{
    static struct taker takers[THREADS];

    (void)state;
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(
            pthread_create(&takers[i].thread, NULL, take_many, &takers[i]), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(takers[i].thread, NULL);
        assert_int_equal(takers[i].wrong, 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        for (unsigned j = 0; j < THREAD_BLOCKS; j++)
            assert_int_equal(bootstrap_size(takers[i].blocks[j]), 1 + j % 40);
}

/* Up to its last byte, and never a block that it does not own. */
static void the_arena_is_used_up_to_its_end(void **state)
{
    unsigned char *last = bootstrap_arena;
    unsigned char *block;
    unsigned count = 0;

    (void)state;
    while ((block = bootstrap_alloc(16, 8)) != NULL) {
        assert_true(bootstrap_owns(block));
        assert_true(bootstrap_owns(block + 7));
        assert_true(block > last);
        last = block;
        assert_true(++count < MOST_BLOCKS);
    }
    assert_true(last >= bootstrap_arena + BOOTSTRAP_ARENA_SIZE - 32);
    while ((block = bootstrap_alloc(1, 0)) != NULL) {
        assert_true(bootstrap_owns(block));
        assert_true(++count < MOST_BLOCKS);
    }
    assert_null(bootstrap_alloc(1, 0));
    assert_int_equal(bootstrap_size(last), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_apart_and_remember_their_size),
        cmocka_unit_test(blocks_are_aligned_as_asked_and_to_16),
        cmocka_unit_test(what_cannot_be_is_refused_and_takes_nothing),
        cmocka_unit_test(only_the_arena_is_owned),
        cmocka_unit_test(threads_get_blocks_of_their_own),
        cmocka_unit_test(the_arena_is_used_up_to_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
