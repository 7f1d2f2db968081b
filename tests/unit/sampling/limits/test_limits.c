/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_limits.c - each function of tally/limits.h in every state
 *
 * allocate() is a counting entry point, as in countdown.h. The names of the
 * tests are statements of the header. This file is long because each statement
 * is a test.
 */
#include "sampling/limits/limits.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tally/port.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/run_alone.h"

static _Thread_local unsigned visits;

static bool allocate_slowly(size_t size)
{
    struct counted_thread *thread = countdown_thread();
    struct counted_block counted = { .block = &visits, .size = size };

    visits++;
    return thread == NULL || (countdown_allows(thread, size, 0) &&
                              countdown_count(thread, &counted));
}

/* Return true if there is a block. */
static bool allocate(size_t size)
{
    struct counted_thread *thread = *tally_port_thread_word();
    bool is_made;

    if (thread == NULL || !countdown_is_on() ||
        thread->generation !=
            __atomic_load_n(&countdown_carrier.words->generation,
                            __ATOMIC_RELAXED) ||
        !countdown_pass(thread, size))
        is_made = allocate_slowly(size);
    else
        is_made = true;
    if (is_made && limits_live_is_counted())
        limits_add_live((int64_t)size);
    return is_made;
}

static void no_scope_interrupts_nobody(void **state)
{
    (void)state;
    assert_true(allocate(100));
    assert_int_equal(limits_interrupted(), 0);
    assert_false(countdown_is_on());
    limits_mask_end();
    assert_false(countdown_is_on());
    limits_set_global(-1);
    limits_use_sampling(0.5);
    limits_use_sampling(0);
    assert_false(countdown_is_on());
    assert_false(limits_live_is_counted());
}

static void what_is_wrong_begins_nothing(void **state)
{
    struct limit_token token = { 0 };
    struct limit_scope scope;

    (void)state;
    assert_int_equal(limits_begin_global(NULL, LIMIT_FLAG), -EINVAL);
    assert_int_equal(limits_begin_allocation(NULL, 1, LIMIT_FLAG), -EINVAL);
    assert_int_equal(limits_begin_token(NULL, &token, LIMIT_FLAG), -EINVAL);
    assert_int_equal(limits_begin_token(&scope, NULL, LIMIT_FLAG), -EINVAL);
    assert_int_equal(limits_begin_allocation(&scope, 1, (enum limit_action)2),
                     -EINVAL);
    memset(&scope, 0, sizeof scope);
    assert_int_equal(limits_end(NULL, NULL), -EINVAL);
    assert_int_equal(limits_end(&scope, NULL), -EINVAL);
    assert_false(countdown_is_on());
    fake_port_fail_from(1);
    assert_int_equal(limits_begin_allocation(&scope, 1, LIMIT_FLAG), -ENOMEM);
    fake_port_fail_from(0);
    assert_int_equal(limits_begin_allocation(&scope, 1, LIMIT_FLAG), 0);
    assert_int_equal(limits_end(&scope, NULL), 0);
    assert_int_equal(limits_end(&scope, NULL), -EINVAL);
}

static void a_scope_counts_what_is_allocated_in_it(void **state)
{
    struct limit_scope outer, inner;
    uint64_t bytes;

    (void)state;
    assert_true(allocate(1 << 20));
    assert_int_equal(limits_begin_allocation(&outer, 10000, LIMIT_FLAG), 0);
    for (size_t size = 0; size < 100; size++)
        assert_true(allocate(size));
    assert_int_equal(limits_begin_allocation(&inner, 100, LIMIT_ENOMEM), 0);
    assert_true(allocate(99));
    assert_false(allocate(1));
    assert_false(allocate(0));
    assert_int_equal(limits_interrupted(), 1);
    assert_int_equal(limits_end(&inner, &bytes), 1);
    assert_int_equal(bytes, 99);
    assert_int_equal(limits_interrupted(), 0);
    assert_true(allocate(10000 - 4950 - 99 - 1));
    assert_int_equal(limits_interrupted(), 0);
    assert_true(allocate(1));
    assert_int_equal(limits_interrupted(), 1);
    assert_int_equal(limits_end(&outer, &bytes), 1);
    assert_int_equal(bytes, 10000);
    assert_true(allocate(1 << 20));
}

static void what_was_refused_once_is_refused_always(void **state)
{
    struct limit_scope scope;

    (void)state;
    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    assert_true(allocate(1));
    assert_false(allocate(2000));
    assert_false(allocate(1)); /* there would be room */
    assert_int_equal(limits_end(&scope, NULL), 1);
}

