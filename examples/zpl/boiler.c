/* SPDX-License-Identifier: Apache-2.0 */
/*
 * boiler.c - a program whose memory is profiled while it runs
 *
 *     cc -o boiler boiler.c $(pkg-config --cflags --libs tally)
 *     boiler TARGET [SECONDS]
 *
 * The program has a slab of readings, a k_heap of messages, a sys_heap of
 * tables, and a thread with a known use of its stack. Their use goes up and
 * down; at the end it prints their use as
 *
 *     expect REGION ADDRESS USED UNUSED
 *
 * which must match the end of the trace. TARGET is that of tally_zpl_start(),
 * for example dir:/tmp/boiler,interval=100.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tally/k_heap.h>
#include <tally/mem_slab.h>
#include <tally/sys_heap.h>
#include <tally/zpl.h>

enum { READINGS = 32, READING_BYTES = 64, STEPS = 20, DEEP_BYTES = 200000 };

K_MEM_SLAB_DEFINE(readings, READING_BYTES, READINGS, 8);
K_HEAP_DEFINE(messages, 8192);

static struct sys_heap tables;
static unsigned char table_memory[16384];
static pthread_barrier_t barrier;

static void sleep_ms(long ms)
{
    const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

    nanosleep(&time, NULL);
}

static void *burn(void *unused)
{
    volatile char deep[DEEP_BYTES];

    for (size_t i = sizeof deep; i-- > 0;)
        deep[i] = 1;
    pthread_setname_np(pthread_self(), "burner");
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return unused;
}

/* Use up to half of everything, then a quarter. */
static void go_up_and_down(long ms)
{
    void *reading[READINGS], *message[STEPS], *table[STEPS];
    int step;

    for (step = 0; step < STEPS; step++) {
        if (k_mem_slab_alloc(&readings, &reading[step], K_NO_WAIT) != 0)
            abort();
        message[step] = k_heap_alloc(&messages, 100, K_NO_WAIT);
        table[step] = sys_heap_alloc(&tables, 200);
        sleep_ms(ms / STEPS / 2);
    }
    while (step-- > STEPS / 4) {
        k_mem_slab_free(&readings, reading[step]);
        k_heap_free(&messages, message[step]);
        sys_heap_free(&tables, table[step]);
        sleep_ms(ms / STEPS / 2);
    }
}

static void expect_heap(const char *region, struct sys_heap *heap)
{
    struct sys_memory_stats stats;

    sys_heap_runtime_stats_get(heap, &stats);
    printf("expect %s %p %zu %zu\n", region, (void *)heap,
           stats.allocated_bytes, stats.free_bytes);
}

static void expect_slab(struct k_mem_slab *slab)
{
    uint32_t used = k_mem_slab_num_used_get(slab);

    printf("expect mem_slab %p %u %u\n", (void *)slab, used * READING_BYTES,
           (READINGS - used) * READING_BYTES);
}

int main(int argc, char **argv)
{
    long seconds = argc > 2 ? atol(argv[2]) : 1;
    struct tally_zpl_figures figures;
    pthread_t burner;
    int error;

    if (argc < 2) {
        fprintf(stderr, "usage: boiler TARGET [SECONDS]\n");
        return 2;
    }
    sys_heap_init(&tables, table_memory, sizeof table_memory);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&burner, NULL, burn, NULL);
    pthread_barrier_wait(&barrier);

    error = tally_zpl_start(argv[1]);
    if (error != 0) {
        fprintf(stderr, "boiler: %s: %s\n", argv[1], strerror(-error));
        return 1;
    }
    go_up_and_down(seconds * 1000);
    expect_heap("heap", &tables);
    expect_heap("k_heap", &messages.heap);
    expect_slab(&readings);
    tally_zpl_stop();
    tally_zpl_figures_get(&figures);
    fprintf(stderr,
            "boiler: %llu rounds of up to %u ns, %llu events, %llu lost\n",
            (unsigned long long)figures.rounds, figures.most_ns,
            (unsigned long long)figures.events,
            (unsigned long long)figures.discarded);

    pthread_barrier_wait(&barrier);
    pthread_join(burner, NULL);
    return 0;
}
