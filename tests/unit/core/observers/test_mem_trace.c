/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_mem_trace.c - every row of the table of states
 *
 * The names of the tests are statements of tally/mem_trace.h.
 *
 * This file is long because each statement is a test.
 */
#include "core/observers/mem_trace.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/fakes/fake_port.h"
#include "tests/fakes/run_alone.h"

#define A_BLOCK  ((void *)0x20003240)
#define OLD      ((void *)0x20003000)
#define A_CALLER ((void *)0x600d)

/* Arguments of a callback. */
struct call {
    int op;
    void *res, *caller, *ptr;
    size_t count, size;
};

static struct call last;
static unsigned calls_of_a, calls_of_b;

static struct call read_call(uint8_t op, void *res, void *caller, va_list given)
{
    struct call call = { .op = op, .res = res, .caller = caller };

    if (op == MBED_MEM_TRACE_REALLOC || op == MBED_MEM_TRACE_FREE)
        call.ptr = va_arg(given, void *);
    if (op == MBED_MEM_TRACE_CALLOC)
        call.count = va_arg(given, size_t);
    if (op != MBED_MEM_TRACE_FREE)
        call.size = va_arg(given, size_t);
    return call;
}

static void a(uint8_t op, void *res, void *caller, ...)
{
    va_list given;

    va_start(given, caller);
    last = read_call(op, res, caller, given);
    va_end(given);
    __atomic_fetch_add(&calls_of_a, 1, __ATOMIC_RELAXED);
}

static void b(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    calls_of_b++;
}

/* Return the callback that an event calls now: 'a', 'b', or '-'. */
static char who(void)
{
    unsigned before_a = calls_of_a, before_b = calls_of_b;

    mbed_mem_trace_free(A_BLOCK, A_CALLER);
    if (calls_of_a != before_a)
        return 'a';
    return calls_of_b != before_b ? 'b' : '-';
}

static void assert_last(int op, void *res, void *ptr, size_t count, size_t size)
{
    assert_int_equal(last.op, op);
    assert_ptr_equal(last.res, res);
    assert_ptr_equal(last.caller, A_CALLER);
    assert_ptr_equal(last.ptr, ptr);
    assert_int_equal(last.count, count);
    assert_int_equal(last.size, size);
}

static void ops_are_numbered_in_order(void **state)
{
    (void)state;
    assert_int_equal(MBED_MEM_TRACE_MALLOC, 0);
    assert_int_equal(MBED_MEM_TRACE_REALLOC, 1);
    assert_int_equal(MBED_MEM_TRACE_CALLOC, 2);
    assert_int_equal(MBED_MEM_TRACE_FREE, 3);
    assert_string_equal(MBED_MEM_DEFAULT_TRACER_PREFIX, "#");
}

static void callback_is_told_what_was_given(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    assert_ptr_equal(mbed_mem_trace_malloc(A_BLOCK, 50, A_CALLER), A_BLOCK);
    assert_last(MBED_MEM_TRACE_MALLOC, A_BLOCK, NULL, 0, 50);
    assert_ptr_equal(mbed_mem_trace_realloc(A_BLOCK, OLD, 80, A_CALLER),
                     A_BLOCK);
    assert_last(MBED_MEM_TRACE_REALLOC, A_BLOCK, OLD, 0, 80);
    assert_ptr_equal(mbed_mem_trace_calloc(A_BLOCK, 25, 10, A_CALLER), A_BLOCK);
    assert_last(MBED_MEM_TRACE_CALLOC, A_BLOCK, NULL, 25, 10);
    mbed_mem_trace_free(OLD, A_CALLER);
    assert_last(MBED_MEM_TRACE_FREE, NULL, OLD, 0, 0);
    assert_int_equal(calls_of_a, 4);
}

static void failures_and_null_are_told_of(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    assert_null(mbed_mem_trace_malloc(NULL, SIZE_MAX, A_CALLER));
    assert_last(MBED_MEM_TRACE_MALLOC, NULL, NULL, 0, SIZE_MAX);
    assert_null(mbed_mem_trace_realloc(NULL, NULL, 0, A_CALLER));
    assert_last(MBED_MEM_TRACE_REALLOC, NULL, NULL, 0, 0);
    mbed_mem_trace_free(NULL, A_CALLER);
    assert_last(MBED_MEM_TRACE_FREE, NULL, NULL, 0, 0);
    assert_int_equal(calls_of_a, 3);
}

