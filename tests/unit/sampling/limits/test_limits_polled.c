/* SPDX-License-Identifier: Apache-2.0 */
/* test_limits_polled.c - a token that makes malloc fail is polled on the fast
   path */
#include "sampling/limits/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tally/port.h"
#include "tests/fakes/run_alone.h"

static unsigned visits;

static bool allocate_slowly(size_t size)
{
    struct counted_thread *thread = countdown_thread();
    struct counted_block counted = { .block = &visits, .size = size };

    visits++;
    return countdown_allows(thread, size, 0) &&
           countdown_count(thread, &counted);
}

/* Return true if there is a block. */
static bool allocate(size_t size)
{
    struct counted_thread *thread = *tally_port_thread_word();

    if (thread != NULL)
        countdown_arm(thread, countdown_carrier.words->generation);
    return (thread != NULL &&
            countdown_is_in(thread, countdown_carrier.words->generation) &&
            countdown_pass(thread, size)) ||
           allocate_slowly(size);
}

static void allocate_many(void)
{
    visits = 0;
    for (int i = 0; i < 1000; i++)
        assert_true(allocate(10));
}

static void nobody_is_asked_until_it_is_set(void **state)
{
    struct limit_token token = { 0 };
    struct limit_scope scope;
    uint64_t bytes;

    (void)state;
    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    allocate_many();
    assert_int_equal(visits, 0);
    token.set = 1;
    assert_false(allocate(1));
    assert_false(allocate(1));
    assert_int_equal(limits_interrupted(), 1);
    assert_int_equal(limits_end(&scope, &bytes), 1);
    assert_int_equal(bytes, 10000);
    assert_true(allocate(1));
}

static void bytes_hit_meanwhile(void **state)
{
    struct limit_scope of_token, of_bytes;
    struct limit_token token = { 0 };

    (void)state;
    limits_begin_token(&of_token, &token, LIMIT_ENOMEM);
    limits_begin_allocation(&of_bytes, 10011, LIMIT_ENOMEM);
    allocate_many();
    assert_true(visits < 50);
    assert_true(allocate(10));
    assert_false(allocate(1));
    assert_int_equal(limits_end(&of_bytes, NULL), 1);
    allocate_many();
    assert_int_equal(visits, 0);
    assert_int_equal(limits_end(&of_token, NULL), 0);
}

/* Only one of two tokens can be polled on the fast path. */
static void of_two_each_counts(void **state)
{
    for (int which = 0; which < 2; which++) {
        struct limit_token tokens[2] = { { 0 }, { 0 } };
        struct limit_scope outer, inner;

        (void)state;
        limits_begin_token(&outer, &tokens[0], LIMIT_ENOMEM);
        limits_begin_token(&inner, &tokens[1], LIMIT_ENOMEM);
        allocate_many();
        tokens[which].set = 1;
        assert_false(allocate(1));
        assert_int_equal(limits_end(&inner, NULL), which);
        assert_int_equal(limits_end(&outer, NULL), 1 - which);
    }
}

static void a_mask_lasts_to_its_end(void **state)
{
    struct limit_token token = { 0 };
    struct limit_scope scope;

    (void)state;
    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    limits_mask_begin();
    token.set = 1;
    allocate_many();
    limits_mask_end();
    assert_false(allocate(1));
    assert_int_equal(limits_end(&scope, NULL), 1);
}

static void after_its_scope_a_token_is_nothing(void **state)
{
    struct limit_token token = { 0 };
    struct limit_scope scope;

    (void)state;
    limits_begin_token(&scope, &token, LIMIT_ENOMEM);
    allocate_many();
    assert_int_equal(limits_end(&scope, NULL), 0);
    token.set = 1;
    allocate_many();
    assert_int_equal(visits, 0);
}

static bool sees_malloc(void)
{
    return true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_asked_until_it_is_set),
        cmocka_unit_test(bytes_hit_meanwhile),
        cmocka_unit_test(of_two_each_counts),
        cmocka_unit_test(a_mask_lasts_to_its_end),
        cmocka_unit_test(after_its_scope_a_token_is_nothing),
    };

    countdown_carrier.sees_malloc = sees_malloc;
    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