/* Tally's own slabs and heaps hand out memory they already have. */
static void what_was_set_aside_is_charged_to_nobody(void **state)
{
    const struct counted_block counted = { .block = &visits,
                                           .size = 5000,
                                           .is_suballocated = true };
    struct limit_scope scope, sampled;
    uint64_t bytes;

    (void)state;
    limits_begin_allocation(&scope, 0, LIMIT_ENOMEM);
    limits_use_sampling(1);
    limits_begin_allocation(&sampled, 100, LIMIT_ENOMEM);
    assert_true(countdown_count(countdown_thread(), &counted));
    assert_int_equal(limits_interrupted(), 0);
    assert_int_equal(limits_end(&sampled, &bytes), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(limits_end(&scope, &bytes), 0);
    assert_int_equal(bytes, 0);
}

static void an_exact_limit_costs_few_visits(void **state)
{
    struct limit_scope scope;

    (void)state;
    limits_begin_allocation(&scope, 1 << 20, LIMIT_ENOMEM);
    visits = 0;
    for (int i = 0; i < (1 << 20) - 1; i++)
        assert_true(allocate(1));
    assert_false(allocate(1));
    assert_true(visits < 400); /* each visit covers a sixteenth of the rest */
    assert_int_equal(limits_end(&scope, NULL), 1);
}

static void a_masked_section_is_not_interrupted(void **state)
{
    struct limit_scope scope;
    uint64_t bytes;

    (void)state;
    limits_mask_begin();
    limits_begin_allocation(&scope, 100, LIMIT_ENOMEM);
    limits_mask_begin();
    assert_true(allocate(100));
    assert_int_equal(limits_interrupted(), 0);
    limits_mask_end();
    assert_true(allocate(100));
    assert_int_equal(limits_interrupted(), 0);
    limits_mask_end();
    assert_int_equal(limits_interrupted(), 1);
    assert_false(allocate(0));
    limits_mask_end(); /* without a begin */
    assert_int_equal(limits_interrupted(), 1);
    assert_int_equal(limits_end(&scope, &bytes), 1);
    assert_int_equal(bytes, 200);
}

static struct limit_token of_handler;

static void set_it(int signal)
{
    (void)signal;
    of_handler.set = 1;
}

static void a_handler_sets_a_token(void **state)
{
    struct limit_scope scope;

    (void)state;
    signal(SIGUSR1, set_it);
    limits_begin_token(&scope, &of_handler, LIMIT_ENOMEM);
    assert_true(allocate(1));
    raise(SIGUSR1);
    assert_false(allocate(1));
    assert_int_equal(limits_interrupted(), 1);
    assert_int_equal(limits_end(&scope, NULL), 1);
    assert_true(allocate(1));
}

static void *set_soon(void *token)
{
    ((struct limit_token *)token)->set = 1;
    return NULL;
}

static void another_thread_sets_a_token(void **state)
{
    struct limit_token token = { 0 };
    struct limit_scope flag, fails;
    pthread_t thread;

    (void)state;
    limits_begin_token(&flag, &token, LIMIT_FLAG);
    limits_begin_token(&fails, &token, LIMIT_ENOMEM);
    assert_true(allocate(1));
    assert_int_equal(pthread_create(&thread, NULL, set_soon, &token), 0);
    while (allocate(1))
        ;
    assert_int_equal(limits_interrupted(), 1);
    assert_int_equal(limits_end(&fails, NULL), 1);
    assert_true(allocate(1));
    assert_int_equal(limits_end(&flag, NULL), 1);
    pthread_join(thread, NULL);
}

static void *allocate_there(void *scope)
{
    bool is_made = allocate(1 << 20);

    /* It is not this thread's either. */
    return is_made && limits_interrupted() == 0 &&
                   limits_end(scope, NULL) == -EINVAL
               ? scope
               : NULL;
}

static void threads_inherit_no_scope(void **state)
{
    struct limit_scope scope;
    pthread_t thread;
    uint64_t bytes;
    void *result;

    (void)state;
    limits_begin_allocation(&scope, 100, LIMIT_ENOMEM);
    assert_int_equal(pthread_create(&thread, NULL, allocate_there, &scope), 0);
    pthread_join(thread, &result);
    assert_ptr_equal(result, &scope);
    assert_int_equal(limits_interrupted(), 0);
    assert_int_equal(limits_end(&scope, &bytes), 0);
    assert_int_equal(bytes, 0);
}

static void *allocate_some(void *argument)
{
    (void)argument;
    return allocate(3000) ? &visits : NULL;
}

static void what_the_process_holds_hits_a_global_scope(void **state)
{
    struct limit_scope scope;
    pthread_t thread;

    (void)state;
    fake_port_set_heap_held(1000);
    limits_set_global(10000);
    assert_int_equal(limits_live_read(), 1000);
    assert_int_equal(pthread_create(&thread, NULL, allocate_some, NULL), 0);
    pthread_join(thread, NULL);
    limits_begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(6000));
    assert_false(allocate(1));
    assert_int_equal(limits_end(&scope, NULL), 1);

    limits_add_live(-6000); /* freed */
    limits_begin_global(&scope, LIMIT_FLAG);
    assert_true(allocate(6000));
    assert_int_equal(limits_interrupted(), 0);
    limits_set_global(9999);
    assert_int_equal(limits_interrupted(), 1);
    limits_set_global(-1); /* it stays hit */
    assert_int_equal(limits_interrupted(), 1);
    assert_int_equal(limits_end(&scope, NULL), 1);
}

