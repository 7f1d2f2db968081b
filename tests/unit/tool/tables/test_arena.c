/* SPDX-License-Identifier: Apache-2.0 */
/* test_arena.c - memory that is given back all at once */
#include "tool/tables/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { COUNT = 10000 };

static void blocks_keep_what_they_have(void **state)
{
    struct arena *arena = arena_create();
    uint32_t *numbers = NULL, *zeros = arena_zeroed(arena, COUNT, 4);
    char *texts[COUNT], text[32];
    size_t count = 0;

    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        ARENA_ADD(arena, numbers, count, i);
        texts[i] = arena_print(arena, "text %u", i);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "text %u", i);
        assert_int_equal(numbers[i], i);
        assert_int_equal(zeros[i], 0);
        assert_string_equal(texts[i], text);
    }
    arena_release(arena, zeros);
    assert_string_equal(arena_text_of(arena, "text", 2), "te");
    arena_destroy(arena);
}

static void copies_are_aligned(void **state)
{
    struct arena *arena = arena_create();
    const long double number = 1.5L;
    const long double *copy;

    (void)state;
    arena_text(arena, "odd");
    copy = arena_copy(arena, &number, sizeof number);
    assert_int_equal((uintptr_t)copy % _Alignof(long double), 0);
    assert_true(*copy == number);
    arena_destroy(arena);
}

static void tables_lie_in_their_arena(void **state)
{
    struct arena *arena = arena_create();
    struct text_pool pool = { .table.arena = arena };
    char text[32];

    (void)state;
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(text, sizeof text, "text %u", i);
        assert_int_equal(text_pool_add(&pool, text), i);
    }
    index_table_free(&pool.table);
    assert_ptr_equal(pool.table.arena, arena);
    arena_destroy(arena); /* of the leak checker's build: nothing is left */
}

static void add_one(void *number)
{
    *(int *)number = *(int *)number * 10 + 1;
}

static void add_two(void *number)
{
    *(int *)number = *(int *)number * 10 + 2;
}

static void ends_come_last_first(void **state)
{
    struct arena *arena = arena_create();
    int number = 0;

    (void)state;
    arena_at_end(arena, add_one, &number);
    arena_at_end(arena, add_two, &number);
    assert_int_equal(number, 0);
    arena_destroy(arena);
    assert_int_equal(number, 21);
}

static void no_arena_is_the_heap(void **state)
{
    int *numbers = NULL;
    size_t count = 0;

    (void)state;
    ARENA_ADD(NULL, numbers, count, 7);
    assert_int_equal(numbers[0], 7);
    free(numbers);
    free(arena_text(NULL, "text"));
    arena_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_keep_what_they_have),
        cmocka_unit_test(copies_are_aligned),
        cmocka_unit_test(tables_lie_in_their_arena),
        cmocka_unit_test(ends_come_last_first),
        cmocka_unit_test(no_arena_is_the_heap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
