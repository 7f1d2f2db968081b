/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl.c - cost of an event and of a round of the profiler
 *
 *     zpl                  prints "NAME VALUE" lines, nanoseconds
 *     zpl FOLDER COUNT     writes a trace of COUNT events, to be decoded
 *
 * A round covers 100 regions: stacks of 5 threads, libc's arenas, 40 heaps, and
 * slabs for the rest. CPU time and duration of each round are measured; the
 * median is printed.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tally/mem_slab.h"
#include "tally/sys_heap.h"
#include "tally/zpl.h"

enum {
    EVENTS = 2000000,
    ROUNDS = 2001,
    REGIONS = 100,
    THREADS = 4,
    HEAPS = 40,
    HEAP_BYTES = 1024,
};

static unsigned char buffer[4096];

static uint64_t now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static bool take(void *context, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    ++*(unsigned *)context;
    return true;
}

static bool put(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

static void open_stream(tally_zpl_sink_fn write, void *context, uint8_t format)
{
    const struct tally_zpl_stream stream = {
        .sink = { write, context },
        .buffer = buffer,
        .capacity = sizeof buffer,
        .format = format,
    };

    tally_zpl_open(&stream);
}

static void emit_many(const char *name)
{
    uint64_t start = now(CLOCK_MONOTONIC);

    for (unsigned i = 0; i < EVENTS; i++)
        zpl_emit_memory_event(ZPL_HEAP, 0x1000, i, EVENTS - i);
    printf("%s %.2f\n", name, (double)(now(CLOCK_MONOTONIC) - start) / EVENTS);
}

static void *sleep_on(void *unused)
{
    pause();
    return unused;
}

static void make_regions(void)
{
    static struct sys_heap heaps[HEAPS];
    static struct k_mem_slab slabs[REGIONS];
    static unsigned char memory[REGIONS][HEAP_BYTES];
    struct tally_zpl_figures figures;
    pthread_t thread;

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread, NULL, sleep_on, NULL);
    for (int i = 0; i < HEAPS; i++)
        sys_heap_init(&heaps[i], memory[i], HEAP_BYTES);
    zpl_memory_profiling_set(true);
    tally_zpl_round();
    tally_zpl_figures_get(&figures);
    for (int i = HEAPS; figures.regions < REGIONS && i < REGIONS;
         i++, figures.regions++)
        k_mem_slab_init(&slabs[i], memory[i], 32, HEAP_BYTES / 32);
}

static int compare(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

static void rounds(void)
{
    static uint64_t cpu[ROUNDS], wall[ROUNDS];
    struct tally_zpl_figures figures;

    for (int i = 0; i < ROUNDS; i++) {
        uint64_t start = now(CLOCK_THREAD_CPUTIME_ID);

        tally_zpl_round();
        cpu[i] = now(CLOCK_THREAD_CPUTIME_ID) - start;
        tally_zpl_figures_get(&figures);
        wall[i] = figures.last_ns;
    }
    qsort(cpu, ROUNDS, sizeof cpu[0], compare);
    qsort(wall, ROUNDS, sizeof wall[0], compare);
    printf("round_regions %u\n", figures.regions);
    printf("round_cpu %.0f\n", (double)cpu[ROUNDS / 2]);
    printf("round_wall %.0f\n", (double)wall[ROUNDS / 2]);
}

static int write_trace(const char *folder, unsigned count)
{
    char target[4096], path[4096];
    FILE *file;

    /* Create the folder's metadata; then write events past the queue, so that
       none is lost. */
    snprintf(target, sizeof target, "dir:%s,off", folder);
    snprintf(path, sizeof path, "%s/channel0_0", folder);
    if (tally_zpl_start(target) != 0)
        return 1;
    tally_zpl_stop();
    file = fopen(path, "wb");
    if (file == NULL)
        return 1;
    open_stream(put, file, TALLY_ZPL_CTF);
    for (unsigned i = 0; i < count; i++)
        zpl_emit_memory_event((enum zpl_memory_region)(1 + i % 3),
                              0x20000000 + i % REGIONS * 64, i % 4096,
                              4096 - i % 4096);
    tally_zpl_flush();
    return fclose(file) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    unsigned packets = 0;

    if (argc == 3)
        return write_trace(argv[1], (unsigned)atoi(argv[2]));
    open_stream(take, &packets, TALLY_ZPL_CTF);
    emit_many("emit_ctf");
    open_stream(take, &packets, TALLY_ZPL_PLAINTEXT);
    emit_many("emit_text");
    if (tally_zpl_start("file:/dev/null,off") != 0)
        return 1;
    emit_many("emit_to_thread");
    tally_zpl_stop();
    open_stream(take, &packets, TALLY_ZPL_CTF);
    make_regions();
    rounds();
    return 0;
}