/* A hit found by polling makes malloc fail at once. */
static void a_poll_looks_at_what_others_hold(void **state)
{
    struct limit_scope scope;
    pthread_t thread;

    (void)state;
    limits_set_global(1 << 20);
    limits_begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate((1 << 20) - 2000));
    assert_true(allocate(16));
    assert_true(allocate(0));
    assert_int_equal(pthread_create(&thread, NULL, allocate_some, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(limits_interrupted(), 1);
    assert_false(allocate(0));
    assert_int_equal(limits_end(&scope, NULL), 1);
    assert_true(allocate(1));
}

static void a_new_global_limit_counts_at_once(void **state)
{
    struct limit_scope scope;

    (void)state;
    limits_set_global(1 << 20);
    limits_begin_global(&scope, LIMIT_ENOMEM);
    assert_true(allocate(1000));
    assert_true(allocate(0));
    limits_set_global(500);
    assert_false(allocate(0));
    assert_int_equal(limits_end(&scope, NULL), 1);
}

static void a_rate_that_is_none_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(limits_period(), 0);
    limits_use_sampling(0.42);
    assert_int_equal(limits_period(), 2);
    limits_use_sampling(NAN);
    limits_use_sampling(-0.1);
    limits_use_sampling(1.1);
    limits_use_sampling(INFINITY);
    assert_int_equal(limits_period(), 2);
    limits_use_sampling(0.17);
    assert_int_equal(limits_period(), 6);
    limits_use_sampling(1);
    assert_int_equal(limits_period(), 1);
    limits_use_sampling(1e-4);
    assert_int_equal(limits_period(), 10000);
    limits_use_sampling(1e-300);
    assert_true(limits_period() > UINT64_C(1) << 40);
    limits_use_sampling(0);
    assert_int_equal(limits_period(), 0);
}

/* At rate 1, as in memprof-limits, the charge equals the allocated words,
   headers included. */
static void at_rate_1_what_is_charged_is_exact(void **state)
{
    struct limit_scope scope;
    uint64_t bytes, words = 0;

    (void)state;
    limits_use_sampling(1);
    limits_begin_allocation(&scope, 1 << 30, LIMIT_FLAG);
    for (size_t size = 0; size < 1000; size++) {
        assert_true(allocate(size));
        words += (size + 7) / 8 + 1;
    }
    assert_int_equal(limits_end(&scope, &bytes), 0);
    assert_int_equal(bytes, words * sizeof(void *));
    limits_begin_allocation(&scope, 80, LIMIT_ENOMEM);
    assert_true(allocate(64));
    assert_false(allocate(0));
    assert_int_equal(limits_end(&scope, NULL), 1);
}

/* Return the words, headers included, that a scope of `samples` samples
   allows. */
static uint64_t words_to_the_end(uint64_t samples)
{
    struct limit_scope scope;
    uint64_t words = 0;

    limits_begin_allocation(&scope, samples * 10000 * sizeof(void *),
                            LIMIT_ENOMEM);
    while (allocate(31 * sizeof(void *)))
        words += 32;
    assert_int_equal(limits_end(&scope, NULL), 1);
    return words;
}

