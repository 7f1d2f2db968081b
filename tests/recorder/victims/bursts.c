/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bursts.c - a program that is idle, then busy, then has many threads, and a
 * child
 *
 *     calm      20 times 100 blocks of 1,000 bytes, with pauses of 10 ms
 *     burst     400,000 blocks of 500 bytes
 *     crowd     300 threads at the same time, 200 blocks of 2,000 bytes each
 *     child     50,000 blocks of 300 bytes, in a forked child
 *     kept      3,000 blocks of 4,000 bytes, live at the end
 *
 * All blocks but `kept` are short-lived.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CALM = 20,
    CALM_BLOCKS = 100,
    BURST = 400000,
    THREADS = 300,
    CROWD = 200,
    CHILD = 50000,
    KEPT = 3000
};

static pthread_barrier_t together;
static void *held[KEPT];

static __attribute__((noinline)) void *make(size_t size)
{
    void *block = malloc(size);

    if (block == NULL)
        exit(99);
    return block;
}

static __attribute__((noinline)) void calm(void)
{
    for (int i = 0; i < CALM; i++) {
        for (int j = 0; j < CALM_BLOCKS; j++)
            free(make(1000));
        usleep(10000);
    }
}

static __attribute__((noinline)) void burst(void)
{
    for (int i = 0; i < BURST; i++)
        free(make(500));
}

static __attribute__((noinline)) void *crowd(void *argument)
{
    pthread_barrier_wait(&together);
    for (int i = 0; i < CROWD; i++)
        free(make(2000));
    return argument;
}

static __attribute__((noinline)) void child(void)
{
    for (int i = 0; i < CHILD; i++)
        free(make(300));
}

static __attribute__((noinline)) void kept(void)
{
    for (int i = 0; i < KEPT; i++)
        held[i] = make(4000);
}

int main(void)
{
    pthread_t threads[THREADS];
    pid_t pid;

    calm();
    burst();
    pthread_barrier_init(&together, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, crowd, NULL) != 0)
            return 98;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    kept();
    pid = fork();
    if (pid == 0) {
        child();
        _exit(0);
    }
    waitpid(pid, NULL, 0);
    return held[0] == NULL;
}
