/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signals.c - handlers that allocate, at any point
 *
 * A handler that interrupts the program is sampled like other code. A handler
 * that interrupts a callback is not; at any point a handler neither hangs nor
 * breaks a block's life.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "tests/memprof/tracker.h"

static volatile unsigned handled;
static volatile int raises;

static void handle(int signal)
{
    (void)signal;
    free(malloc(24));
    handled++;
}

static void *alloc(const struct memprof_allocation *allocation, void *context)
{
    if (raises) {
        raises = 0;
        raise(SIGUSR1);
    }
    return track_alloc_minor(allocation, context);
}

static void dealloc(void *minor, void *context)
{
    track_dealloc_minor(minor, context);
    if (raises) {
        raises = 0;
        raise(SIGUSR1);
    }
}

static void check_in_callback(void)
{
    struct memprof_tracker raising = tracker;
    struct memprof *profile;
    void *block;

    raising.alloc_minor = alloc;
    raising.dealloc_minor = dealloc;
    CHECK_IS(memprof_start(1, INT_MAX, &raising, &profile), 0);
    raises = 1;
    block = malloc(8);
    expect("in alloc", 1, 0, 0, 0, 0);
    raises = 1;
    free(block);
    expect("in dealloc", 0, 0, 0, 1, 0);
    CHECK_IS(handled, 2);
    raise(SIGUSR1);
    expect("in the program", 1, 0, 0, 1, 0);
    end(profile);
}

/*
 * Maps do not concern malloc, so a handler may create them at any time: they
 * are charged by call here.
 */
static volatile unsigned long charged;

static void charge(int signal)
{
    uint64_t token = memprof_custom_alloc(100);

    (void)signal;
    charged += token != 0;
    memprof_custom_free(token);
}

static void *count_only(const struct memprof_allocation *allocation,
                        void *context)
{
    (void)allocation;
    return context;
}

static void *keep(void *block, void *context)
{
    (void)context;
    return block;
}

static _Atomic unsigned long ends;

static void end_only(void *block, void *context)
{
    (void)block;
    (void)context;
    ends++;
}

static void set_timer(suseconds_t every_us)
{
    const struct itimerval timer = { { 0, every_us }, { 0, every_us } };

    setitimer(ITIMER_REAL, &timer, NULL);
}

static void check_anywhere(void)
{
    static char context;
    const struct memprof_tracker counting = {
        count_only, count_only, keep, end_only, end_only, &context,
    };
    struct sigaction action = { .sa_handler = charge, .sa_flags = SA_RESTART };
    struct memprof *profile;
    unsigned long count = 0;

    sigaction(SIGALRM, &action, NULL);
    CHECK_IS(memprof_start(1, 0, &counting, &profile), 0);
    set_timer(50);
    for (; count < 300000; count++)
        free(malloc(count % 3000));
    set_timer(0);
    CHECK(ends >= count && ends <= count + charged);
    end(profile);
}

/* SIGALRM still charges while a profile is discarded and the next one
   samples. */
static void check_ends(void)
{
    static char context;
    const struct memprof_tracker counting = {
        count_only, count_only, keep, end_only, end_only, &context,
    };
    struct memprof *former = NULL;
    void *blocks[100] = { NULL };

    set_timer(20);
    for (int i = 0; i < 3000; i++) {
        struct memprof *profile;

        CHECK_IS(memprof_start(1, 0, &counting, &profile), 0);
        if (former != NULL)
            CHECK_IS(memprof_discard(former), 0);
        for (int k = 0; k < 100; k++) {
            free(blocks[k]);
            blocks[k] = malloc(16);
        }
        CHECK_IS(memprof_stop(), 0);
        former = profile;
    }
    set_timer(0);
    CHECK_IS(memprof_discard(former), 0);
    for (int k = 0; k < 100; k++)
        free(blocks[k]);
}

int main(void)
{
    struct sigaction action = { .sa_handler = handle };

    setvbuf(stderr, NULL, _IONBF, 0);
    sigaction(SIGUSR1, &action, NULL);
    check_in_callback();
    check_anywhere();
    check_ends();
    return end_of_test();
}