/* No callback, locked twice: `res` is returned anyway. */
static void res_is_returned_in_every_state(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned locks = 0; locks < 3; locks++) {
            assert_ptr_equal(mbed_mem_trace_malloc(A_BLOCK, 1, A_CALLER),
                             A_BLOCK);
            assert_ptr_equal(mbed_mem_trace_realloc(A_BLOCK, OLD, 1, A_CALLER),
                             A_BLOCK);
            assert_ptr_equal(mbed_mem_trace_calloc(A_BLOCK, 1, 1, A_CALLER),
                             A_BLOCK);
            mbed_mem_trace_lock();
        }
        for (unsigned locks = 0; locks < 3; locks++)
            mbed_mem_trace_unlock();
        mbed_mem_trace_set_callback(a);
    }
    assert_int_equal(calls_of_a, 6);
}

static void nobody_is_told_at_first_or_after_null(void **state)
{
    (void)state;
    assert_int_equal(who(), '-');
    mbed_mem_trace_set_callback(a);
    assert_int_equal(who(), 'a');
    mbed_mem_trace_set_callback(NULL);
    assert_int_equal(who(), '-');
}

static void enable_before_any_disable_does_nothing(void **state)
{
    (void)state;
    mbed_mem_trace_enable();
    assert_int_equal(who(), '-');
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_set_callback(NULL);
    mbed_mem_trace_enable();
    assert_int_equal(who(), '-');
}

static void disabling_twice_keeps_the_callback(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_disable();
    assert_int_equal(who(), '-');
    mbed_mem_trace_disable();
    mbed_mem_trace_enable();
    assert_int_equal(who(), 'a');
}

static void enable_leaves_a_callback_that_is_set(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_disable();
    mbed_mem_trace_set_callback(b);
    mbed_mem_trace_enable();
    assert_int_equal(who(), 'b');
}

static void enable_brings_back_what_null_took_away(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_disable();
    mbed_mem_trace_enable();
    mbed_mem_trace_set_callback(NULL);
    assert_int_equal(who(), '-');
    mbed_mem_trace_enable();
    assert_int_equal(who(), 'a');
}

static void disable_puts_the_newer_one_in_reserve(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_disable();
    mbed_mem_trace_set_callback(b);
    mbed_mem_trace_disable();
    mbed_mem_trace_enable();
    assert_int_equal(who(), 'b');
}

static void disable_of_nothing_keeps_the_older_reserve(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_disable();
    mbed_mem_trace_set_callback(b);
    mbed_mem_trace_set_callback(NULL);
    mbed_mem_trace_disable();
    mbed_mem_trace_enable();
    assert_int_equal(who(), 'a');
}

static void disabling(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    calls_of_b++;
    mbed_mem_trace_disable();
}

static void callback_may_disable_and_enable(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(disabling);
    mbed_mem_trace_lock();
    mbed_mem_trace_malloc(A_BLOCK, 1, A_CALLER);
    mbed_mem_trace_unlock();
    assert_int_equal(calls_of_b, 1);
    assert_int_equal(who(), '-'); /* the very next one */
    mbed_mem_trace_enable();
    assert_int_equal(who(), 'b');
    assert_int_equal(who(), '-');
}

static void events_end_with_the_second_lock(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_lock();
    assert_int_equal(who(), 'a');
    mbed_mem_trace_lock();
    assert_int_equal(who(), '-');
    mbed_mem_trace_lock();
    assert_int_equal(who(), '-');
    mbed_mem_trace_unlock();
    assert_int_equal(who(), '-');
    mbed_mem_trace_unlock();
    assert_int_equal(who(), 'a');
    mbed_mem_trace_unlock();
    assert_int_equal(who(), 'a');
}

static void unlocking_too_often_does_nothing(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    for (unsigned i = 0; i < 300; i++)
        mbed_mem_trace_unlock();
    assert_int_equal(who(), 'a');
    mbed_mem_trace_lock();
    mbed_mem_trace_lock();
    assert_int_equal(who(), '-');
    mbed_mem_trace_unlock();
    mbed_mem_trace_unlock();
    mbed_mem_trace_unlock();
    mbed_mem_trace_lock();
    assert_int_equal(who(), 'a');
    mbed_mem_trace_unlock();
}

static void tracing(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    calls_of_b++;
    assert_ptr_equal(mbed_mem_trace_malloc(A_BLOCK, 7, A_CALLER), A_BLOCK);
    assert_ptr_equal(mbed_mem_trace_realloc(A_BLOCK, OLD, 7, A_CALLER),
                     A_BLOCK);
    assert_ptr_equal(mbed_mem_trace_calloc(A_BLOCK, 7, 7, A_CALLER), A_BLOCK);
    mbed_mem_trace_free(A_BLOCK, A_CALLER);
}

