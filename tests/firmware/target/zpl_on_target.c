/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_on_target.c - the profiler on 32 bits: every byte of a round
 *
 * The content of a slab, a k_heap, a heap and two stacks is known.
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tally/bare_metal.h"
#include "tally/k_heap.h"
#include "tally/mem_slab.h"
#include "tally/stack.h"
#include "tally/zpl.h"
#include "tally/zpl_ram.h"
#include "verdict.h"

enum { HEAD = 40, TRAILER = 8, REGIONS = 5, STACK = 2048 };

K_MEM_SLAB_DEFINE(slab, 32, 8, 4);
K_HEAP_DEFINE(shared, 512);

static struct sys_heap heap;
static _Alignas(8) unsigned char heap_memory[1024];
static unsigned char trace[1024], packet[256];
static _Alignas(8) unsigned char idle_memory[256];
static struct tally_stack idle, current;

static zpl_memory_event_t event_at(unsigned number)
{
    zpl_memory_event_t event;

    memcpy(&event, trace + HEAD + number * sizeof event, sizeof event);
    return event;
}

static bool is_event(unsigned number, enum zpl_memory_region region,
                     const void *address, uint32_t used, uint32_t unused,
                     const void *thread)
{
    zpl_memory_event_t event = event_at(number);

    return event.id == ZPL_MEMORY_EVENT_ID_1 && event.memory_region == region &&
           event.memory_addr == (uintptr_t)address && event.used == used &&
           event.unused == unused &&
           event.for_thread_id == (uint32_t)(uintptr_t)thread;
}

static uintptr_t stack_start(void)
{
    return (uintptr_t)stack_end - STACK;
}

static uint32_t unused_of(struct sys_heap *of)
{
    struct sys_memory_stats stats;

    sys_heap_runtime_stats_get(of, &stats);
    return stats.free_bytes;
}

static void fill_regions(void)
{
    void *block;

    sys_heap_init(&heap, heap_memory, sizeof heap_memory);
    (void)sys_heap_alloc(&heap, 100);           /* 112 with its header */
    (void)k_heap_alloc(&shared, 40, K_NO_WAIT); /* 48 */
    (void)k_mem_slab_alloc(&slab, &block, K_NO_WAIT);
    (void)k_mem_slab_alloc(&slab, &block, K_NO_WAIT);
    tally_stack_enter(&current, "main", (void *)stack_start(), STACK);
    tally_stack_enter(&idle, "idle", idle_memory, sizeof idle_memory);
    memset(idle_memory + 200, 0, 56);
}

static void check_round(void)
{
    zpl_memory_event_t event = event_at(0);

    check("the struct is 22 bytes", sizeof event == 22);
    check("one packet of five events",
          tally_zpl_ram.size == HEAD + REGIONS * sizeof event + TRAILER);
    check("this stack is used in part",
          event.memory_region == ZPL_STACK &&
              event.memory_addr == stack_start() &&
              event.used + event.unused == STACK && event.used > 64 &&
              event.for_thread_id == (uint32_t)(uintptr_t)&current);
    check("a stack that 56 bytes were written to",
          is_event(1, ZPL_STACK, idle_memory, 56, 200, &idle));
    check("a heap", is_event(2, ZPL_HEAP, &heap, 104, unused_of(&heap), NULL));
    check("a k_heap, once",
          is_event(3, ZPL_K_HEAP, &shared, 48, unused_of(&shared.heap), NULL));
    check("a slab", is_event(4, ZPL_MEM_SLAB, &slab, 64, 192, NULL));
}

int main(void)
{
    struct tally_zpl_figures figures;
    struct tally_zpl_stream stream = {
        .sink = tally_zpl_ram_open(trace, sizeof trace),
        .buffer = packet,
        .capacity = sizeof packet,
        .format = TALLY_ZPL_CTF,
    };

    fill_regions();
    check("a stream is opened", tally_zpl_open(&stream) == 0);
    check("a first call is a round", tally_zpl_poll());
    check_round();
    check("a second one is not", !tally_zpl_poll());
    zpl_memory_profiling_set(false);
    tally_zpl_round();
    check("there is none when it is off",
          tally_zpl_ram.size == HEAD + REGIONS * 22 + TRAILER);
    zpl_memory_profiling_set(true);
    for (unsigned i = 0; i < 9; i++)
        tally_zpl_round();
    tally_zpl_figures_get(&figures);
    check("what does not fit is refused whole",
          tally_zpl_ram.refused == 4 && figures.packets == 6 &&
              figures.discarded == 4 * REGIONS);

    stream.sink = tally_board_sink();
    stream.format = TALLY_ZPL_PLAINTEXT;
    check("text goes to the board", tally_zpl_open(&stream) == 0);
    zpl_emit_memory_for_thread_event(ZPL_STACK, 0x20011748, 80, 432, 536936848);
    zpl_emit_memory_event(ZPL_MEM_SLAB, 0x2001002c, 256, 7936);
    tally_zpl_flush();
    return verdict_failures != 0;
}
