/* SPDX-License-Identifier: Apache-2.0 */
/* suspended.c - a fiber's scope is the fiber's, also in another thread */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include "tally/limits.h"
#include "tests/limits/expect.h"

enum { STACK = 65536, FIBERS = 3, TURNS = 200 };

static ucontext_t scheduler;

static struct fiber {
    ucontext_t context;
    char stack[STACK];
    size_t size; /* of the block of each turn */
    uint64_t bytes;
    unsigned turns; /* until it was interrupted */
    int is_hit;
} fibers[FIBERS];

static bool can_allocate(size_t size)
{
    void *volatile block = malloc(size);

    free(block);
    return block != NULL;
}

/* The scheduler may run the fiber in another thread next. */
static __attribute__((noinline)) void yield(struct fiber *fiber,
                                            struct limit_scope *scope)
{
    expect("fiber", "suspends", limits_suspend(scope) == 0);
    swapcontext(&fiber->context, &scheduler);
    expect("fiber", "resumes", limits_resume(scope) == 0);
}

static void run(int number)
{
    struct fiber *fiber = &fibers[number];
    struct limit_scope scope, inner;

    limits_begin_allocation(&scope, 10000, LIMIT_ENOMEM);
    limits_begin_allocation(&inner, UINT64_MAX, LIMIT_FLAG);
    limits_mask_begin();
    yield(fiber, &scope);
    expect("fiber", "is masked as before", limits_is_blocked() == 1);
    limits_mask_end();
    while (can_allocate(fiber->size)) {
        fiber->turns++;
        yield(fiber, &scope);
    }
    limits_end(&inner, &fiber->bytes);
    fiber->is_hit = limits_end(&scope, NULL);
    expect("fiber", "is open no more", limits_resume(&scope) == -EINVAL);
}

static void begin(int number)
{
    struct fiber *fiber = &fibers[number];

    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->stack;
    fiber->context.uc_stack.ss_size = STACK;
    fiber->context.uc_link = &scheduler;
    fiber->size = 100 * ((size_t)number + 1);
    makecontext(&fiber->context, (void (*)(void))run, 1, number);
}

static void *run_all(void *own)
{
    struct limit_scope *scope = own;
    uint64_t bytes;

    if (scope != NULL)
        limits_begin_allocation(scope, UINT64_MAX, LIMIT_FLAG);
    for (int i = 0; i < FIBERS; i++) {
        if (fibers[i].bytes == 0)
            swapcontext(&scheduler, &fibers[i].context);
        expect("scheduler", "is not masked", limits_is_blocked() == 0);
        expect("scheduler", "is not hit", limits_interrupted() == 0);
    }
    if (scope != NULL) {
        expect("scheduler", "has a scope", limits_end(scope, &bytes) == 0);
        expect("scheduler", "is charged for its fibers", bytes == 600);
    }
    return NULL;
}

static void fibers_have_their_own_scopes(void)
{
    struct limit_scope scope;

    for (int i = 0; i < FIBERS; i++)
        begin(i);
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_t thread;

        if (turn % 2 == 0) {
            run_all(turn == 2 ? &scope : NULL);
            can_allocate(5000); /* the scheduler's own */
        } else {
            pthread_create(&thread, NULL, run_all, NULL);
            pthread_join(thread, NULL);
        }
    }
    for (int i = 0; i < FIBERS; i++) {
        expect("fiber", "runs as long as it may",
               fibers[i].turns == (10000 - 1) / fibers[i].size);
        expect("fiber", "is charged its own",
               fibers[i].bytes == fibers[i].turns * fibers[i].size);
        expect("fiber", "is hit", fibers[i].is_hit == 1);
    }
}

static void *ends(void *scope)
{
    uint64_t bytes;

    expect("suspended", "ends in any thread",
           limits_end(scope, &bytes) == 1 && bytes == 700);
    return NULL;
}

