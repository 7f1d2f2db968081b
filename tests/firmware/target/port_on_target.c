/* SPDX-License-Identifier: Apache-2.0 */
/*
 * port_on_target.c - parts of the port that need a processor: locks, clock,
 * handlers
 *
 * SysTick fires every thousand cycles. Each time its handler allocates, resizes
 * and frees, so that it interrupts the main loop in the middle of everything.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tally/alloc_tag.h"
#include "tally/bare_metal.h"
#include "tally/port.h"
#include "tally/tagged.h"
#include "verdict.h"

enum {
    RUNS = 5,
    ROUNDS = 20000,
    PATIENCE = 5000000,
    BLOCKS = 24,
    HANDLED = 500,
    FAST_HZ = 100000
};

static volatile unsigned handled;
static void *held; /* by the handler */

static bool is_masked(void)
{
    uint32_t mask;

    __asm volatile("mrs %0, primask" : "=r"(mask));
    return mask != 0;
}

void board_on_tick(void)
{
    DEFINE_ALLOC_TAG(tag);
    unsigned turn = handled++;

    if (turn % 3 == 0) {
        held = tally_tag_malloc(&tag, turn % 100);
    } else if (turn % 3 == 1) {
        held = tally_tag_realloc(&tag, held, 1 + turn % 200);
    } else {
        tally_tag_free(held);
        held = NULL;
    }
}

static void locks_nest(void)
{
    uint32_t outer = tally_port_lock();
    uint32_t inner = tally_port_lock();

    check("interrupts are masked", is_masked());
    tally_port_unlock(inner);
    check("the outer lock holds", is_masked());
    tally_port_unlock(outer);
    check("interrupts come again", !is_masked());
}

/* Return true if the clock steps back; store true if it goes on. */
static bool steps_back(bool *goes_on)
{
    uint64_t last = tally_port_time_ns();
    uint64_t first = last;
    bool goes_back = false;

    /* An emulated board may stop while other processes run. */
    for (unsigned i = 0; i < ROUNDS || (last == first && i < PATIENCE); i++) {
        uint64_t now = tally_port_time_ns();

        goes_back = goes_back || now < last;
        last = now;
    }
    *goes_on = last > first;
    return goes_back;
}

/* A board that stops with interrupts masked loses ticks, and its clock steps
   back: rarely, so not in each of a few runs. */
static void the_clock_never_goes_back(void)
{
    bool goes_on, goes_back = true;

    for (unsigned run = 0; run < RUNS && goes_back; run++)
        goes_back = steps_back(&goes_on);
    check("the clock never goes back", !goes_back);
    check("the clock goes on", goes_on);
}

static bool is_filled_with(const unsigned char *block, size_t size,
                           unsigned char byte)
{
    for (size_t i = 0; i < size; i++) {
        if (block[i] != byte)
            return false;
    }
    return true;
}

static void handlers_allocate_between_all_instructions(void)
{
    DEFINE_ALLOC_TAG(tag);
    static unsigned char *blocks[BLOCKS];
    static size_t sizes[BLOCKS];
    bool is_intact = true;
    unsigned before = handled;
    unsigned round = 0;

    for (; round < ROUNDS || handled < before + HANDLED; round++) {
        unsigned i = round * 7 % BLOCKS;

        if (blocks[i] != NULL)
            is_intact = is_intact && is_filled_with(blocks[i], sizes[i],
                                                    (unsigned char)(i + 1));
        tally_tag_free(blocks[i]);
        sizes[i] = round * 13 % 160;
        blocks[i] = tally_tag_malloc(&tag, sizes[i]);
        if (blocks[i] != NULL)
            memset(blocks[i], (int)(i + 1), sizes[i]);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        tally_tag_free(blocks[i]);
    check("blocks keep their contents", is_intact);
    check("handlers came in between", handled >= before + HANDLED);
    check("the loop's account is zero",
          alloc_tag_read(&tag).bytes == 0 && alloc_tag_read(&tag).calls == 0);
    check("its calls are all there", alloc_tag_read(&tag).total_calls == round);
}

static void the_heap_is_as_before(void)
{
    struct sys_memory_stats stats;
    struct tally_heap_figures figures;
    uint32_t key = tally_port_lock();

    tally_tag_free(held);
    check("the heap is valid", sys_heap_validate(tally_board_heap()));
    (void)sys_heap_runtime_stats_get(tally_board_heap(), &stats);
    (void)tally_heap_figures_get(tally_board_heap(), &figures);
    check("nothing is out", stats.allocated_bytes == 0);
    check("nothing was refused", figures.faults == 0 && figures.refused == 0);
    tally_port_unlock(key);
}

int main(void)
{
    locks_nest();
    the_clock_never_goes_back();
    tally_clock_start(FAST_HZ);
    the_clock_never_goes_back();
    handlers_allocate_between_all_instructions();
    the_heap_is_as_before();
    return verdict_failures != 0;
}
