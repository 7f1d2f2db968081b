/* SPDX-License-Identifier: Apache-2.0 */
/* stack_cache.c - adding and dropping entries; see stack_cache.h */
#include "recorder/stacks/stack_cache.h"

#include "core/base/own_memory.h"
#include "ports/posix/memory/pages.h"

const uint64_t stack_cache_unlabelled = 0;

static struct own_memory own_pages = OWN_MEMORY_OF("own_pages");

static size_t edges_of(const struct stack_cache *cache)
{
    return cache->size / STACK_CACHE_EDGE_SHARE;
}

/* Return the bytes of the arena for entries. */
static size_t entries_size(const struct stack_cache *cache)
{
    return cache->size - edges_of(cache) * sizeof(struct stack_edge);
}

static bool open_arena(struct stack_cache *cache, uint32_t size)
{
    char *arena = own_memory_alloc(&own_pages, size);

    if (arena == NULL)
        return false;
    cache->arena = arena;
    cache->size = size;
    cache->used = sizeof(struct stack_entry);
    cache->edge_count = 0;
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
    memset(cache->others, 0, sizeof cache->others);
    if (cache->edge_count != 0)
        memset(stack_cache_edges(cache), 0,
               edges_of(cache) * sizeof(struct stack_edge));
    cache->edge_count = 0;
    cache->has_saved = false;
    cache->search = (struct stack_search){ 0 };
    cache->used = sizeof(struct stack_entry);
    cache->generation = generation;
    cache->name_count = 0;
    cache->near = (struct module_range){ 0 };
    unwind_forget(&cache->unwinder);
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
                   STACK_CACHE_SMALLEST - STACK_CACHE_SMALLEST /
                                              STACK_CACHE_EDGE_SHARE *
                                              sizeof(struct stack_edge),
               "the deepest stack has room");

static struct stack_entry *take_entry(struct stack_cache *cache, uint32_t count)
{
    size_t bytes = sizeof(struct stack_entry) +
                   ((size_t)count + 1) * sizeof(struct stack_input);
    uint32_t size = (uint32_t)((bytes + 7) & ~(size_t)7);
    struct stack_entry *entry;

