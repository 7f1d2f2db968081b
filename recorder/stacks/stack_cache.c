/* SPDX-License-Identifier: Apache-2.0 */
/* stack_cache.c - adding and dropping entries; see stack_cache.h */
#include "recorder/stacks/stack_cache.h"

#include <string.h>

#include "core/base/own_memory.h"
#include "format/invariant.h"
#include "format/ledger/segments_layout.h"
#include "ports/posix/memory/pages.h"

/* Branching recursion makes long chains: a new walk is cheaper than those. */
enum { CHAIN_LIMIT = 24, HOPS = 8 };

const uint64_t stack_cache_unlabelled = 0;

static struct own_memory own_pages = OWN_MEMORY_OF("own_pages");

static bool open_arena(struct stack_cache *cache, uint32_t size)
{
    char *arena = own_memory_alloc(&own_pages, size);

    if (arena == NULL)
        return false;
    cache->arena = arena;
    cache->size = size;
    cache->used = sizeof(struct stack_entry);
    return true;
}

struct stack_cache *stack_cache_open(struct unwind_rules *rules,
                                     uint32_t *spare)
{
    struct stack_cache *cache = own_memory_alloc(&own_pages, sizeof *cache);

    if (cache == NULL)
        return NULL;
    if (!open_arena(cache, STACK_CACHE_SMALLEST)) {
        own_memory_free(&own_pages, cache, sizeof *cache);
        return NULL;
    }
    cache->unwinder.rules = rules;
    cache->spare = spare;
    cache->kind = LEDGER_SITE_HEAP;
    cache->label = &stack_cache_unlabelled;
    return cache;
}

void stack_cache_unlock(struct stack_cache *cache)
{
    pages_unlock(cache->arena, cache->size);
    pages_unlock(cache, sizeof *cache);
}

void stack_cache_close(struct stack_cache *cache)
{
    own_memory_free(&own_pages, cache->arena, cache->size);
    own_memory_free(&own_pages, cache, sizeof *cache);
}

void stack_cache_clear(struct stack_cache *cache, uint32_t generation)
{
    memset(cache->last, 0, sizeof cache->last);
    memset(cache->firsts, 0, sizeof cache->firsts);
    memset(cache->slots, 0, sizeof cache->slots);
    memset(cache->others, 0, sizeof cache->others);
    cache->used = sizeof(struct stack_entry);
    cache->generation = generation;
    cache->name_count = 0;
    unwind_tail_forget(&cache->unwinder.tail);
}

