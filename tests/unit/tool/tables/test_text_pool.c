/* SPDX-License-Identifier: Apache-2.0 */
/* test_text_pool.c - each text has one number, for any number of texts */
#include "tool/tables/tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXTS = 5000 };

static void a_text_has_one_number(void **state)
{
    struct text_pool pool = { 0 };

    (void)state;
    assert_int_equal(text_pool_add(&pool, ""), 0);
    assert_int_equal(text_pool_add(&pool, "a"), 1);
    assert_int_equal(text_pool_add(&pool, ""), 0);
    assert_int_equal(pool.count, 2);
    assert_string_equal(pool.texts[1], "a");
    text_pool_free(&pool);
}

/* The table grows meanwhile; texts keep their addresses. */
static void many_texts_are_found_again(void **state)
{
    struct text_pool pool = { 0 };
    const char *first;
    char text[16];

    (void)state;
    for (unsigned i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "text %u", i);
        assert_int_equal(text_pool_add(&pool, text), i);
    }
    first = pool.texts[0];
    for (unsigned i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof text, "text %u", i);
        assert_int_equal(text_pool_add(&pool, text), i);
        assert_string_equal(pool.texts[i], text);
    }
    assert_ptr_equal(first, pool.texts[0]);
    assert_int_equal(pool.count, TEXTS);
    text_pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_has_one_number),
        cmocka_unit_test(many_texts_are_found_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
