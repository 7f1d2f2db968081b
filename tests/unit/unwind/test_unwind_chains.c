/* SPDX-License-Identifier: Apache-2.0 */
/* test_unwind_chains.c - calls of each kind, compared with libunwind */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

#include "tests/unit/unwind/stacks_here.h"

#define NOINLINE __attribute__((noinline))

/* Keep the call before it from becoming a tail call. */
#define AND_BACK() __asm__ volatile("" ::: "memory")

static NOINLINE void compare(void)
{
    follow_here();
    ASSERT_AS_THEIRS();
}

static void plain(void **state)
{
    (void)state;
    compare();
    assert_true(unwinder->frame_count >= 5);
    assert_true(unwinder->is_repeatable);
}

#ifdef __clang__
#define FRAME_POINTER
#else
#define FRAME_POINTER __attribute__((optimize("no-omit-frame-pointer")))
#endif

static NOINLINE FRAME_POINTER void keeps_frame_pointer(int deep)
{
    if (deep == 0)
        compare();
    else
        keeps_frame_pointer(deep - 1);
    AND_BACK();
}

static void frame_pointers(void **state)
{
    (void)state;
    keeps_frame_pointer(20);
}

static NOINLINE void with_alloca(size_t size)
{
    volatile char *block = alloca(size);

    block[0] = 1;
    if (size < 64)
        compare();
    else
        with_alloca(size / 2);
    AND_BACK();
}

static NOINLINE void with_array(size_t size)
{
    volatile char block[size];

    block[0] = 1;
    (void)block[0];
    if (size < 64)
        compare();
    else
        with_array(size / 2);
    AND_BACK();
}

static void frames_of_any_size(void **state)
{
    (void)state;
    with_alloca(5000);
    with_array(5000);
}

static NOINLINE void realigned(int deep)
{
    volatile char block[64] __attribute__((aligned(64)));
    volatile char *more = alloca((size_t)deep * 24 + 8);

    block[0] = more[0] = 1;
    (void)block[0];
    if (deep == 0)
        compare();
    else
        realigned(deep - 1);
    AND_BACK();
}

/* More arguments than registers: they are found through r10. */
static NOINLINE int realigned_with_arguments(int a, int b, int c, int d, int e,
                                             int f, int g, int h)
{
    volatile char block[64] __attribute__((aligned(64)));

    block[0] = 1;
    realigned(a + b + c + d + e + f);
    return block[0] + g + h;
}

static void realigned_frames(void **state)
{
    (void)state;
    realigned(10);
    assert_int_equal(realigned_with_arguments(0, 1, 0, 1, 0, 1, 5, 6), 12);
}

static NOINLINE int recurse(int deep)
{
    int value = deep;

    if (deep == 0)
        compare();
    else
        value += recurse(deep - 1);
    AND_BACK();
    return value;
}

static void five_thousand_deep(void **state)
{
    (void)state;
    assert_int_equal(recurse(5000), 5000 * 5001 / 2);
    assert_true(unwinder->frame_count > 5000);
    assert_true(unwinder->is_repeatable);
}

static int compare_once(const void *a, const void *b)
{
    const int *left = a, *right = b;

    if (*left == 3 && *right == 4)
        compare();
    return *left - *right;
}

static void called_back_by_libc(void **state)
{
    int numbers[] = { 3, 4, 1, 5, 9, 2, 6 };

    (void)state;
    unwinder->frame_count = 0;
    qsort(numbers, 7, sizeof *numbers, compare_once);
    assert_true(unwinder->frame_count > 5);
}

static void *in_thread(void *nothing)
{
    compare();
    AND_BACK();
    return nothing;
}

static void thread_start(void **state)
{
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_in_range(unwinder->frame_count, 4, 6);
}

static void handler(int number)
{
    (void)number;
    compare();
    AND_BACK();
}

static NOINLINE void nested_handler(int number)
{
    (void)number;
    raise(SIGUSR1);
    AND_BACK();
}

static void handle(int number, void (*by)(int), int flags)
{
    struct sigaction action = { .sa_handler = by, .sa_flags = flags };

    assert_int_equal(sigaction(number, &action, NULL), 0);
}

static void signal_handlers(void **state)
{
    (void)state;
    handle(SIGUSR1, handler, 0);
    handle(SIGUSR2, nested_handler, 0);
    raise(SIGUSR1);
    raise(SIGUSR2);
}

static void signal_handlers_on_their_stack(void **state)
{
    enum { SIZE = 1 << 18 };
    stack_t stack = { .ss_sp = malloc(SIZE), .ss_size = SIZE };
    stack_t none = { .ss_flags = SS_DISABLE };

    (void)state;
    assert_int_equal(sigaltstack(&stack, NULL), 0);
    handle(SIGUSR1, handler, SA_ONSTACK);
    handle(SIGUSR2, nested_handler, SA_ONSTACK);
    raise(SIGUSR1);
    raise(SIGUSR2);
    sigaltstack(&none, NULL);
    free(stack.ss_sp);
}

static void in_context(void)
{
    compare();
    AND_BACK();
}

static void a_context_made_by_libc(void **state)
{
    enum { SIZE = 1 << 18 };
    ucontext_t here, other;
    void *stack = malloc(SIZE);

    (void)state;
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = SIZE;
    other.uc_link = &here;
    makecontext(&other, in_context, 0);
    assert_int_equal(swapcontext(&here, &other), 0);
    assert_int_equal(unwinder->frame_count, 3);
    free(stack);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(frame_pointers),
        cmocka_unit_test(frames_of_any_size),
        cmocka_unit_test(realigned_frames),
        cmocka_unit_test(five_thousand_deep),
        cmocka_unit_test(called_back_by_libc),
        cmocka_unit_test(thread_start),
        cmocka_unit_test(signal_handlers),
        cmocka_unit_test(signal_handlers_on_their_stack),
        cmocka_unit_test(a_context_made_by_libc),
    };

    return cmocka_run_group_tests(tests, open_stacks, NULL);
}
