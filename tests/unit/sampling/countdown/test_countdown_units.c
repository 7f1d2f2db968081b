/* SPDX-License-Identifier: Apache-2.0 */
/* test_countdown_units.c - units for clients: words, bytes, or both */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sampling/countdown/countdown.h"
#include "tests/fakes/run_alone.h"
#include "tests/unit/sampling/countdown/idle_client.h"

static const struct countdown_client words_client = {
    .counts = COUNTDOWN_WORDS,
    IDLE_CLIENT,
};

static const struct countdown_client bytes_client = {
    .counts = COUNTDOWN_ALLOCATED,
    IDLE_CLIENT,
};

static void turn(enum countdown_client_number number,
                 const struct countdown_client *client)
{
    countdown_lock();
    countdown_set_client(number, client);
    countdown_unlock();
}

static struct counted_thread *begin(enum countdown_client_number number,
                                    const struct countdown_client *client,
                                    uint64_t wanted)
{
    idle_distance = wanted;
    turn(number, client);
    return countdown_thread();
}

static void test_words_alone_keep_no_bytes(void **state)
{
    struct counted_thread *thread;

    (void)state;
    thread = begin(COUNTDOWN_MEMPROF, &words_client, 800);
    for (size_t size = 0; size < 26; size++)
        assert_true(countdown_pass_by_words(thread, size));
    assert_int_equal(countdown_position(thread), 8 * (1 + 8 * (2 + 3 + 4) + 5));
    assert_int_equal(countdown_allocated(thread), 0);
    assert_false(countdown_pass_by_words(thread, 800));
    assert_false(countdown_pass_by_words(thread, SIZE_MAX / 2));
    assert_false(countdown_pass_by_words(thread, SIZE_MAX / 2 + 9000));
    assert_false(countdown_pass_by_words(thread, SIZE_MAX - 15));
    assert_int_equal(countdown_position(thread), 8 * (1 + 8 * (2 + 3 + 4) + 5));
}

static void test_bytes_alone_are_derived(void **state)
{
    const struct counted_block aside = { .size = 5, .is_suballocated = true };
    struct counted_thread *thread;

    (void)state;
    thread = begin(COUNTDOWN_SAMPLES, &bytes_client, 1000);
    assert_true(countdown_pass_by_bytes(thread, 1));
    assert_true(countdown_pass_by_bytes(thread, 700));
    assert_int_equal(countdown_allocated(thread), 701);
    assert_true(countdown_pass(thread, 2));
    assert_int_equal(countdown_allocated(thread), 703);
    countdown_unbill(thread, 2);
    assert_int_equal(countdown_allocated(thread), 701);
    assert_true(countdown_count(thread, &aside));
    assert_int_equal(countdown_allocated(thread), 701);
    assert_false(countdown_pass_by_bytes(thread, SIZE_MAX / 2));
    assert_false(countdown_pass_by_bytes(thread, SIZE_MAX));
    assert_int_equal(countdown_allocated(thread), 701);
    turn(COUNTDOWN_MEMPROF, &words_client);
    assert_ptr_equal(countdown_thread(), thread);
    assert_true(countdown_pass(thread, 4)); /* counted from now on */
    assert_int_equal(countdown_allocated(thread), 705);
}

static void test_generations_tell_units(void **state)
{
    const uint32_t *generation = &countdown_carrier.words->generation;

    (void)state;
    turn(COUNTDOWN_SAMPLES, &bytes_client);
    assert_int_equal(*generation & COUNTDOWN_UNITS, COUNTDOWN_BYTES);
    assert_int_not_equal(*generation, 0);
    turn(COUNTDOWN_MEMPROF, &words_client);
    assert_int_equal(*generation & COUNTDOWN_UNITS, COUNTDOWN_BOTH);
    turn(COUNTDOWN_SAMPLES, NULL);
    assert_int_equal(*generation & COUNTDOWN_UNITS, COUNTDOWN_WORDS);
    turn(COUNTDOWN_MEMPROF, NULL);
    assert_int_equal(*generation, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_alone_keep_no_bytes),
        cmocka_unit_test(test_bytes_alone_are_derived),
        cmocka_unit_test(test_generations_tell_units),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