/*
 * A scope of k samples ends after the words to the k-th success: bounds that
 * one of `scopes` misses with a chance of 2e-10, and the mean within 6.5
 * deviations.
 */
static void sampled_scopes_end_as_often_as_they_should(void **state)
{
    static const struct {
        uint64_t samples, scopes;
        double low, high;
    } cases[] = { { 6, 1000, 0.0034, 7.37 },
                  { 20, 1000, 0.1025, 3.61 },
                  { 100, 300, 0.431, 1.921 } };

    (void)state;
    limits_use_sampling(1e-4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double limit = (double)cases[i].samples * 10000;
        double gaps = (double)(cases[i].samples * cases[i].scopes);
        double sum = 0;

        for (uint64_t scope = 0; scope < cases[i].scopes; scope++) {
            double words = (double)words_to_the_end(cases[i].samples) + 16;

            assert_true(words > cases[i].low * limit - 32);
            assert_true(words < cases[i].high * limit + 32);
            sum += words;
        }
        assert_true(fabs(sum / ((double)cases[i].scopes * limit) - 1) <
                    6.5 / sqrt(gaps));
    }
}

static void a_scope_stays_as_it_began(void **state)
{
    struct limit_scope exact, sampled;
    uint64_t bytes;

    (void)state;
    limits_begin_allocation(&exact, 1000, LIMIT_FLAG);
    limits_use_sampling(1);
    limits_begin_allocation(&sampled, 1 << 20, LIMIT_FLAG);
    limits_use_sampling(0);
    assert_true(allocate(600));
    assert_int_equal(limits_end(&sampled, &bytes), 0);
    assert_int_equal(bytes, 608);
    assert_true(allocate(399));
    assert_int_equal(limits_interrupted(), 0);
    assert_true(allocate(1));
    assert_int_equal(limits_end(&exact, &bytes), 1);
    assert_int_equal(bytes, 1000);
}

static void *open_and_close(void *argument)
{
    (void)argument;
    for (unsigned round = 0; round < 200; round++) {
        struct limit_scope outer, inner;
        uint64_t bytes;

        if (limits_begin_allocation(&outer, 10000, LIMIT_FLAG) != 0 ||
            limits_begin_allocation(&inner, 1000 + round, LIMIT_ENOMEM) != 0)
            return "begin";
        while (allocate(1 + round % 100))
            ;
        if (limits_interrupted() != 1 || limits_end(&inner, &bytes) != 1 ||
            bytes >= 1000 + round || bytes + 100 < 1000 + round)
            return "inner";
        if (limits_end(&outer, &bytes) != 0 || bytes >= 1000 + round)
            return "outer";
        if (round % 50 == 0)
            limits_set_global((int64_t)round << 20);
    }
    return NULL;
}

static void threads_have_scopes_of_their_own(void **state)
{
    pthread_t threads[8];

    (void)state;
    for (int i = 0; i < 8; i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, open_and_close, NULL), 0);
    for (int i = 0; i < 8; i++) {
        void *what;

        pthread_join(threads[i], &what);
        assert_null(what);
    }
}

static bool sees_malloc(void)
{
    return true;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_scope_interrupts_nobody),
        cmocka_unit_test(what_is_wrong_begins_nothing),
        cmocka_unit_test(a_scope_counts_what_is_allocated_in_it),
        cmocka_unit_test(what_was_refused_once_is_refused_always),
        cmocka_unit_test(what_was_set_aside_is_charged_to_nobody),
        cmocka_unit_test(an_exact_limit_costs_few_visits),
        cmocka_unit_test(a_masked_section_is_not_interrupted),
        cmocka_unit_test(a_handler_sets_a_token),
        cmocka_unit_test(another_thread_sets_a_token),
        cmocka_unit_test(threads_inherit_no_scope),
        cmocka_unit_test(what_the_process_holds_hits_a_global_scope),
        cmocka_unit_test(a_poll_looks_at_what_others_hold),
        cmocka_unit_test(a_new_global_limit_counts_at_once),
        cmocka_unit_test(a_rate_that_is_none_changes_nothing),
        cmocka_unit_test(at_rate_1_what_is_charged_is_exact),
        cmocka_unit_test(sampled_scopes_end_as_often_as_they_should),
        cmocka_unit_test(a_scope_stays_as_it_began),
        cmocka_unit_test(threads_have_scopes_of_their_own),
    };

    countdown_carrier.sees_malloc = sees_malloc;
    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
