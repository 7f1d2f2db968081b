/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emitter.c - emit COUNT events as fast as they come, and say what became of
 * them
 *
 *     emitter TARGET COUNT [MS [CHILDREN]]
 *
 * Event N is of heap 0x1000 + N % 16 with N used. MS is slept between start and
 * the first, and between the last and the end. Meanwhile CHILDREN are forked,
 * one after the other, while a thread emits; each emits as many, and every
 * third profiles itself. On standard error: the time that emitting took, in ms,
 * and how many events were emitted and lost.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tally/zpl.h>

static void sleep_ms(long ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

    nanosleep(&time, NULL);
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void emit(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        zpl_emit_memory_event(ZPL_HEAP, 0x1000 + i % 16, i, count - i);
}

static void *emit_for_ever(void *unused)
{
    for (;;)
        emit(1000);
    return unused;
}

static void fork_children(int children, unsigned count)
{
    pthread_t thread;

    pthread_create(&thread, NULL, emit_for_ever, NULL);
    while (children-- > 0) {
        pid_t child = fork();
        int status;

        if (child == 0) {
            emit(count);
            tally_zpl_flush();
            if (children % 3 == 0 && tally_zpl_start("file:/dev/null") != 0)
                _exit(1);
            exit(0);
        }
        if (waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "emitter: a child ended with %d\n", status);
            exit(1);
        }
    }
}

int main(int argc, char **argv)
{
    unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    long ms = argc > 3 ? atol(argv[3]) : 0;
    struct tally_zpl_figures figures;
    double begin;
    const char *target = argc > 1 ? argv[1] : "";
    int error = tally_zpl_start(strcmp(target, "NULL") == 0 ? NULL : target);

    if (error != 0) {
        fprintf(stderr, "emitter: %s\n", strerror(-error));
        return 1;
    }
    sleep_ms(ms);
    begin = now_ms();
    emit(count);
    begin = now_ms() - begin;
    tally_zpl_flush();
    sleep_ms(ms);
    if (argc > 4)
        fork_children(atoi(argv[4]), count);
    tally_zpl_stop();
    tally_zpl_figures_get(&figures);
    fprintf(stderr, "%.1f %llu %llu\n", begin,
            (unsigned long long)figures.events,
            (unsigned long long)figures.discarded);
    return 0;
}