/* Trace in a callback, without the lock and with it. */
static void callback_that_traces_gives_no_event(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(tracing);
    assert_int_equal(who(), 'b');
    assert_int_equal(calls_of_b, 1);
    mbed_mem_trace_lock();
    assert_int_equal(who(), 'b');
    mbed_mem_trace_unlock();
    assert_int_equal(calls_of_b, 2);
}

static void replacing(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    calls_of_b++;
    mbed_mem_trace_set_callback(a);
}

static void callback_may_set_another(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(replacing);
    assert_int_equal(who(), 'b');
    assert_int_equal(who(), 'a');
}

static void allocator_enters_once(void **state)
{
    (void)state;
    assert_false(tally_mem_trace_enter()); /* no callback is called */
    mbed_mem_trace_set_callback(a);
    assert_true(tally_mem_trace_enter());
    assert_false(tally_mem_trace_enter()); /* the nested call in realloc */
    assert_int_equal(who(), 'a');
    mbed_mem_trace_unlock();
    mbed_mem_trace_lock(); /* the program's lock */
    assert_false(tally_mem_trace_enter());
    mbed_mem_trace_unlock();
    assert_true(tally_mem_trace_enter());
    mbed_mem_trace_unlock();
}

static bool has_entered;

static void entering(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    has_entered |= tally_mem_trace_enter();
}

/* Without the lock, the callback does not take it either. */
static void allocator_does_not_enter_in_the_callback(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(entering);
    mbed_mem_trace_free(A_BLOCK, A_CALLER);
    assert_false(has_entered);
}

static void *call_in_thread(void *function)
{
    void (*call)(void);

    memcpy(&call, &function, sizeof call);
    call();
    return NULL;
}

static pthread_t begin(void (*call)(void))
{
    pthread_t thread;
    void *function;

    memcpy(&function, &call, sizeof function);
    assert_int_equal(pthread_create(&thread, NULL, call_in_thread, function),
                     0);
    return thread;
}

static void allocate(void)
{
    bool is_told = tally_mem_trace_enter();

    if (is_told) {
        mbed_mem_trace_malloc(A_BLOCK, 1, A_CALLER);
        mbed_mem_trace_unlock();
    }
}

static void other_threads_allocations_wait_for_the_lock(void **state)
{
    pthread_t thread;

    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_lock();
    thread = begin(allocate);
    fake_port_await_sleepers(1);
    assert_int_equal(__atomic_load_n(&calls_of_a, __ATOMIC_RELAXED), 0);
    mbed_mem_trace_unlock();
    pthread_join(thread, NULL);
    assert_int_equal(calls_of_a, 1);
}

static void without_a_callback_nobody_waits(void **state)
{
    (void)state;
    mbed_mem_trace_lock();
    pthread_join(begin(allocate), NULL);
    mbed_mem_trace_unlock();
    assert_int_equal(calls_of_a, 0);
}

static void tell(void)
{
    mbed_mem_trace_malloc(A_BLOCK, 1, A_CALLER);
}

/* The count is per thread: two locks of this thread are none of another. */
static void telling_takes_no_lock(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_lock();
    mbed_mem_trace_lock();
    pthread_join(begin(tell), NULL);
    assert_int_equal(calls_of_a, 1);
    mbed_mem_trace_unlock();
    mbed_mem_trace_unlock();
}

static void set_to_b(void)
{
    mbed_mem_trace_set_callback(b);
}

static void setting_takes_no_lock(void **state)
{
    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_lock();
    pthread_join(begin(set_to_b), NULL);
    assert_int_equal(who(), 'b');
    mbed_mem_trace_unlock();
}

static void disable_and_enable_wait_for_the_lock(void **state)
{
    pthread_t thread;

    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_lock();
    thread = begin(mbed_mem_trace_disable);
    fake_port_await_sleepers(1);
    assert_int_equal(who(), 'a');
    mbed_mem_trace_unlock();
    pthread_join(thread, NULL);
    assert_int_equal(who(), '-');
    mbed_mem_trace_lock();
    thread = begin(mbed_mem_trace_enable);
    fake_port_await_sleepers(1);
    assert_int_equal(who(), '-');
    mbed_mem_trace_unlock();
    pthread_join(thread, NULL);
    assert_int_equal(who(), 'a');
}

