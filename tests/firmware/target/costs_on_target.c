/* SPDX-License-Identifier: Apache-2.0 */
/*
 * costs_on_target.c - instructions for an allocation and its free
 *
 * For QEMU with -icount shift=0, where an instruction takes a nanosecond: the
 * clock, calibrated by a loop of known length, counts instructions. Sizes are 8
 * to 240 bytes, one block at a time, as the authors of Linux's profiling
 * measured; then with every other block of a full heap free.
 */
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "tally/alloc_tag.h"
#include "tally/bare_metal.h"
#include "tally/mem_profiling.h"
#include "tally/port.h"
#include "tally/tagged.h"
#include "tally/zpl.h"

enum {
    PAIRS = 30000,
    KNOWN_LOOPS = 500000,
    KEPT = 100,
    SIZES = 30,
    SMALLER = 120, /* 16 units, 19 units: the same list */
    LARGER = 144,
};

typedef void (*pair_fn)(size_t size);

static struct sys_heap plain;
static _Alignas(8) unsigned char region[16384];
static uint32_t known_us; /* duration of 2 * KNOWN_LOOPS instructions */

static uint32_t now_us(void)
{
    /* The low half is enough, and avoids a 64-bit division. */
    return (uint32_t)(tally_port_time_ns()) / 1000;
}

static void plain_pair(size_t size)
{
    sys_heap_free(&plain, sys_heap_alloc(&plain, size));
}

static void tagged_pair(size_t size)
{
    DEFINE_ALLOC_TAG(tag);

    tally_tag_free(tally_tag_malloc(&tag, size));
}

static bool take(void *context, const void *bytes, size_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
    return true;
}

static void emit(size_t size)
{
    zpl_emit_memory_event(ZPL_HEAP, (uintptr_t)&plain, (uint32_t)size, 0);
}

static void no_pair(size_t size)
{
    (void)size;
}

static uint32_t measure(pair_fn pair)
{
    pair_fn volatile called = pair;
    uint32_t start = now_us();

    for (unsigned i = 0; i < PAIRS; i++)
        called(8 + i % SIZES * 8);
    return now_us() - start;
}

static void print_number(uint32_t number)
{
    char digits[11];
    char *digit = digits + sizeof digits - 1;

    *digit = '\0';
    do {
        *--digit = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    board_print(digit);
}

/* known_us is a million instructions; PAIRS / 10 keeps everything within 32
   bits. */
static void report(const char *what, pair_fn pair)
{
    uint32_t empty = measure(no_pair);
    uint32_t us = measure(pair) - empty;

    print_number(us * 1000 / known_us * 100 / (PAIRS / 10));
    board_print(" instructions: ");
    board_print(what);
    board_print("\n");
}

/* Make the most expensive request: more chunks than are searched, all in the
   list of its size, all a little smaller. */
static void make_worst_case(void)
{
    void *free_later = NULL;
    void *block;

    sys_heap_init(&plain, region, sizeof region);
    while ((block = sys_heap_alloc(&plain, SMALLER)) != NULL) {
        *(void **)block = free_later;
        free_later = block;
        (void)sys_heap_alloc(&plain, 1);
    }
    while (free_later != NULL) {
        block = free_later;
        free_later = *(void **)block;
        sys_heap_free(&plain, block);
    }
}

static void worst_pair(size_t size)
{
    (void)size;
    sys_heap_free(&plain, sys_heap_alloc(&plain, LARGER));
}

static void fill(struct sys_heap *heap)
{
    static void *kept[KEPT];

    for (unsigned i = 0; i < KEPT; i++)
        kept[i] = sys_heap_alloc(heap, 8 + i % SIZES * 8);
    for (unsigned i = 0; i < KEPT; i += 2)
        sys_heap_free(heap, kept[i]);
}

int main(void)
{
    uint32_t loops = KNOWN_LOOPS;
    uint32_t start = now_us();

    __asm volatile(".syntax unified\n1:\tsubs %0, #1\n\tbne 1b"
                   : "+r"(loops)::"cc");
    known_us = now_us() - start;
    sys_heap_init(&plain, region, sizeof region);
    report("sys_heap_alloc, sys_heap_free", plain_pair);
    report("tally_tag_malloc, tally_tag_free, accounts on", tagged_pair);
    (void)tally_sysctl("vm.mem_profiling=0");
    report("... off", tagged_pair);
    fill(&plain);
    report("sys_heap_alloc, sys_heap_free, every other block out", plain_pair);
    make_worst_case();
    report("a request that is refused after 64 chunks", worst_pair);
    (void)tally_zpl_open(&(struct tally_zpl_stream){
        .sink = { take, NULL },
        .buffer = region,
        .capacity = 1024,
        .format = TALLY_ZPL_CTF,
    });
    report("an event of the profiler, in packets of 1,024 bytes", emit);
    return 0;
}
