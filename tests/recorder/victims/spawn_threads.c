/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn_threads.c - four threads that spawn and vfork while all of them
 * allocate
 *
 * A vfork child runs on its thread's TLS while the other threads go on. Many
 * idle threads leave the busy ones without counters of their own.
 */
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { IDLE = 150, THREADS = 4, ROUNDS = 20, BLOCKS = 20000 };

static void *in_thread(void)
{
    return victim_keep(malloc(64));
}

static void *in_child(void)
{
    return victim_keep(malloc(32));
}

static void *in_idle(void)
{
    return victim_keep(malloc(16));
}

static void *idle(void *lock)
{
    in_idle();
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static void await(pid_t child)
{
    int status;

    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void vfork_once(void)
{
    pid_t child = vfork();

    REQUIRE(child >= 0);
    if (child == 0) {
        for (int i = 0; i < BLOCKS; i++)
            free(in_thread());
        in_child();
        _exit(0);
    }
    await(child);
}

static void spawn_once(void)
{
    static char name[] = "true";
    char *arguments[] = { name, NULL };
    pid_t child;

    REQUIRE(posix_spawnp(&child, name, NULL, NULL, arguments, environ) == 0);
    await(child);
}

static void *run(void *argument)
{
    for (int i = 0; i < ROUNDS; i++) {
        for (int j = 0; j < BLOCKS; j++)
            free(in_thread());
        in_thread();
        if (i % 2 == 0)
            vfork_once();
        else
            spawn_once();
    }
    return argument;
}

int main(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[THREADS], idlers[IDLE];

    pthread_mutex_lock(&lock);
    for (int i = 0; i < IDLE; i++)
        REQUIRE(pthread_create(&idlers[i], NULL, idle, &lock) == 0);
    usleep(100000);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < IDLE; i++)
        REQUIRE(pthread_join(idlers[i], NULL) == 0);
    return 0;
}