static void a_suspended_scope_ends(void)
{
    struct limit_scope outer, scope, inner;
    pthread_t thread;
    uint64_t bytes;

    limits_begin_allocation(&outer, 2000, LIMIT_ENOMEM);
    expect("open", "is not resumed", limits_resume(&outer) == -EINVAL);
    expect("other", "is not suspended", limits_suspend(&scope) == -EINVAL);
    expect("nothing", "is suspended",
           limits_suspend(NULL) == -EINVAL && limits_resume(NULL) == -EINVAL);
    limits_begin_allocation(&scope, 600, LIMIT_FLAG);
    limits_begin_mask(&inner);
    can_allocate(700);
    limits_suspend(&scope);
    expect("suspended", "once", limits_suspend(&scope) == -EINVAL);
    expect("suspended", "with its mask", limits_is_blocked() == 0);
    expect("outer", "goes on", can_allocate(1299) && !can_allocate(1));
    expect("outer", "is charged all",
           limits_end(&outer, &bytes) == 1 && bytes == 1999);
    pthread_create(&thread, NULL, ends, &scope);
    pthread_join(thread, NULL);
}

/* Live bytes are counted from where the scope resumes. */
static void kinds_are_moved(void)
{
    struct limit_token token = { 0 };
    struct limit_scope live, of_token, shared, joined;
    void *volatile block, *volatile other;
    uint64_t bytes;

    limits_begin_live(&live, 100000, LIMIT_ENOMEM);
    limits_begin_token(&of_token, &token, LIMIT_ENOMEM);
    limits_begin_shared(&shared, 1000, LIMIT_ENOMEM);
    limits_join(&joined, &shared, LIMIT_ENOMEM);
    block = malloc(500);
    limits_suspend(&live);
    other = malloc(500000);
    token.set = 1;
    expect("kinds", "count nothing meanwhile", can_allocate(5000));
    limits_resume(&live);
    free(other); /* which makes room */
    expect("kinds", "the token is set", !can_allocate(1));
    expect("kinds", "joined", limits_end(&joined, &bytes) == 0 && bytes == 500);
    expect("kinds", "shared", limits_end(&shared, &bytes) == 0 && bytes == 500);
    expect("kinds", "token", limits_end(&of_token, NULL) == 1);
    expect("kinds", "live", can_allocate(550000) && !can_allocate(650000));
    free(block);
    limits_end(&live, NULL);
}

/* At a rate of 1 each word is a sample: 100 bytes and a header are 14 words. */
static void sampling_ends_meanwhile(void)
{
    struct limit_scope scope;
    uint64_t bytes;

    limits_use_sampling(1);
    limits_begin_allocation(&scope, 10000, LIMIT_ENOMEM);
    can_allocate(100);
    limits_suspend(&scope);
    limits_use_sampling(0);
    can_allocate(20000);
    limits_resume(&scope);
    expect("sampled", "is exact from there",
           can_allocate(9887) && !can_allocate(1));
    expect("sampled", "is charged both",
           limits_end(&scope, &bytes) == 1 && bytes == 112 + 9887);
}

enum { ROUNDS = 100, SCOPES = 1000 };

static struct limit_scope scopes[SCOPES];
static pthread_barrier_t barrier;

static void *end_all(void *unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < SCOPES; i++)
            expect("handed over", "ends", limits_end(&scopes[i], NULL) == 0);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static long resident_pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size, resident = 0;

    expect("statm", "is read",
           file != NULL && fscanf(file, "%ld %ld", &size, &resident) == 2);
    fclose(file);
    return resident;
}

/* One thread begins all scopes, another ends them. */
static void memory_of_scopes_is_reused(void)
{
    pthread_t thread;
    long before = 0;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, end_all, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < SCOPES; i++) {
            limits_begin_allocation(&scopes[i], UINT64_MAX, LIMIT_FLAG);
            limits_suspend(&scopes[i]);
        }
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        if (round == 1)
            before = resident_pages();
    }
    /* Their states take 11 MB together. */
    expect("memory", "is reused", resident_pages() - before < 1000);
    pthread_join(thread, NULL);
}

int main(void)
{
    fibers_have_their_own_scopes();
    a_suspended_scope_ends();
    kinds_are_moved();
    sampling_ends_meanwhile();
    memory_of_scopes_is_reused();
    return expect_status();
}