    if (cache->used + size > entries_size(cache) ||
        cache->edge_count >= edges_of(cache) / 4 * 3)
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

static uint32_t place_of(const struct stack_cache *cache, const void *in_arena)
{
    return (uint32_t)((const char *)in_arena - cache->arena);
}

static uint32_t differs_of(const struct stack_cache *cache,
                           const struct stack_search *search)
{
    return search->entry == NULL
               ? 0
               : place_of(cache, &search->entry->inputs[search->index]);
}

static bool is_next(const struct stack_entry *entry,
                    const struct stack_search *search, uint32_t differs)
{
    return entry->differs == differs &&
           (differs == 0
                ? stack_entry_is_for(entry, search->origin,
                                     search->return_address, search->mark)
                : entry->inputs[search->index].value == search->word);
}

/* Return the edge to the next entry of a search, or the empty one for it. */
static NOINLINE struct stack_edge *next_edge(struct stack_cache *cache)
{
    const struct stack_search *search = &cache->search;
    struct stack_edge *edges = stack_cache_edges(cache), *edge;
    uint32_t differs = differs_of(cache, search);
    uint64_t key = search->entry == NULL
                       ? search->return_address + (search->origin << 20)
                       : search->word;
    uint32_t hash;

    key = (key + search->mark + ((uint64_t)differs << 32)) *
          UINT64_C(0x9e3779b97f4a7c15);
    key ^= key >> 32;
    hash = (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
    for (size_t i = hash;; i++) {
        edge = &edges[i & (edges_of(cache) - 1)];
        if (edge->place == 0)
            break;
        if (edge->hash == hash &&
            is_next(stack_cache_entry(cache, edge->place), search, differs))
            return edge;
    }
    edge->hash = hash;
    return edge;
}

static inline void begin(struct stack_cache *cache, uintptr_t origin,
                         uintptr_t return_address, uintptr_t mark)
{
    cache->search = (struct stack_search){ .origin = origin,
                                           .return_address = return_address,
                                           .mark = mark };
}

/* Follow the tree as far as the stack at `origin` is known. Return its entry's
   place, or 0. */
static inline uint32_t follow(struct stack_cache *cache)
{
    struct stack_search *search = &cache->search;
    const struct stack_input *input;
    uint32_t place;

    while ((place = next_edge(cache)->place) != 0) {
        const struct stack_entry *entry = stack_cache_entry(cache, place);

        input = search->entry == NULL ? entry->inputs
                                      : &entry->inputs[search->index + 1];
        input = stack_inputs_compare(input, search->origin);
        search->entry = entry;
        search->index = (size_t)(input - entry->inputs);
        if (stack_input_is_last(input))
            break;
        search->word = stack_word_at(search->origin, input->offset);
    }
    search->is_missed = place == 0;
    return place;
}

static bool have_same_inputs(const struct stack_entry *a,
                             const struct stack_entry *b, size_t count)
{
    return memcmp(a->inputs, b->inputs, count * sizeof a->inputs[0]) == 0;
}

/* Add an entry to the tree, if it fits. Return the entry of its stack, which
   may be an older one. */
static struct stack_entry *add(struct stack_cache *cache,
                               struct stack_entry *entry, size_t count)
{
    const struct stack_search *search = &cache->search;
    const struct stack_entry *parent;
    uintptr_t origin = cache->unwinder.origin;
    uintptr_t mark = entry->origin & STACK_ENTRY_SAVED;
    struct stack_edge *edge;
    uint32_t place = 0;

    if (!stack_search_has_missed(search, origin, entry->return_address, mark)) {
        begin(cache, origin, entry->return_address, mark);
        place = follow(cache);
    }
    parent = search->entry;
    if (place != 0) {
        struct stack_entry *old = stack_cache_entry(cache, place);

        if (search->index != count || !have_same_inputs(entry, old, count))
            return entry;
        old->word = entry->word;
        cache->used = place_of(cache, entry);
        return old;
    }
    if (parent != NULL && (search->index >= count ||
                           !have_same_inputs(entry, parent, search->index) ||
                           entry->inputs[search->index].value != search->word ||
                           entry->inputs[search->index].offset !=
                               parent->inputs[search->index].offset))
        return entry;
    edge = next_edge(cache);
    if (edge->place != 0)
        return entry; /* the search was for another stack */
    entry->differs = differs_of(cache, search);
    edge->place = place_of(cache, entry);
    cache->edge_count++;
    INVARIANT(C4, next_edge(cache) == edge);
    return entry;
}

/* Store a stack, unless it has no inputs: it ends in the calling frame. */
void stack_cache_keep(struct stack_cache *cache, uint32_t word)
{
    const struct unwinder *unwinder = &cache->unwinder;
    uintptr_t return_address = stack_word_at(unwinder->origin, 0);
    struct stack_entry *entry;

    if (!unwinder->is_repeatable || unwinder->input_count == 0 ||
        (cache->label != &stack_cache_unlabelled && label_offset(cache) == 0)) {
        cache->search.is_missed = false;
        return;
    }
    entry = take_entry(cache, unwinder->input_count + 1);
    *entry =
        (struct stack_entry){ .return_address = return_address, .word = word };
    entry->origin = unwinder->origin | copy_inputs(entry, cache);
    INVARIANT(C6, entry->word == word &&
                      stack_input_is_last(
                          stack_entry_compare(entry, unwinder->origin)));
    entry =
        add(cache, entry, unwinder->input_count + (label_offset(cache) != 0));
    cache->search.is_missed = false;
    if ((entry->origin & STACK_ENTRY_SAVED) != 0)
        cache->has_saved = true;
    *stack_cache_last(cache, return_address, unwinder->origin) =
        place_of(cache, entry);
    INVARIANT(C7, unwinder->is_repeatable);
}

/* Search the tree. Where the newest entry differed leads to the one found, the
   next time. */
static NOINLINE const struct stack_entry *find_from(struct stack_cache *cache)
{
    const struct stack_search *search = &cache->search;
    uint32_t place = follow(cache);

    if (place == 0)
        return NULL;
    if (search->other != NULL)
        *search->other = place;
    *stack_cache_last(cache, search->return_address, search->origin) = place;
    INVARIANT(C1, stack_entry_is_for(stack_cache_entry(cache, place),
                                     search->origin, search->return_address,
                                     search->mark));
    INVARIANT(C2, stack_input_is_last(stack_entry_compare(
                      stack_cache_entry(cache, place), search->origin)));
    return stack_cache_entry(cache, place);
}

const struct stack_entry *stack_cache_find(struct stack_cache *cache,
                                           uintptr_t origin,
                                           uintptr_t return_address,
                                           uintptr_t mark,
                                           const struct stack_input *differs)
{
    begin(cache, origin, return_address, mark);
    if (differs != NULL)
        cache->search.other = stack_cache_other(
            cache, differs, stack_word_at(origin, differs->offset));
    return find_from(cache);
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