static bool take_spare(struct stack_cache *cache, uint32_t size)
{
    uint32_t left = __atomic_load_n(cache->spare, __ATOMIC_RELAXED);

    while (left >= size) {
        if (__atomic_compare_exchange_n(cache->spare, &left, left - size, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* Empty the cache; double its space if allowed. Entries in use come back. */
static void make_room(struct stack_cache *cache)
{
    char *arena = cache->arena;
    uint32_t size = cache->size;

    if (take_spare(cache, size)) {
        if (open_arena(cache, 2 * size))
            own_memory_free(&own_pages, arena, size);
        else
            __atomic_fetch_add(cache->spare, size, __ATOMIC_RELAXED);
    }
    stack_cache_clear(cache, cache->generation);
}

_Static_assert(2 * sizeof(struct stack_entry) +
                       (UNWIND_INPUTS + 3) * sizeof(struct stack_input) <=
                   STACK_CACHE_SMALLEST,
               "the deepest stack has room");

static struct stack_entry *take_entry(struct stack_cache *cache, uint32_t count)
{
    size_t bytes = sizeof(struct stack_entry) +
                   ((size_t)count + 1) * sizeof(struct stack_input);
    uint32_t size = (uint32_t)((bytes + 7) & ~(size_t)7);
    struct stack_entry *entry;

    if (cache->used + size > cache->size)
        make_room(cache);
    entry = stack_cache_entry(cache, cache->used);
    cache->used += size;
    return entry;
}

/* Return the offset of the label's word; 0: none, or out of reach. */
static int32_t label_offset(const struct stack_cache *cache)
{
    intptr_t offset =
        (intptr_t)((uintptr_t)cache->label - cache->unwinder.origin);

    return cache->label != &stack_cache_unlabelled && offset == (int32_t)offset
               ? (int32_t)offset
               : 0;
}

/* Copy the inputs. Return the mark of the entry's origin. */
static uintptr_t copy_inputs(struct stack_entry *entry,
                             const struct stack_cache *cache)
{
    const struct unwinder *unwinder = &cache->unwinder;
    int32_t label = label_offset(cache);
    uintptr_t mark = 0;
    uint32_t count = unwinder->input_count;

    for (uint32_t i = 0; i < count; i++) {
        entry->inputs[i] =
            (struct stack_input){ unwinder->offsets[i], unwinder->inputs[i] };
        if (unwinder->offsets[i] < 0)
            mark = STACK_ENTRY_SAVED;
        INVARIANT(C3, stack_word_at(unwinder->origin, unwinder->offsets[i]) ==
                          unwinder->inputs[i]);
        INVARIANT(C5, unwinder->offsets[i] >=
                          -(int)(UNWIND_SAVED * sizeof(uint64_t)));
    }
    INVARIANT(C8, label == 0 || *cache->label << 16 == (uintptr_t)cache->label
                                                           << 16);
    if (label != 0)
        entry->inputs[count++] = (struct stack_input){ label, *cache->label };
    entry->inputs[count] =
        (struct stack_input){ 0, stack_word_at(unwinder->origin, 0) + 1 };
    return mark;
}

/* Find the entry in the chain of its first input; 0: there is none. */
static size_t find_in_chain(struct stack_cache *cache, uintptr_t origin,
                            uintptr_t return_address, uintptr_t mark)
{
    const struct stack_first *first = stack_cache_first(cache, return_address);
    const struct stack_entry *entry;
    size_t place;

    if (first->return_address != return_address ||
        (mark == 0 && first->offset < 0))
        return 0;
    place = *stack_cache_slot(cache, return_address, origin,
                              stack_word_at(origin, first->offset) +
                                  PLAIN_LOAD(cache->label));
    for (int left = CHAIN_LIMIT; place != 0 && left > 0;
         place = entry->next, left--) {
        entry = stack_cache_entry(cache, place);
        if (stack_entry_is_same(entry, origin, return_address, mark))
            return place;
    }
    return 0;
}

/* Store a stack, unless it has no inputs: it ends in the calling frame. */
void stack_cache_keep(struct stack_cache *cache, uint32_t word)
{
    const struct unwinder *unwinder = &cache->unwinder;
    uintptr_t return_address = stack_word_at(unwinder->origin, 0);
    struct stack_entry *entry;
    uint32_t *slot;

    if (!unwinder->is_repeatable || unwinder->input_count == 0 ||
        (cache->label != &stack_cache_unlabelled && label_offset(cache) == 0))
        return;
    entry = take_entry(cache, unwinder->input_count + 1);
    slot = stack_cache_slot(cache, return_address, unwinder->origin,
                            unwinder->inputs[0] + *cache->label);
    *entry = (struct stack_entry){ .return_address = return_address,
                                   .word = word,
                                   .next = *slot };
    entry->origin = unwinder->origin | copy_inputs(entry, cache);
    *stack_cache_first(cache, return_address) =
        (struct stack_first){ return_address, unwinder->offsets[0] };
    INVARIANT(C6, entry->word == word &&
                      stack_input_is_last(
                          stack_entry_compare(entry, unwinder->origin)));
    *slot = (uint32_t)((char *)entry - cache->arena);
    *stack_cache_last(cache, return_address, unwinder->origin) = *slot;
    INVARIANT(C4, find_in_chain(cache, unwinder->origin, return_address,
                                entry->origin & STACK_ENTRY_SAVED) == *slot);
    INVARIANT(C7, unwinder->is_repeatable);
}

/* Search by the differing input. The entry found may differ further on; the
   search then continues from there in the same way. */
const struct stack_entry *stack_cache_find(struct stack_cache *cache,
                                           uintptr_t origin,
                                           uintptr_t return_address,
                                           uintptr_t mark,
                                           const struct stack_input *differs)
{
    uint32_t *other = NULL;
    size_t place = 0;

    for (int hop = 0; differs != NULL && place == 0 && hop < HOPS; hop++) {
        const struct stack_entry *entry;

        other = stack_cache_other(cache, differs,
                                  stack_word_at(origin, differs->offset));
        entry = stack_cache_entry(cache, *other);
        if (!stack_entry_is_for(entry, origin, return_address, mark))
            break;
        differs = stack_entry_compare(entry, origin);
        if (stack_input_is_last(differs))
            place = *other;
    }
    if (place == 0)
        place = find_in_chain(cache, origin, return_address, mark);
    if (place == 0)
        return NULL;
    if (other != NULL)
        *other = (uint32_t)place;
    *stack_cache_last(cache, return_address, origin) = (uint32_t)place;
    INVARIANT(C1, stack_entry_is_for(stack_cache_entry(cache, place), origin,
                                     return_address, mark));
    INVARIANT(C2, stack_input_is_last(stack_entry_compare(
                      stack_cache_entry(cache, place), origin)));
    return stack_cache_entry(cache, place);
}

uint32_t stack_cache_program_frame(const struct stack_cache *cache,
                                   uintptr_t start, uintptr_t end)
{
    const struct unwinder *unwinder = &cache->unwinder;
    uint32_t first = 0;

    while (first + 1 < unwinder->frame_count &&
           unwinder->frames[first] - start < end - start)
        first++;
    return first;
}
