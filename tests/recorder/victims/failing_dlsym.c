/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failing_dlsym.c - make dlsym allocate its error message very early
 *
 * libc allocates dlerror's text before main, and in threads as their first
 * allocation.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void ask(void)
{
    REQUIRE(dlsym(RTLD_DEFAULT, "no_such_name_anywhere") == NULL);
    REQUIRE(dlerror() != NULL);
    REQUIRE(dlerror() == NULL);
}

static void *in_ask(void)
{
    ask();
    return victim_keep(malloc(10));
}

__attribute__((constructor)) static void begin(void)
{
    in_ask();
}

static void *run(void *argument)
{
    in_ask();
    return argument;
}

int main(void)
{
    for (int i = 0; i < 20; i++) {
        pthread_t thread;

        REQUIRE(pthread_create(&thread, NULL, run, NULL) == 0);
        REQUIRE(pthread_join(thread, NULL) == 0);
    }
    in_ask();
    return 0;
}
