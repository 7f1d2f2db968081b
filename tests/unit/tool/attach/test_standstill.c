/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_standstill.c - a program with many threads goes on when time is over,
 * whether what it was stopped for is done or not
 */
#include "tool/attach/thread_calls.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/tool/attach/victim.h"

enum { THREADS = 300, USED = 4 << 20 };

/* Doze with most of the stack used, all of which is searched. */
static void *doze_deep(void *argument)
{
    volatile char used[USED];

    used[0] = 1;
    while (!shared->must_end) {
        victim_sleep_ms(5);
        shared->rounds += (unsigned long)used[0];
    }
    return argument;
}

static void live_in_deep_threads(void)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, doze_deep, NULL);
    shared->is_ready = 1;
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static bool is_never(uint64_t word, const void *context)
{
    (void)word;
    return context != NULL;
}

static bool was_past; /* the deadline was over while they stood */

static bool has_none(const struct stack_words *words)
{
    for (size_t i = 0; i < words->tracee->count; i++) {
        if (stack_words_may_have(words, &words->tracee->threads[i], is_never,
                                 NULL))
            return false;
    }
    return true;
}

/* Look until there is no more time. */
static enum standstill look_for_ever(const struct stack_words *words,
                                     void *context)
{
    unsigned long *looks = context;

    while (has_none(words))
        (*looks)++;
    was_past = tracee_is_past(words->deadline);
    return STANDSTILL_AGAIN;
}

static enum standstill look_once(const struct stack_words *words, void *context)
{
    struct stack_words late = *words;

    (void)context;
    late.deadline = 0;
    was_past = !has_none(&late);
    return STANDSTILL_DONE;
}

static void a_look_ends_when_time_is_over(void **state)
{
    static const struct standstill_why why = { "refused", "again" };
    pid_t pid = victim_start(live_in_deep_threads);
    unsigned long rounds, looks = 0;
    uint64_t stopped_ns = 0;
    struct tracee tracee;

    (void)state;
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    assert_int_equal(
        standstill(&tracee, 2000, look_once, NULL, &why, &stopped_ns), 0);
    assert_true(was_past);
    was_past = false;
    assert_int_equal(
        standstill(&tracee, 0, look_for_ever, &looks, &why, &stopped_ns), -1);
    assert_true(was_past);
    if (strstr(failure.text, "cannot inspect 301 threads within 500 ms; start "
                             "the program under tally record") == NULL)
        fail_msg("%s", failure.text);
    rounds = shared->rounds;
    while (shared->rounds < rounds + THREADS)
        victim_sleep_ms(1);
    tracee_close(&tracee);
    victim_finish(pid);
}

static uint64_t count_call(void)
{
    shared->calls++;
    return 0;
}

/* One thread after the other would be, each for as long as it takes. */
static void no_thread_is_tried_when_time_is_over(void **state)
{
    pid_t pid = victim_start(live_in_deep_threads);
    struct remote_function function =
        victim_function((void *)count_call, ON_OWN_STACK);
    const uint64_t arguments[6] = { 0 };
    struct tracee tracee;
    struct remote remote;
    uint64_t result;

    (void)state;
    assert_int_equal(tracee_open(&tracee, pid, &failure), 0);
    assert_int_equal(remote_open(&remote, &tracee), 0);
    remote.limit_ms = 0;
    assert_int_equal(remote_call(&remote, &function, arguments, &result), -1);
    assert_int_equal(shared->calls, 0);
    if (strstr(failure.text, "no thread stopped at a safe place within 0 ms") ==
        NULL)
        fail_msg("%s", failure.text);
    remote_close(&remote);
    tracee_close(&tracee);
    victim_finish(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_ends_when_time_is_over),
        cmocka_unit_test(no_thread_is_tried_when_time_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
