/* SPDX-License-Identifier: Apache-2.0 */
/*
 * small_stacks.c - first allocations on very small stacks
 *
 * A thread with PTHREAD_STACK_MIN, a coroutine of 8 KiB, and a handler on an
 * alternate stack of sysconf(_SC_MINSIGSTKSZ), each with a guard page below.
 * All of them use new call sites.
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "tests/recorder/victims/victim.h"

enum { PAGE = 4096, COROUTINE_STACK = 8192 };

static void *on_coroutine(void)
{
    free(victim_keep(calloc(3, 5)));
    return victim_keep(malloc(11));
}

static void *on_thread(void)
{
    free(victim_keep(aligned_alloc(64, 64)));
    return victim_keep(malloc(12));
}

static void *on_signal_stack(void)
{
    return victim_keep(malloc(13));
}

static void *guarded_stack(size_t size)
{
    char *pages = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(pages != MAP_FAILED);
    REQUIRE(mprotect(pages, PAGE, PROT_NONE) == 0);
    return pages + PAGE;
}

static void *run(void *argument)
{
    on_thread();
    return argument;
}

static void use_thread(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    REQUIRE(pthread_attr_setstacksize(
                &attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
    REQUIRE(pthread_create(&thread, &attributes, run, NULL) == 0);
    REQUIRE(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

static ucontext_t back, coroutine;

static void run_coroutine(void)
{
    on_coroutine();
    swapcontext(&coroutine, &back);
    on_coroutine();
}

static void use_coroutine(void)
{
    REQUIRE(getcontext(&coroutine) == 0);
    coroutine.uc_stack.ss_sp = guarded_stack(COROUTINE_STACK);
    coroutine.uc_stack.ss_size = COROUTINE_STACK;
    coroutine.uc_link = &back;
    makecontext(&coroutine, run_coroutine, 0);
    REQUIRE(swapcontext(&back, &coroutine) == 0);
    REQUIRE(swapcontext(&back, &coroutine) == 0);
}

static void handle(int signal)
{
    (void)signal;
    on_signal_stack();
}

/* The kernel's frame takes most of it; the rest rounds up to whole pages. */
static void use_signal_stack(void)
{
    size_t least = (size_t)sysconf(_SC_MINSIGSTKSZ);
    size_t size = (least + 1024 + PAGE - 1) / PAGE * PAGE;
    stack_t stack = { .ss_sp = guarded_stack(size), .ss_size = size };
    struct sigaction action = { .sa_handler = handle, .sa_flags = SA_ONSTACK };

    REQUIRE(sigaltstack(&stack, NULL) == 0);
    sigemptyset(&action.sa_mask);
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
    REQUIRE(raise(SIGUSR1) == 0);
    REQUIRE(raise(SIGUSR1) == 0);
}

int main(void)
{
    use_signal_stack();
    use_coroutine();
    for (int i = 0; i < 10; i++)
        use_thread();
    return 0;
}
