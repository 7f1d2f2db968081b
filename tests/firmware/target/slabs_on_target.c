/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slabs_on_target.c - memory slabs and k_heap on 32 bits, with an interrupt
 * handler that allocates and frees meanwhile
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <zephyr/kernel.h>

#include "tally/bare_metal.h"
#include "verdict.h"

enum {
    BLOCK = 20,
    BLOCKS = 12,
    FAST_HZ = 100000,
    OPERATIONS = 30000,
    NO_MEMORY = -12,
    INVALID = -22,
};

K_MEM_SLAB_DEFINE(slab, BLOCK, BLOCKS, 4);
K_MEM_SLAB_DEFINE_STATIC(for_interrupts, 8, 2, 8);
K_HEAP_DEFINE(heap, 512);

static uint32_t seed = 815;
static unsigned char *out[BLOCKS];
static unsigned out_count;
static unsigned faults;
static volatile uint32_t interrupts_served;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

static void on_fault(struct k_mem_slab *of, const void *mem,
                     enum tally_slab_fault fault)
{
    (void)of;
    (void)mem;
    (void)fault;
    faults++;
}

void board_on_tick(void)
{
    void *mem;

    if (k_mem_slab_alloc(&slab, &mem, K_FOREVER) == 0)
        k_mem_slab_free(&slab, mem);
    mem = k_heap_alloc(&heap, 16, K_FOREVER);
    k_heap_free(&heap, mem);
    interrupts_served++;
}

static bool take(void)
{
    void *mem = out;
    int result = k_mem_slab_alloc(&slab, &mem, K_MSEC(5));

    if (result == NO_MEMORY)
        return out_count == BLOCKS && mem == NULL;
    for (unsigned i = 0; i < out_count; i++) {
        if (out[i] == mem)
            return false;
    }
    memset(mem, 0x5a, BLOCK);
    out[out_count++] = mem;
    return result == 0 && (uintptr_t)mem % 4 == 0;
}

static void give_back(void)
{
    unsigned at = random_below(out_count);

    k_mem_slab_free(&slab, out[at]);
    out[at] = out[--out_count];
}

static bool agrees(void)
{
    bool is_right = true;

    for (unsigned i = 0; i < OPERATIONS; i++) {
        void *mem = k_heap_alloc(&heap, 1 + random_below(64), K_NO_WAIT);

        if (out_count == 0 || random_below(2) == 0)
            is_right &= take();
        else
            give_back();
        is_right &= k_mem_slab_num_used_get(&slab) == out_count;
        k_heap_free(&heap, mem);
    }
    return is_right;
}

static void check_returns(void)
{
    static unsigned char buffer[8 * 4] __attribute__((aligned(4)));
    static struct k_mem_slab made, never;
    void *mem, *other;

    check("an init of what is wrong is refused",
          k_mem_slab_init(&made, buffer + 1, 8, 4) == INVALID &&
              k_mem_slab_init(&made, buffer, 6, 4) == INVALID &&
              k_mem_slab_init(&made, buffer, 8, 0) == INVALID &&
              k_mem_slab_init(&made, buffer, 8, UINT32_MAX) == INVALID);
    check("a slab never initialised is refused",
          k_mem_slab_alloc(&never, &mem, K_NO_WAIT) == INVALID);
    check("a slab can be made", k_mem_slab_init(&made, buffer, 8, 4) == 0);
    check("the lowest block comes first",
          k_mem_slab_alloc(&made, &mem, K_NO_WAIT) == 0 && mem == buffer &&
              k_mem_slab_alloc(&made, &other, K_NO_WAIT) == 0 &&
              other == buffer + 8);
    k_mem_slab_free(&made, mem);
    k_mem_slab_free(&made, mem);
    k_mem_slab_free(&made, buffer + 2);
    check("what is no block that is out is refused",
          faults == 2 && k_mem_slab_num_used_get(&made) == 1);
    memset(mem, 0xff, 8);
    check("damage is found, and costs no block",
          k_mem_slab_alloc(&made, &other, K_NO_WAIT) == 0 && other == mem &&
              faults == 3);
}

static bool is_listed(const struct k_mem_slab *wanted)
{
    const struct k_mem_slab *found = NULL;

    while ((found = tally_mem_slab_next(found)) != NULL) {
        if (found == wanted)
            return true;
    }
    return false;
}

int main(void)
{
    struct sys_memory_stats stats;

    tally_mem_slab_on_fault(on_fault);
    tally_clock_start(FAST_HZ); /* an interrupt every thousand cycles */
    check_returns();
    check("static slabs are listed",
          is_listed(&slab) && is_listed(&for_interrupts));
    check("operations agree with the model", agrees());
    while (interrupts_served < 10) {
    }
    while (out_count > 0)
        give_back();
    check("all blocks are back", k_mem_slab_num_used_get(&slab) == 0 &&
                                     k_mem_slab_max_used_get(&slab) == BLOCKS);
    check("the heap is whole and empty",
          sys_heap_validate(&heap.heap) &&
              sys_heap_runtime_stats_get(&heap.heap, &stats) == 0 &&
              stats.allocated_bytes == 0);
    check("nothing else was refused", faults == 3);
    return verdict_failures;
}
