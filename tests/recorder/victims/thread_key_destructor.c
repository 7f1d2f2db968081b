/* SPDX-License-Identifier: Apache-2.0 */
/*
 * thread_key_destructor.c - destructors that allocate, as often as they can run
 *
 * A destructor that sets its key again runs again, PTHREAD_DESTRUCTOR_
 * ITERATIONS times in all, the last time when most of the thread is gone.
 */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

_Static_assert(PTHREAD_DESTRUCTOR_ITERATIONS == 4, "as the expectation says");

static pthread_key_t key;

static void *in_destructor(void)
{
    return victim_keep(malloc(48));
}

static void *in_thread(void)
{
    return victim_keep(malloc(96));
}

static void destroy(void *held)
{
    free(held);
    REQUIRE(pthread_setspecific(key, in_destructor()) == 0);
}

static void *run(void *argument)
{
    REQUIRE(pthread_setspecific(key, in_thread()) == 0);
    return argument;
}

int main(void)
{
    REQUIRE(pthread_key_create(&key, destroy) == 0);
    for (int i = 0; i < 200; i++) {
        pthread_t thread;

        REQUIRE(pthread_create(&thread, NULL, run, NULL) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
    }
    return 0;
}
