/* SPDX-License-Identifier: Apache-2.0 */
/* left.c - functions left without limits_end(), and scopes begun again */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

static bool can_allocate(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
    return block != NULL;
}

static __attribute__((noinline)) int return_early(void)
{
    struct limit_scope scope;
    int status = limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);

    expect("early", "it is limited", !can_allocate(1000));
    return status; /* limits_end() is forgotten */
}

static __attribute__((noinline)) int return_early_elsewhere(void)
{
    struct limit_scope scope;
    int status = limits_begin_allocation(&scope, 2000, LIMIT_ENOMEM);

    expect("early", "it has a limit of its own", can_allocate(1500));
    expect("early", "which holds", !can_allocate(1500));
    return status;
}

static void a_return_leaves_it(void)
{
    int (*const functions[])(void) = { return_early, return_early_elsewhere };
    struct limit_scope outer;

    for (int i = 0; i < 100; i++) {
        expect("early", "it begins", functions[i % 2]() == 0);
        if (i % 3 == 0) {
            expect("early", "and is gone", can_allocate(5000));
            expect("early", "to a poll too", limits_interrupted() == 0);
        }
    }
    expect("early", "outside",
           limits_begin_allocation(&outer, 100000, LIMIT_ENOMEM) == 0);
    expect("early", "inside", return_early() == 0);
    expect("early", "a poll sees it gone", limits_interrupted() == 0);
    expect("early", "what is outside is not", can_allocate(90000));
    expect("early", "and goes on", !can_allocate(90000));
    expect("early", "to its end", limits_end(&outer, NULL) == 1);
}

static jmp_buf back;

static void (*volatile jump_deeper)(int depth);

static void jump(int depth)
{
    struct limit_scope scope;
    volatile char room[500];

    room[0] = (char)depth;
    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    if (depth == 0)
        longjmp(back, 1);
    jump_deeper(depth - 1);
    room[1] = room[0];
}

static __attribute__((noinline)) void jump_out_of_a_mask(void)
{
    LIMIT_MASK(mask);

    expect("mask", "it masks", can_allocate(2000) && limits_interrupted() == 0);
    longjmp(back, 1);
}

static void a_jump_leaves_a_mask(void)
{
    struct limit_scope scope;

    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    if (setjmp(back) == 0)
        jump_out_of_a_mask();
    expect("mask", "a poll sees it gone", limits_interrupted() == 1);
    expect("mask", "as malloc does", !can_allocate(8192));
    expect("mask", "hit", limits_end(&scope, NULL) == 1);

    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    if (setjmp(back) == 0)
        jump_out_of_a_mask();
    for (int i = 0; i < 3 && can_allocate(8192);)
        i++;
    expect("mask", "malloc alone sees it", !can_allocate(1));
    limits_end(&scope, NULL);
}

static void a_mask_ends_with_its_scope(void)
{
    struct limit_scope outer, scope;

    limits_begin_allocation(&outer, 1000, LIMIT_ENOMEM);
    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    limits_mask_begin();
    expect("mask", "in its scope", can_allocate(2000));
    limits_end(&scope, NULL);
    expect("mask", "not behind it", !can_allocate(1));
    limits_mask_end();
    expect("mask", "nor twice", !can_allocate(1));
    limits_end(&outer, NULL);
}

static void a_jump_leaves_them(void)
{
    for (volatile int i = 0; i < 10; i++) {
        jump_deeper = jump;
        if (setjmp(back) == 0)
            jump(50);
        expect("longjmp", "all are gone", can_allocate(5000));
    }
}

/* A scope that begins again was left: its place alone decides. */
static void it_begins_again(void)
{
    struct limit_scope outer, scope, inner;
    uint64_t bytes;

    limits_begin_allocation(&outer, 20000, LIMIT_ENOMEM);
    expect("again", "first",
           limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM) == 0 &&
               !can_allocate(1000));
    limits_begin_mask(&inner);
    expect("again", "by another call, of another kind",
           limits_begin_live(&scope, 5000, LIMIT_ENOMEM) == 0);
    expect("again", "masks that are open stay", limits_is_blocked() == 1);
    limits_end(&inner, NULL);
    for (int i = 0; i < 100; i++)
        expect("again", "in a loop",
               limits_begin_allocation(&scope, 5000, LIMIT_ENOMEM) == 0 &&
                   can_allocate(50));
    expect("again", "with its own limit", !can_allocate(4950));
    expect("again", "from 0", limits_end(&scope, &bytes) == 1 && bytes == 50);
    expect("again", "one scope", limits_end(&scope, NULL) == -EINVAL);
    expect("again", "in what is around it",
           limits_end(&outer, &bytes) == 0 && bytes == 5000);
}

/* Begin in another function, which has its own frame. */
static __attribute__((noinline)) int begin_for(struct limit_scope *scope)
{
    volatile char room[500];

    room[0] = 1;
    return limits_begin_allocation(scope, 1000, LIMIT_ENOMEM) + room[0] - 1;
}

static __attribute__((noinline)) int begin_deeper(struct limit_scope *scope,
                                                  int depth)
{
    volatile int one = 1;

    return (depth > 0 ? begin_deeper(scope, depth - 1) : begin_for(scope)) +
           one - 1;
}