static void who_lacks_the_lock_cannot_unlock_it(void **state)
{
    pthread_t thread;

    (void)state;
    mbed_mem_trace_set_callback(a);
    mbed_mem_trace_lock();
    pthread_join(begin(mbed_mem_trace_unlock), NULL);
    thread = begin(allocate);
    fake_port_await_sleepers(1);
    mbed_mem_trace_unlock();
    pthread_join(thread, NULL);
    assert_int_equal(calls_of_a, 1);
}

static int pipe_of_lines[2];

static void assert_lines(const char *expected)
{
    char text[256];
    ssize_t size = read(pipe_of_lines[0], text, sizeof text - 1);

    assert_in_range(size, 1, sizeof text - 1);
    text[size] = '\0';
    assert_string_equal(text, expected);
}

static void default_callback_writes_lines(void **state)
{
    (void)state;
    assert_int_equal(pipe(pipe_of_lines), 0);
    tally_mem_trace_set_descriptor(pipe_of_lines[1]);
    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    mbed_mem_trace_malloc(A_BLOCK, 50, A_CALLER);
    assert_lines("#m:0x20003240;0x600d-50\n");
    mbed_mem_trace_realloc(A_BLOCK, OLD, 80, A_CALLER);
    assert_lines("#r:0x20003240;0x600d-0x20003000;80\n");
    mbed_mem_trace_calloc(A_BLOCK, 25, 10, A_CALLER);
    assert_lines("#c:0x20003240;0x600d-25;10\n");
    mbed_mem_trace_free(A_BLOCK, A_CALLER);
    assert_lines("#f:0x0;0x600d-0x20003240\n");
    mbed_mem_trace_free(NULL, NULL);
    assert_lines("#f:0x0;0x0-0x0\n");
}

static void an_unknown_op_is_a_question_mark(void **state)
{
    (void)state;
    assert_int_equal(pipe(pipe_of_lines), 0);
    tally_mem_trace_set_descriptor(pipe_of_lines[1]);
    for (unsigned op = MBED_MEM_TRACE_FREE + 1; op <= UINT8_MAX; op++) {
        mbed_mem_trace_default_callback((uint8_t)op, A_BLOCK, A_CALLER);
        assert_lines("?\n");
    }
}

static void default_callback_writes_to_1(void **state)
{
    int kept = dup(STDOUT_FILENO);

    (void)state;
    assert_int_equal(pipe(pipe_of_lines), 0);
    fflush(stdout);
    dup2(pipe_of_lines[1], STDOUT_FILENO);
    errno = ERANGE;
    mbed_mem_trace_default_callback(MBED_MEM_TRACE_MALLOC, A_BLOCK, A_CALLER,
                                    (size_t)50);
    assert_int_equal(errno, ERANGE);
    dup2(kept, STDOUT_FILENO);
    assert_lines("#m:0x20003240;0x600d-50\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_are_numbered_in_order),
        cmocka_unit_test(callback_is_told_what_was_given),
        cmocka_unit_test(failures_and_null_are_told_of),
        cmocka_unit_test(res_is_returned_in_every_state),
        cmocka_unit_test(nobody_is_told_at_first_or_after_null),
        cmocka_unit_test(enable_before_any_disable_does_nothing),
        cmocka_unit_test(disabling_twice_keeps_the_callback),
        cmocka_unit_test(enable_leaves_a_callback_that_is_set),
        cmocka_unit_test(enable_brings_back_what_null_took_away),
        cmocka_unit_test(disable_puts_the_newer_one_in_reserve),
        cmocka_unit_test(disable_of_nothing_keeps_the_older_reserve),
        cmocka_unit_test(callback_may_disable_and_enable),
        cmocka_unit_test(events_end_with_the_second_lock),
        cmocka_unit_test(unlocking_too_often_does_nothing),
        cmocka_unit_test(callback_that_traces_gives_no_event),
        cmocka_unit_test(callback_may_set_another),
        cmocka_unit_test(allocator_enters_once),
        cmocka_unit_test(allocator_does_not_enter_in_the_callback),
        cmocka_unit_test(other_threads_allocations_wait_for_the_lock),
        cmocka_unit_test(without_a_callback_nobody_waits),
        cmocka_unit_test(telling_takes_no_lock),
        cmocka_unit_test(setting_takes_no_lock),
        cmocka_unit_test(disable_and_enable_wait_for_the_lock),
        cmocka_unit_test(who_lacks_the_lock_cannot_unlock_it),
        cmocka_unit_test(default_callback_writes_lines),
        cmocka_unit_test(an_unknown_op_is_a_question_mark),
        cmocka_unit_test(default_callback_writes_to_1),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
