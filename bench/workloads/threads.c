/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads.c - many threads that allocate a little and end
 *
 * AT_ONCE threads live at the same time. Each allocates and frees below DEPTH
 * calls of two functions that call each other, in one of PATHS orders, for as
 * many stacks. At the end the program prints the KiB of anonymous memory
 * outside its heap: the excess over a run without a recorder is the recorder's
 * own memory.
 *
 * usage: threads COUNT ALLOCATIONS AT_ONCE [PATHS [DEPTH]]
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AT_ONCE = 256 };

static long allocations;
static unsigned long paths;
static int depth;

static _Thread_local void *volatile escaped;

static void go_right(unsigned long path, int level);

static void allocate_once(size_t size)
{
    char *block = malloc(size);

    *(volatile char *)block = 1;
    escaped = block;
    free(escaped);
}

static __attribute__((noinline)) void go_left(unsigned long path, int level)
{
    volatile char frame[16];

    frame[0] = (char)level;
    if (level == 0)
        allocate_once(8 + path % 233);
    else if ((path & 1) != 0)
        go_left(path >> 1, level - 1);
    else
        go_right(path >> 1, level - 1);
    frame[1] = frame[0]; /* keeps this frame: prevents a tail call */
}

static __attribute__((noinline)) void go_right(unsigned long path, int level)
{
    volatile char frame[48];

    frame[0] = (char)level;
    if (level == 0)
        allocate_once(8 + path % 233);
    else if ((path & 1) != 0)
        go_left(path >> 1, level - 1);
    else
        go_right(path >> 1, level - 1);
    frame[1] = frame[0];
}

static void *run_thread(void *number)
{
    unsigned long path = (unsigned long)(uintptr_t)number * 7919;

    for (long i = 0; i < allocations; i++)
        go_left((path + (unsigned long)i) % paths, depth);
    return NULL;
}

/* Check the first line of a mapping: without a name, or with one that was
   given. */
static int is_anonymous(const char *line)
{
    char name[128];

    return sscanf(line, "%*s %*s %*s %*s %*s %127s", name) != 1 ||
           strncmp(name, "[anon", 5) == 0;
}

static long anonymous_kib(void)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    int counts = 0;
    long sum = 0;
    long kib;

    if (file == NULL)
        return -1;
    while (fgets(line, sizeof line, file) != NULL) {
        unsigned long start;
        unsigned long end;

        if (sscanf(line, "%lx-%lx", &start, &end) == 2)
            counts = is_anonymous(line);
        else if (counts && sscanf(line, "Rss: %ld kB", &kib) == 1)
            sum += kib;
    }
    fclose(file);
    return sum;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST_AT_ONCE];
    long count = argc > 1 ? atol(argv[1]) : 10000;
    long at_once = argc > 3 ? atol(argv[3]) : 8;

    allocations = argc > 2 ? atol(argv[2]) : 100;
    paths = argc > 4 ? strtoul(argv[4], NULL, 10) : 16;
    depth = argc > 5 ? atoi(argv[5]) : 8;
    if (at_once < 1 || at_once > MOST_AT_ONCE || paths == 0) {
        fprintf(stderr, "usage: threads COUNT ALLOCATIONS AT_ONCE [PATHS "
                        "[DEPTH]]\n");
        return 2;
    }
    for (long first = 0; first < count; first += at_once) {
        long last = first + at_once < count ? first + at_once : count;

        for (long i = first; i < last; i++) {
            if (pthread_create(&threads[i - first], NULL, run_thread,
                               (void *)(uintptr_t)i) != 0)
                return 1;
        }
        for (long i = first; i < last; i++)
            pthread_join(threads[i - first], NULL);
    }
    printf("%ld\n", anonymous_kib());
    return 0;
}
