/* SPDX-License-Identifier: Apache-2.0 */
/* domains.c - sets of threads, each with its own profile, or a shared one */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "tests/memprof/tracker.h"

struct count {
    _Atomic unsigned allocs, deallocs;
};

static void *count_alloc(const struct memprof_allocation *allocation,
                         void *context)
{
    struct count *count = context;

    /* Ignore libc's own allocations for a thread. */
    if (allocation->bytes == 8)
        count->allocs++;
    return allocation->bytes == 8 ? context : NULL;
}

static void *count_promote(void *block, void *context)
{
    (void)context;
    return block;
}

static void count_dealloc(void *block, void *context)
{
    (void)block;
    ((struct count *)context)->deallocs++;
}

static struct memprof *start_counting(struct count *count)
{
    const struct memprof_tracker counting = {
        count_alloc,   count_alloc,   count_promote,
        count_dealloc, count_dealloc, count,
    };
    struct memprof *profile = NULL;

    CHECK_IS(memprof_start(1, 0, &counting, &profile), 0);
    return profile;
}

static void run(void *(*work)(void *), void *argument)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, argument);
    pthread_join(thread, NULL);
}

static void *allocate(void *times)
{
    for (uintptr_t i = (uintptr_t)times; i > 0; i--)
        free(malloc(8));
    return NULL;
}

static int allocate_as_thrd(void *times)
{
    allocate(times);
    return 7;
}

static void run_thrd(void *times)
{
    thrd_t thread;
    int result = 0;

    CHECK_IS(thrd_create(&thread, allocate_as_thrd, times), thrd_success);
    CHECK_IS(thrd_join(thread, &result), thrd_success);
    CHECK_IS(result, 7);
}

/* A domain with its own profile; children inherit both. */
static struct count ours, theirs;

static void *own_profile(void *unused)
{
    struct memprof *profile, *none;

    (void)unused;
    CHECK_IS(memprof_is_sampling(), 0);
    CHECK_IS(memprof_domain_new(), 0);
    CHECK_IS(memprof_is_sampling(), 0);
    profile = start_counting(&theirs);
    CHECK_IS(memprof_start(1, 0, &tracker, &none), -EALREADY);
    allocate((void *)3);
    run(allocate, (void *)10);
    run_thrd((void *)20);
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_stop(), -ESRCH);
    CHECK_IS(memprof_discard(profile), 0);
    return NULL;
}

static void *begin_in_new_domain(void *unused)
{
    own_profile(unused);
    CHECK_IS(theirs.allocs, 33);
    CHECK_IS(theirs.deallocs, 33);
    return NULL;
}

static void check_apart(void)
{
    struct memprof *profile;

    run(begin_in_new_domain, NULL);
    theirs = (struct count){ 0 };
    profile = start_counting(&ours);
    allocate((void *)5);
    CHECK_IS(ours.allocs, 5);
    CHECK_IS(theirs.allocs, 0);
    CHECK_IS(memprof_stop(), 0);
    run(begin_in_new_domain, NULL);
    CHECK_IS(ours.allocs, 5);
    CHECK_IS(memprof_discard(profile), 0);
}

/* Two profiles at once. */
static void *other_profile(void *unused)
{
    struct memprof *profile;

    (void)unused;
    CHECK_IS(memprof_domain_new(), 0);
    CHECK_IS(memprof_is_sampling(), 1); /* it joined */
    allocate((void *)2);
    CHECK_IS(memprof_stop(), 0); /* for all threads that share it */
    profile = start_counting(&theirs);
    allocate((void *)7);
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_discard(profile), 0);
    return NULL;
}

static void check_shared(void)
{
    struct memprof *profile;

    ours = theirs = (struct count){ 0 };
    profile = start_counting(&ours);
    allocate((void *)1);
    run(other_profile, NULL);
    allocate((void *)1);
    CHECK_IS(memprof_is_sampling(), 0);
    CHECK_IS(ours.allocs, 3);
    CHECK_IS(theirs.allocs, 7);
    CHECK_IS(memprof_discard(profile), 0);
}

/* Both sample at the same time. */
static _Atomic int turn;

static void *sample_beside(void *unused)
{
    struct memprof *profile;

    (void)unused;
    CHECK_IS(memprof_domain_new(), 0);
    profile = start_counting(&theirs);
    turn = 1;
    while (turn != 2)
        ;
    allocate((void *)4);
    CHECK_IS(memprof_stop(), 0);
    CHECK_IS(memprof_discard(profile), 0);
    turn = 3;
    return NULL;
}

static void check_at_once(void)
{
    struct memprof *profile;
    pthread_t thread;

    ours = theirs = (struct count){ 0 };
    pthread_create(&thread, NULL, sample_beside, NULL);
    while (turn != 1)
        ;
    profile = start_counting(&ours);
    allocate((void *)6);
    turn = 2;
    while (turn != 3)
        ;
    allocate((void *)6);
    pthread_join(thread, NULL);
    CHECK_IS(memprof_is_sampling(), 1);
    end(profile);
    CHECK_IS(ours.allocs, 12);
    CHECK_IS(theirs.allocs, 4);
}

/* A profile whose threads have all ended is stopped. */
static struct memprof *abandoned;
static void *left;

static void *abandon(void *unused)
{
    (void)unused;
    CHECK_IS(memprof_domain_new(), 0);
    abandoned = start_counting(&theirs);
    left = malloc(8);
    CHECK_IS(memprof_discard(abandoned), -EBUSY);
    return NULL;
}

static void check_implicit_stop(void)
{
    theirs = (struct count){ 0 };
    run(abandon, NULL);
    CHECK_IS(memprof_is_sampling(), 0);
    free(left); /* by a thread of another domain */
    CHECK_IS(theirs.allocs, 1);
    CHECK_IS(theirs.deallocs, 1);
    CHECK_IS(memprof_discard(abandoned), 0);
    CHECK_IS(memprof_discard(abandoned), -EALREADY);
}

/* A handle is known until a thousand others were discarded. */
static void check_old_handle(void)
{
    struct memprof *first = start_counting(&ours);

    end(first);
    for (int i = 0; i < 1000; i++) {
        CHECK_IS(memprof_discard(first), -EALREADY);
        end(start_counting(&ours));
    }
}

int main(void)
{
    setvbuf(stderr, NULL, _IONBF, 0);
    check_apart();
    check_shared();
    check_at_once();
    check_implicit_stop();
    check_old_handle();
    return end_of_test();
}
