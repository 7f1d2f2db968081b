/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.c - slabs and heaps with figures that regions_are_reported knows
 *
 * With an argument it says "ready" and waits for its input to end.
 */
#include <stdio.h>
#include <string.h>

#include <tally/k_heap.h>
#include <tally/mem_slab.h>

K_MEM_SLAB_DEFINE(packets, 400, 6, 4);
K_MEM_SLAB_DEFINE_STATIC(untouched, 8, 4, 8);
K_HEAP_DEFINE(messages, 4096);

static void ignore(struct k_mem_slab *slab, const void *mem,
                   enum tally_slab_fault fault)
{
    (void)slab;
    (void)mem;
    (void)fault;
}

static struct k_mem_slab nameless;

int main(int argc, char **argv)
{
    static char few[2 * 8] __aligned(8);
    static struct k_mem_slab at_run_time;
    static struct sys_heap heap;
    static char buffer[10 * 16] __aligned(4);
    static char region[2048] __aligned(8);
    void *blocks[7];

    (void)argv;
    tally_mem_slab_on_fault(ignore);
    k_mem_slab_init(&at_run_time, buffer, 16, 10);
    tally_mem_slab_name_set(&at_run_time, "run time");
    k_mem_slab_init(&nameless, few, 8, 2);
    sys_heap_init(&heap, region, sizeof region);
    tally_heap_name_set(&heap, "plain");

    for (int i = 0; i < 7; i++)
        k_mem_slab_alloc(&packets, &blocks[i], K_USEC(1));
    k_mem_slab_free(&packets, blocks[0]);
    k_mem_slab_free(&packets, blocks[0]);
    k_mem_slab_free(&packets, blocks[1]);
    for (int i = 0; i < 3; i++)
        k_mem_slab_alloc(&at_run_time, &blocks[i], K_NO_WAIT);
    k_mem_slab_free(&at_run_time, blocks[1]);

    blocks[0] = sys_heap_alloc(&heap, 100);
    sys_heap_alloc(&heap, 8000);
    sys_heap_alloc(&heap, 24);
    sys_heap_free(&heap, blocks[0]); /* two free chunks */
    k_heap_alloc(&messages, 500, K_NO_WAIT);
    k_heap_alloc(&messages, 5000, K_NO_WAIT);
    if (argc > 1) {
        puts("ready");
        fflush(stdout);
        while (getchar() != EOF)
            ;
    }
    return 0;
}
