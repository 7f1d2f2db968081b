/* SPDX-License-Identifier: Apache-2.0 */
/* test_stack_memory.c - readable memory, with and without asking the kernel */
#include "unwind/stack_memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "ports/posix/raw_calls.h"

enum { PAGE = 4096, PAGES = 8 };

static bool is_closed;

bool sandbox_is_closed(void)
{
    return is_closed;
}

static struct stack_memory memory;

static int forget(void **state)
{
    (void)state;
    memory = (struct stack_memory){ 0 };
    is_closed = false;
    return 0;
}

static uintptr_t here(void)
{
    return (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)7;
}

static uintptr_t map(void)
{
    void *mapped = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return mapped == MAP_FAILED ? 0 : (uintptr_t)mapped;
}

static void assert_own_stack(void)
{
    uintptr_t word = here();

    stack_memory_begin(&memory, word);
    assert_true(memory.low <= word && word < memory.high);
    assert_true(stack_memory_has(&memory, word));
    is_closed = true;
    assert_true(stack_memory_has(&memory, word));
    assert_true(stack_memory_has(&memory, memory.high - 8));
    assert_false(stack_memory_has(&memory, memory.high + PAGE));
    is_closed = false;
}

static void the_first_threads_own_stack(void **state)
{
    extern void *__libc_stack_end; /* NOLINT: the loader's name */

    (void)state;
    assert_own_stack();
    assert_int_equal(memory.high, (uintptr_t)__libc_stack_end & ~(uintptr_t)7);
}

static void *in_thread(void *nothing)
{
    assert_own_stack();
    assert_int_equal(memory.high, (uintptr_t)__builtin_thread_pointer());
    return nothing;
}

static void run_thread(void *(*body)(void *))
{
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, body, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void another_threads_own_stack(void **state)
{
    (void)state;
    run_thread(in_thread);
}

/* Memory known to one thread is unknown to the next. */
static void each_thread_begins_anew(void **state)
{
    uintptr_t low;

    (void)state;
    assert_own_stack();
    low = memory.low;
    run_thread(in_thread);
    assert_true(memory.low != low);
    assert_own_stack();
    assert_int_equal(memory.low, low);
}

static void deeper_is_known_as_well(void **state)
{
    volatile char deep[64 * PAGE];
    uintptr_t word = (uintptr_t)deep & ~(uintptr_t)7;

    (void)state;
    stack_memory_begin(&memory, here());
    deep[0] = 1;
    stack_memory_begin(&memory, word);
    assert_true(memory.low <= word);
    is_closed = true;
    assert_true(stack_memory_has(&memory, word));
}

static void other_memory_is_asked_for_each_time(void **state)
{
    uintptr_t other = map();

    (void)state;
    stack_memory_begin(&memory, here());
    assert_true(stack_memory_has(&memory, other + 8));
    is_closed = true; /* known since the last begin */
    assert_true(stack_memory_has(&memory, other + PAGE - 8));
    assert_false(stack_memory_has(&memory, other + PAGE));
    is_closed = false;
    munmap((void *)other, PAGES * PAGE);
    stack_memory_begin(&memory, here());
    assert_false(stack_memory_has(&memory, other + 8));
}

static void what_cannot_be_read_is_not(void **state)
{
    uintptr_t other = map();

    (void)state;
    stack_memory_begin(&memory, here());
    mprotect((void *)(other + PAGE), PAGE, PROT_NONE);
    assert_true(stack_memory_has(&memory, other));
    assert_false(stack_memory_has(&memory, other + PAGE));
    assert_false(stack_memory_has(&memory, 0));
    assert_false(stack_memory_has(&memory, 8 * PAGE));
    assert_false(stack_memory_has(&memory, UINT64_C(0x800000000000)));
    assert_false(stack_memory_has(&memory, UINTPTR_MAX - 7));
    munmap((void *)other, PAGES * PAGE);
}

static void many_pages_are_remembered_rightly(void **state)
{
    uintptr_t others[5 * STACK_MEMORY_PAGES / PAGES];

    (void)state;
    stack_memory_begin(&memory, here());
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        others[i] = map();
        for (uintptr_t at = 0; at < PAGES * PAGE; at += PAGE)
            assert_true(stack_memory_has(&memory, others[i] + at));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        munmap((void *)others[i], PAGES * PAGE);
    stack_memory_begin(&memory, here());
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(stack_memory_has(&memory, others[i]));
}

/* Return the next lower free page; pages in between become readable. */
static uintptr_t map_below_the_thread_pointer(void)
{
    uintptr_t page =
        (uintptr_t)__builtin_thread_pointer() & ~(uintptr_t)(PAGE - 1);
    void *mapped;

    do {
        page -= PAGE;
        mapped = mmap((void *)page, PAGE, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        stack_memory_begin(&memory, here());
        if (mapped == MAP_FAILED && !stack_memory_has(&memory, page))
            assert_int_equal(mprotect((void *)page, PAGE, PROT_READ), 0);
    } while (mapped == MAP_FAILED);
    forget(NULL);
    return page;
}

/* A coroutine's stack, in the first thread, belongs to no thread. */
static void a_stack_below_the_thread_pointer_may_go(void **state)
{
    uintptr_t stack = map_below_the_thread_pointer();

    (void)state;
    stack_memory_begin(&memory, stack);
    assert_true(stack_memory_has(&memory, stack));
    munmap((void *)stack, PAGE);
    stack_memory_begin(&memory, here());
    assert_false(stack_memory_has(&memory, stack));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_first_threads_own_stack, forget),
        cmocka_unit_test_setup(another_threads_own_stack, forget),
        cmocka_unit_test_setup(each_thread_begins_anew, forget),
        cmocka_unit_test_setup(deeper_is_known_as_well, forget),
        cmocka_unit_test_setup(other_memory_is_asked_for_each_time, forget),
        cmocka_unit_test_setup(what_cannot_be_read_is_not, forget),
        cmocka_unit_test_setup(many_pages_are_remembered_rightly, forget),
        cmocka_unit_test_setup(a_stack_below_the_thread_pointer_may_go, forget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
