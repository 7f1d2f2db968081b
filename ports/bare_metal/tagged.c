/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tagged.c - tally/tagged.h on the port's own heap
 *
 * The reference and the requested size lie in the heap's header of each block
 * (core/heaps/heap_chunk.h), so that a block's overhead is 4 or 8 bytes and no
 * lookup is needed. Interrupts are masked during each heap operation; they are
 * enabled while blocks are cleared, copied and charged.
 */
#include "tally/tagged.h"

#include <string.h>

#include "core/accounts/mem_profiling.h"
#include "core/heaps/heap_chunk.h"
#include "core/observers/tell.h"
#include "core/tags/alloc_tag.h"
#include "tally/bare_metal.h"
#include "tally/hook.h"
#include "tally/port.h"

/* Error numbers of errno.h. */
enum { NO_MEMORY = 12, INVALID = 22 };

enum { ALIGNMENT = __BIGGEST_ALIGNMENT__ }; /* of all types */

#ifndef TALLY_HEAP_BYTES
#define TALLY_HEAP_BYTES 16384
#endif

#if TALLY_HEAP_BYTES > 0
__extension__ _Static_assert(TALLY_HEAP_BYTES / CHUNK_UNIT <= CHUNK_UNIT_LIMIT,
                             "so large a heap needs CONFIG_SYS_HEAP_BIG=y");
static _Alignas(ALIGNMENT) unsigned char region[TALLY_HEAP_BYTES];
#define REGION_START region
#define REGION_SIZE  sizeof region
#else
extern unsigned char __tally_heap_start[], __tally_heap_end[];
#define REGION_START __tally_heap_start
#define REGION_SIZE  ((size_t)(__tally_heap_end - __tally_heap_start))
#endif

static struct sys_heap heap;

/* Open the heap. Interrupts are masked. */
static void open_heap(void)
{
    if (heap.base == NULL)
        sys_heap_init(&heap, REGION_START, REGION_SIZE);
}

struct sys_heap *tally_board_heap(void)
{
    uint32_t key = tally_port_lock();

    open_heap();
    tally_port_unlock(key);
    return &heap;
}

/* Allocate a block. Size 0 takes 1 byte, since each block needs its own
   address. */
static void *take(size_t alignment, size_t size)
{
    uint32_t key = tally_port_lock();
    void *block;

    open_heap();
    block = heap_take(&heap, alignment, size == 0 ? 1 : size);
    tally_port_unlock(key);
    return block;
}

/* Free a block and store its charge; return false if it is not a block. */
static bool give_back(void *block, struct tally_heap_block *charged)
{
    uint32_t key = tally_port_lock();
    bool is_block = tally_heap_block_free(&heap, block, charged);

    tally_port_unlock(key);
    return is_block;
}

static void charge(struct alloc_tag *tag, void *block, size_t size)
{
    uint32_t site = 0;

    if (tag != NULL && mem_profiling_is_on())
        site = alloc_tag_site(tag);
    if (site != 0)
        mem_profiling_expect_frees();
    tally_heap_block_charge(&heap, block, tally_hook_alloc(site, size), size);
}

static void *take_charged(struct alloc_tag *tag, size_t alignment, size_t size)
{
    void *block = take(alignment, size);

    if (block != NULL)
        charge(tag, block, size);
    return block;
}

void *tally_tag_malloc(struct alloc_tag *tag, size_t size)
{
    if (tell_begins())
        return tell_malloc(tally_tag_malloc(tag, size), size, TELL_CALLER);
    return take_charged(tag, ALIGNMENT, size);
}

void *tally_tag_calloc(struct alloc_tag *tag, size_t count, size_t size)
{
    size_t bytes;
    void *block;

    if (tell_begins())
        return tell_calloc(tally_tag_calloc(tag, count, size), count, size,
                           TELL_CALLER);
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    block = tally_tag_malloc(tag, bytes);
    if (block != NULL)
        memset(block, 0, bytes);
    return block;
}

static bool is_power_of_two(size_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

void *tally_tag_aligned_alloc(struct alloc_tag *tag, size_t alignment,
                              size_t size)
{
    if (tell_begins())
        return tell_malloc(tally_tag_aligned_alloc(tag, alignment, size), size,
                           TELL_CALLER);
    if (!is_power_of_two(alignment))
        return NULL;
    if (alignment < ALIGNMENT)
        alignment = ALIGNMENT;
    return take_charged(tag, alignment, size);
}

int tally_tag_posix_memalign(struct alloc_tag *tag, void **block,
                             size_t alignment, size_t size)
{
    void *aligned;
    int error;

    if (tell_begins()) {
        error = tally_tag_posix_memalign(tag, block, alignment, size);
        tell_malloc(error == 0 ? *block : NULL, size, TELL_CALLER);
        return error;
    }
    if (!is_power_of_two(alignment) || alignment % sizeof(void *) != 0)
        return INVALID;
    aligned = tally_tag_aligned_alloc(tag, alignment, size);
    if (aligned == NULL)
        return NO_MEMORY;
    *block = aligned;
    return 0;
}

void tally_tag_free(void *block)
{
    struct tally_heap_block charged;

    if (tell_begins()) {
        tally_tag_free(block);
        tell_free(block, TELL_CALLER);
        return;
    }
    if (block != NULL && give_back(block, &charged))
        tally_hook_free(charged.site, charged.requested);
}

/* Resize a block in place, if possible, and store its charge. */
static bool resize(void *block, size_t size, struct tally_heap_block *charged,
                   bool *is_done)
{
    uint32_t key = tally_port_lock();
    bool is_block = tally_heap_block_read(&heap, block, charged);

    *is_done = is_block && tally_heap_resize(&heap, block, size);
    tally_port_unlock(key);
    return is_block;
}

void *tally_tag_realloc(struct alloc_tag *tag, void *block, size_t size)
{
    struct tally_heap_block before;
    void *moved = block;
    bool is_done;

    if (tell_begins())
        return tell_realloc(tally_tag_realloc(tag, block, size), block, size,
                            TELL_CALLER);
    if (block == NULL)
        return tally_tag_malloc(tag, size);
    if (size == 0) {
        tally_tag_free(block);
        return NULL;
    }
    if (!resize(block, size, &before, &is_done))
        return NULL;
    if (!is_done) {
        moved = take(ALIGNMENT, size);
        if (moved == NULL)
            return NULL;
        memcpy(moved, block, before.requested < size ? before.requested : size);
        (void)give_back(block, &before);
    }
    tally_hook_free(before.site, before.requested);
    charge(tag, moved, size);
    return moved;
}
