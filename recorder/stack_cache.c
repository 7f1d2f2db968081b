/* SPDX-License-Identifier: Apache-2.0 */
/* stack_cache.c - keeping and dropping entries; see stack_cache.h */
#include "recorder/stack_cache.h"

#include <string.h>

#include "core/own_memory.h"
#include "ports/posix/pages.h"

static struct own_memory *own_pages(void)
{
    static struct own_memory own = OWN_MEMORY;

    return &own;
}

static bool open_arena(struct stack_cache *cache, uint32_t units)
{
    char *arena =
        own_memory_alloc(own_pages(), (size_t)units * STACK_CACHE_UNIT);

    if (arena == NULL)
        return false;
    cache->arena = arena;
    cache->units = units;
    cache->used = 1;
    return true;
}

struct stack_cache *stack_cache_open(struct unwind_rules *rules, size_t limit)
{
    struct stack_cache *cache = own_memory_alloc(own_pages(), sizeof *cache);

    if (cache == NULL)
        return NULL;
    cache->unwinder = own_memory_alloc(own_pages(), sizeof *cache->unwinder);
    if (cache->unwinder == NULL ||
        !open_arena(cache, STACK_CACHE_SMALLEST / STACK_CACHE_UNIT)) {
        stack_cache_close(cache);
        return NULL;
    }
    cache->unwinder->rules = rules;
    cache->unit_limit = (uint32_t)(limit / STACK_CACHE_UNIT);
    return cache;
}

void stack_cache_unlock(struct stack_cache *cache)
{
    pages_unlock(cache->arena, (size_t)cache->units * STACK_CACHE_UNIT);
    pages_unlock(cache->unwinder, sizeof *cache->unwinder);
    pages_unlock(cache, sizeof *cache);
}

void stack_cache_close(struct stack_cache *cache)
{
    if (cache->arena != NULL)
        own_memory_free(own_pages(), cache->arena,
                        (size_t)cache->units * STACK_CACHE_UNIT);
    if (cache->unwinder != NULL)
        own_memory_free(own_pages(), cache->unwinder, sizeof *cache->unwinder);
    own_memory_free(own_pages(), cache, sizeof *cache);
}

void stack_cache_clear(struct stack_cache *cache, uint32_t generation)
{
    memset(cache->firsts, 0, sizeof cache->firsts);
    memset(cache->slots, 0, sizeof cache->slots);
    cache->used = 1;
    cache->generation = generation;
}

/* All begins anew, with twice the room if it may: what is used comes back. */
static void make_room(struct stack_cache *cache)
{
    char *arena = cache->arena;
    uint32_t units = cache->units;

    if (2 * units <= cache->unit_limit && open_arena(cache, 2 * units))
        own_memory_free(own_pages(), arena, (size_t)units * STACK_CACHE_UNIT);
    stack_cache_clear(cache, cache->generation);
}

static struct stack_entry *take_entry(struct stack_cache *cache, uint32_t count)
{
    size_t size = sizeof(struct stack_entry) +
                  count * (sizeof(uint64_t) + sizeof(int32_t));
    uint32_t units =
        (uint32_t)((size + STACK_CACHE_UNIT - 1) / STACK_CACHE_UNIT);
    struct stack_entry *entry;

    if (cache->used + units > cache->units)
        make_room(cache);
    if (cache->used + units > cache->units)
        return NULL;
    entry = stack_cache_entry(cache, cache->used);
    cache->used += units;
    return entry;
}

/* A stack without inputs ends in the frame that called: nothing to save. */
void stack_cache_keep(struct stack_cache *cache, uint32_t word)
{
    const struct unwinder *unwinder = cache->unwinder;
    uintptr_t return_address = *(const uintptr_t *)unwinder->origin;
    uint32_t count = unwinder->input_count;
    struct stack_entry *entry =
        unwinder->is_repeatable && count != 0 ? take_entry(cache, count) : NULL;
    uint32_t *slot;

    if (entry == NULL)
        return;
    *entry = (struct stack_entry){ .return_address = return_address,
                                   .origin = unwinder->origin,
                                   .word = word,
                                   .count = count };
    memcpy(stack_entry_values(entry), unwinder->inputs,
           count * sizeof unwinder->inputs[0]);
    memcpy(stack_entry_offsets(entry), unwinder->offsets,
           count * sizeof unwinder->offsets[0]);
    *stack_cache_first(cache, return_address) =
        (struct stack_first){ return_address, unwinder->offsets[0] };
    slot = stack_cache_slot(cache, return_address, unwinder->origin,
                            unwinder->inputs[0]);
    entry->next = *slot;
    *slot = (uint32_t)(((char *)entry - cache->arena) / STACK_CACHE_UNIT);
}
