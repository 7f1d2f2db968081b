/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_room_for_stacks.c - reach RLIMIT_AS while the program runs
 *
 * A second thread then has no memory for its stacks: each of its blocks is
 * charged to the call site alone, and none takes longer.
 */
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 20000 };

static sem_t may_go;

static void *request(void)
{
    return victim_keep(malloc(24));
}

static void *allocate(void *unused)
{
    sem_wait(&may_go);
    for (int i = 0; i < BLOCKS; i++) {
        void *block = request();

        REQUIRE(block != NULL);
        free(block);
    }
    return unused;
}

static rlim_t used_now(void)
{
    char text[100] = "";
    int file = open("/proc/self/statm", O_RDONLY);

    REQUIRE(read(file, text, sizeof text - 1) > 0);
    close(file);
    return strtoul(text, NULL, 10) * 4096;
}

int main(void)
{
    static char stack[1 << 18]; /* static: no call site maps a stack */
    pthread_attr_t attributes;
    struct rlimit limit;
    pthread_t thread;

    mallopt(M_ARENA_MAX, 1);
    sem_init(&may_go, 0, 0);
    free(victim_keep(malloc(100000)));
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstack(&attributes, stack, sizeof stack) == 0);
    REQUIRE(pthread_create(&thread, &attributes, allocate, NULL) == 0);
    REQUIRE(getrlimit(RLIMIT_AS, &limit) == 0);
    limit.rlim_cur = used_now();
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    sem_post(&may_go);
    REQUIRE(pthread_join(thread, NULL) == 0);
    return 0;
}