static void another_function_begins_it(void)
{
    for (int depth = 0; depth < 10; depth += 3) {
        _Alignas(64) struct limit_scope scope;

        for (int i = 0; i < 10; i++)
            expect("wrapper", "it begins",
                   (i % 2 == 0 ? begin_deeper(&scope, depth)
                               : begin_for(&scope)) == 0 &&
                       can_allocate(900) && !can_allocate(900));
        expect("wrapper", "to its end", limits_end(&scope, NULL) == 1);
        expect("wrapper", "and is the only one", can_allocate(5000));
    }
}

static __attribute__((noinline)) int return_early_behind_it(int depth)
{
    struct limit_scope scope;

    return begin_deeper(&scope, depth);
}

static void a_return_leaves_what_another_began(void)
{
    for (int i = 0; i < 100; i++)
        expect("wrapper", "left by an early return",
               return_early_behind_it(i % 3) == 0);
    expect("wrapper", "it is gone", can_allocate(5000));
}

static __attribute__((noinline)) int begin_as(int way, bool is_cleared)
{
    struct limit_scope scope;

    if (is_cleared)
        memset(&scope, 0, sizeof scope);
    return way == 0 ? limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM)
                    : limits_begin_allocation(&scope, 1000, LIMIT_FLAG);
}

static void another_call_begins_in_its_place(void)
{
    for (int i = 0; i < 100; i++)
        expect("place", "begins", begin_as(i % 2, i % 3 == 0) == 0);
    expect("place", "is gone", can_allocate(5000));
}

static struct limit_scope in_static_memory;

static __attribute__((noinline)) void begin_static(void)
{
    limits_begin_allocation(&in_static_memory, 1000, LIMIT_ENOMEM);
}

/* Leave a scope in other memory: its frame does not matter. */
static void other_memory_stays(void)
{
    struct limit_scope *in_heap = malloc(sizeof *in_heap);

    begin_static();
    limits_begin_allocation(in_heap, 100000, LIMIT_ENOMEM);
    expect("static", "it is there still", !can_allocate(1000));
    expect("static", "and hit", limits_interrupted() == 1);
    limits_end(in_heap, NULL);
    expect("static", "to its end", limits_end(&in_static_memory, NULL) == 1);
    free(in_heap);
}

static ucontext_t main_context, coroutine;
static char *coroutine_stack;

static void in_coroutine(void)
{
    struct limit_scope scope;

    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    swapcontext(&coroutine, &main_context);
    expect("coroutine", "its scope holds", !can_allocate(1000));
    expect("coroutine", "to the end", limits_end(&scope, NULL) == 1);
}

static void a_coroutine_keeps_it(void)
{
    enum { SIZE = 64 << 10 };

    coroutine_stack = malloc(SIZE);
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = coroutine_stack;
    coroutine.uc_stack.ss_size = SIZE;
    coroutine.uc_link = &main_context;
    makecontext(&coroutine, in_coroutine, 0);
    swapcontext(&main_context, &coroutine);
    expect("coroutine", "it lasts", !can_allocate(1000));
    swapcontext(&main_context, &coroutine);
    expect("coroutine", "until it ends", can_allocate(1000));
    free(coroutine_stack);
}

static void on_signal(int signal)
{
    struct limit_scope scope;

    (void)signal;
    expect("handler", "the program's scope holds", limits_interrupted() == 1);
    (void)scope;
}

/* Run a handler below the scope, or on an alternate stack. */
static void a_handler_leaves_it(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    stack_t stack = { .ss_size = 64 << 10 };
    struct limit_scope scope;

    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM);
    expect("handler", "hit", !can_allocate(1000));
    for (int flags = 0; flags < 2; flags++) {
        action.sa_flags = flags != 0 ? SA_ONSTACK : 0;
        sigaction(SIGUSR1, &action, NULL);
        raise(SIGUSR1);
        expect("handler", "it holds after", limits_interrupted() == 1);
    }
    expect("handler", "it ends", limits_end(&scope, NULL) == 1);
    stack.ss_flags = SS_DISABLE;
    sigaltstack(&stack, NULL);
    free(stack.ss_sp);
}

static void it_ends_by_itself(void)
{
    for (int i = 0; i < 3; i++) {
        LIMIT_SCOPE(scope);

        expect("cleanup", "begins",
               limits_begin_allocation(&scope, 1000, LIMIT_ENOMEM) == 0);
        if (i == 1)
            continue;
        expect("cleanup", "limits", !can_allocate(1000));
        if (i == 2)
            limits_end(&scope, NULL);
    }
    {
        LIMIT_SCOPE(unused);

        (void)unused;
    }
    expect("cleanup", "has ended", can_allocate(1000));
}

static void *in_thread(void *unused)
{
    a_return_leaves_it();
    a_handler_leaves_it();
    it_begins_again();
    another_function_begins_it();
    return unused;
}

int main(void)
{
    pthread_t thread;

    a_return_leaves_it();
    a_jump_leaves_them();
    a_jump_leaves_a_mask();
    a_mask_ends_with_its_scope();
    it_begins_again();
    another_function_begins_it();
    a_return_leaves_what_another_began();
    another_call_begins_in_its_place();
    other_memory_stays();
    a_coroutine_keeps_it();
    a_handler_leaves_it();
    it_ends_by_itself();
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    return expect_status();
}
