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
    cache->used = STACK_CACHE_NOBODY;
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
    memset(cache->last, 0, sizeof cache->last);
    memset(cache->firsts, 0, sizeof cache->firsts);
    memset(cache->slots, 0, sizeof cache->slots);
    cache->used = STACK_CACHE_NOBODY;
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
    uint32_t units = (uint32_t)((sizeof(struct stack_entry) +
                                 count * sizeof(struct stack_input)) /
                                STACK_CACHE_UNIT);
    struct stack_entry *entry;

    if (cache->used + units > cache->units)
        make_room(cache);
    if (cache->used + units > cache->units)
        return NULL;
    entry = stack_cache_entry(cache, cache->used);
    cache->used += units;
    return entry;
}

_Static_assert(sizeof(struct stack_entry) % STACK_CACHE_UNIT == 0 &&
                   sizeof(struct stack_input) % STACK_CACHE_UNIT == 0,
               "whole units");

static void copy_inputs(struct stack_entry *entry,
                        const struct unwinder *unwinder)
{
    struct stack_input last = { (const uint64_t *)unwinder->origin,
                                *(const uint64_t *)unwinder->origin };

    for (uint32_t i = 0; i < entry->count; i++) {
        entry->inputs[i] = last;
        if (i < unwinder->input_count) {
            last.at =
                (const uint64_t *)(unwinder->origin +
                                   (uintptr_t)(intptr_t)unwinder->offsets[i]);
            last.value = unwinder->inputs[i];
        }
    }
}

/* A stack without inputs ends in the frame that called: nothing to save. */
void stack_cache_keep(struct stack_cache *cache, uint32_t word)
{
    const struct unwinder *unwinder = cache->unwinder;
    uintptr_t return_address = *(const uintptr_t *)unwinder->origin;
    uint32_t count = (unwinder->input_count + STACK_CACHE_TOGETHER) /
                     STACK_CACHE_TOGETHER * STACK_CACHE_TOGETHER;
    struct stack_entry *entry;
    uint32_t *slot;

    if (!unwinder->is_repeatable || unwinder->input_count == 0)
        return;
    entry = take_entry(cache, count);
    if (entry == NULL)
        return;
    *entry = (struct stack_entry){ .word = word, .count = count };
    copy_inputs(entry, unwinder);
    *stack_cache_first(cache, return_address) =
        (struct stack_first){ return_address, unwinder->offsets[0] };
    slot = stack_cache_slot(cache, return_address, unwinder->origin,
                            unwinder->inputs[0]);
    entry->next = *slot;
    *slot = (uint32_t)(((char *)entry - cache->arena) / STACK_CACHE_UNIT);
    *stack_cache_last(cache, return_address, unwinder->origin) = *slot;
}

uint32_t stack_cache_find(struct stack_cache *cache,
                          const struct unwind_origin *origin)
{
    uintptr_t return_address = origin->return_address;
    uintptr_t at = (uintptr_t)&origin->return_address;
    const struct stack_first *first = stack_cache_first(cache, return_address);
    uint32_t unit;

    if (first->return_address != return_address)
        return 0;
    unit = *stack_cache_slot(
        cache, return_address, at,
        *(const volatile uint64_t *)(at + (uintptr_t)first->offset));
    while (unit != 0) {
        const struct stack_entry *entry = stack_cache_entry(cache, unit);

        if (stack_entry_is_same(entry, at)) {
            *stack_cache_last(cache, return_address, at) = unit;
            return entry->word;
        }
        unit = entry->next;
    }
    return 0;
}
