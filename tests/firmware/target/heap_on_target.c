/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap_on_target.c - sys_heap on 32 bits, against the model of test_sys_heap.c
 */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tally/sys_heap.h"
#include "verdict.h"

enum { REGION = 8192, SLOTS = 100, OPERATIONS = 20000 };

struct block {
    unsigned char *bytes; /* NULL: none */
    size_t size;
    unsigned char pattern;
};

static _Alignas(8) unsigned char region[REGION];
static struct sys_heap heap;
static struct block blocks[SLOTS];
static uint32_t seed = 4711;

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

static bool is_intact(const struct block *block, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (block->bytes[i] != block->pattern)
            return false;
    }
    return true;
}

static bool allocate(struct block *block)
{
    size_t size = 1 + random_below(random_below(16) != 0 ? 120 : 900);
    size_t align = (size_t)1 << random_below(8);

    block->bytes = sys_heap_aligned_alloc(&heap, align, size);
    if (block->bytes == NULL)
        return true;
    block->size = size;
    block->pattern = (unsigned char)random_below(256);
    memset(block->bytes, block->pattern, size);
    return (uintptr_t)block->bytes % align == 0 &&
           (uintptr_t)block->bytes % 8 == 0 &&
           sys_heap_usable_size(&heap, block->bytes) >= size;
}

static bool reallocate(struct block *block)
{
    size_t size = 1 + random_below(300);
    unsigned char *bytes = sys_heap_realloc(&heap, block->bytes, size);
    bool is_right;

    if (bytes == NULL)
        return is_intact(block, block->size);
    block->bytes = bytes;
    is_right = is_intact(block, size < block->size ? size : block->size);
    block->size = size;
    memset(bytes, block->pattern, size);
    return is_right;
}

static bool release(struct block *block)
{
    bool is_right = is_intact(block, block->size);

    sys_heap_free(&heap, block->bytes);
    block->bytes = NULL;
    return is_right;
}

static struct tally_heap_figures figures(void)
{
    struct tally_heap_figures now = { 0 };

    (void)tally_heap_figures_get(&heap, &now);
    return now;
}

int main(void)
{
    bool is_right = true;
    bool is_valid = true;
    size_t largest;
    unsigned char *block;

    sys_heap_init(&heap, region, sizeof region);
    largest = figures().largest_free;
    for (unsigned i = 0; i < OPERATIONS; i++) {
        struct block *slot = &blocks[random_below(SLOTS)];

        if (slot->bytes == NULL)
            is_right = is_right && allocate(slot);
        else if (random_below(3) == 0)
            is_right = is_right && reallocate(slot);
        else
            is_right = is_right && release(slot);
        is_valid = is_valid && sys_heap_validate(&heap);
    }
    check("operations agree with the model", is_right);
    check("the heap was valid after each", is_valid);
    check("it was full at times", figures().refused > 100);
    for (unsigned i = 0; i < SLOTS; i++)
        sys_heap_free(&heap, blocks[i].bytes);
    check("all is one chunk again", figures().largest_free == largest);
    check("nothing was refused as foreign", figures().faults == 0);

    block = sys_heap_alloc(&heap, 24);
    sys_heap_free(&heap, block + 8);
    check("a pointer into a block is refused", figures().faults == 1);
    sys_heap_free(&heap, block);
    sys_heap_free(&heap, block);
    check("a second free is refused", figures().faults == 2);
    sys_heap_free(&heap, &seed);
    check("a pointer from elsewhere is refused", figures().faults == 3);
    check("sizes that wrap are refused",
          sys_heap_alloc(&heap, SIZE_MAX) == NULL &&
              sys_heap_alloc(&heap, SIZE_MAX - 8) == NULL &&
              sys_heap_aligned_alloc(&heap, (size_t)1 << 31, 8) == NULL);
    check("the heap is valid", sys_heap_validate(&heap));
    return verdict_failures != 0;
}
