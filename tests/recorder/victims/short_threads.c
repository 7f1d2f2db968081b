/* SPDX-License-Identifier: Apache-2.0 */
/* short_threads.c - 10,000 threads that each make two allocations */
#include <pthread.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { THREADS = 10000, AT_ONCE = 50 };

static void *in_thread(void)
{
    return victim_keep(malloc(32));
}

static void *run(void *argument)
{
    in_thread();
    free(in_thread());
    return argument;
}

int main(void)
{
    pthread_t threads[AT_ONCE];

    for (int done = 0; done < THREADS; done += AT_ONCE) {
        for (int i = 0; i < AT_ONCE; i++)
            REQUIRE(pthread_create(&threads[i], NULL, run, NULL) == 0);
        for (int i = 0; i < AT_ONCE; i++)
            REQUIRE(pthread_join(threads[i], NULL) == 0);
    }
    return 0;
}
