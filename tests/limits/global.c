/* SPDX-License-Identifier: Apache-2.0 */
/*
 * global.c - a limit on the live bytes of the process
 *
 * Counted in usable bytes, from those live when the limit was first set.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

enum { BLOCKS = 4096, SIZE = 1000, PAGE = 4096 };

static void *blocks[BLOCKS];
static void *before[100];

/* Allocate as many blocks as possible and keep them; return their number. */
static size_t fill(size_t from)
{
    size_t i = from;

    while (i < BLOCKS && (blocks[i] = malloc(SIZE)) != NULL)
        i++;
    return i - from;
}

static void *empty(void *argument)
{
    (void)argument;
    for (size_t i = 0; i < BLOCKS; i++) {
        free(blocks[i]);
        blocks[i] = NULL;
    }
    return NULL;
}

static void *empty_in_thread(void *argument)
{
    pthread_t thread;

    pthread_create(&thread, NULL, empty, argument);
    pthread_join(thread, NULL);
    return NULL;
}

static int64_t usable;

/* Compare, with room for the memory that libc keeps for its threads. */
static bool is_about(size_t made, size_t wanted)
{
    return made + 10 >= wanted && made <= wanted;
}

/* Return a limit for `count` more blocks than are live. */
static int64_t limit_for(int64_t held, int64_t count)
{
    return held + count * usable;
}

static void malloc_fails_at_the_limit(int64_t held)
{
    struct limit_scope scope;
    size_t made;

    limits_set_global(limit_for(held, 1000));
    limits_begin_global(&scope, LIMIT_ENOMEM);
    made = fill(0);
    expect("alone", "all that it may hold, and no more", made == 1000);
    expect("alone", "ENOMEM", errno == ENOMEM);
    expect("alone", "it is interrupted", limits_interrupted() == 1);
    expect("alone", "and has hit", limits_end(&scope, NULL) == 1);

    empty(NULL);
    limits_begin_global(&scope, LIMIT_ENOMEM);
    expect("alone", "what is free can be had again", fill(0) == 1000);
    limits_end(&scope, NULL);
}

static void what_another_thread_frees_can_be_had(void)
{
    struct limit_scope scope;

    size_t made;

    empty_in_thread(NULL);
    limits_begin_global(&scope, LIMIT_ENOMEM);
    made = fill(0);
    expect("another", "frees for this one", is_about(made, 1000));
    expect("another", "hit", limits_end(&scope, NULL) == 1);
}

static void realloc_counts_what_it_changes(int64_t held)
{
    struct limit_scope scope;
    char *block;
    size_t size = SIZE;

    empty(NULL);
    limits_set_global(limit_for(held, 1000));
    limits_begin_global(&scope, LIMIT_FLAG);
    block = malloc(size);
    while (block != NULL && limits_interrupted() == 0) {
        size += 64;
        block = realloc(block, size);
    }
    expect("realloc", "as much as there is room for",
           llabs((int64_t)size - 1000 * usable) <= 2 * PAGE);
    free(block);
    expect("realloc", "hit", limits_end(&scope, NULL) == 1);
}

static void a_thread_without_a_scope_goes_on(int64_t held)
{
    struct limit_scope scope;

    limits_set_global(limit_for(held, 10));
    expect("no scope", "all it wants", fill(0) == BLOCKS);
    limits_begin_global(&scope, LIMIT_FLAG);
    expect("no scope", "a poll finds it out", limits_interrupted() == 1);
    limits_end(&scope, NULL);
    limits_set_global(-1);
    limits_begin_global(&scope, LIMIT_ENOMEM);
    expect("no limit", "nothing interrupts", limits_interrupted() == 0);
    limits_end(&scope, NULL);
    empty(NULL);
}

static void *fill_with_others(void *counter)
{
    struct limit_scope scope;

    limits_begin_global(&scope, LIMIT_ENOMEM);
    for (;;) {
        size_t at = __atomic_fetch_add((size_t *)counter, 1, __ATOMIC_RELAXED);

        if (at >= BLOCKS || (blocks[at] = malloc(SIZE)) == NULL)
            break;
    }
    limits_end(&scope, NULL);
    return NULL;
}

/* Stop several threads; each may exceed the limit by the block that it
   allocates. */
static void several_threads_stop_together(int64_t held)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    size_t counter = 0, made = 0;

    limits_set_global(limit_for(held, 2000));
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, fill_with_others, &counter);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < BLOCKS; i++)
        made += blocks[i] != NULL;
    expect("together", "they hold what they may",
           made + 10 >= 2000 && made <= 2000 + THREADS);
    limits_set_global(-1);
    empty(NULL);
}

/* Without a scope the thread is counted but not stopped. */
static void *hold_more(void *at)
{
    for (size_t i = BLOCKS / 2; i < BLOCKS; i++) {
        void *block = malloc(SIZE);

        __atomic_store_n(&blocks[i], block, __ATOMIC_RELAXED);
        __atomic_store_n((size_t *)at, i, __ATOMIC_RELEASE);
    }
    return NULL;
}

static void a_thread_is_stopped_by_what_others_hold(int64_t held)
{
    struct limit_scope scope;
    pthread_t thread;
    size_t at = 0, made = 0;
    void *volatile block;

    limits_set_global(limit_for(held, 1000));
    limits_begin_global(&scope, LIMIT_ENOMEM);
    block = malloc(1); /* armed when there was room for all */
    pthread_create(&thread, NULL, hold_more, &at);
    pthread_join(thread, NULL);
    expect("others", "they have all they want", at == BLOCKS - 1);
    while (made < BLOCKS / 2 && (blocks[made] = malloc(SIZE)) != NULL)
        made++;
    expect("others", "so it has a block at most", made <= 1);
    expect("others", "hit", limits_end(&scope, NULL) == 1);
    limits_set_global(-1);
    free(block);
    empty(NULL);
}

static void a_child_counts_on(int64_t held)
{
    struct limit_scope scope;
    int status = -1;
    pid_t child;

    limits_set_global(limit_for(held, 1000));
    limits_begin_global(&scope, LIMIT_ENOMEM);
    for (int i = 0; i < 400; i++)
        blocks[i] = malloc(SIZE);
    child = fork();
    if (child == 0) {
        size_t made = fill(400);

        _exit(is_about(made, 600) && limits_end(&scope, NULL) == 1 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    expect("child", "it may hold as much as its parent", status == 0);
    expect("parent", "and is none of its", is_about(fill(400), 600));
    limits_end(&scope, NULL);
    empty(NULL);
}

int main(void)
{
    int64_t held;

    for (int i = 0; i < 100; i++)
        before[i] = malloc(SIZE);
    limits_set_global(INT64_MAX);
    held = (int64_t)(mallinfo2().uordblks + mallinfo2().hblkhd);
    usable = (int64_t)malloc_usable_size(before[0]);
    malloc_fails_at_the_limit(held);
    what_another_thread_frees_can_be_had();
    realloc_counts_what_it_changes(held);
    a_thread_without_a_scope_goes_on(held);
    several_threads_stop_together(held);
    a_thread_is_stopped_by_what_others_hold(held);
    a_child_counts_on(held);
    return expect_status();
}
