/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks.c - from an allocation to the site of its stack
 *
 * A thread that owns a shard owns the cache of the same number. Other threads,
 * and signal handlers that interrupt a call, share a few caches, which they
 * lock; if none is free, the call is charged to its caller alone, like a stack
 * that cannot be walked.
 *
 * This file is long because the code of builds that verify is a part of it.
 */
#include "recorder/stacks/stacks.h"

#include "ledger/blocks/ledger_blocks.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ports/posix/loaded_files.h"
#include "ports/posix/raw_calls.h"
#include "recorder/stacks/labels.h"
#include "recorder/stacks/stack_cache.h"
#include "recorder/stacks/stack_trie.h"
#include "tally/error.h"
#include "unwind/unwind.h"

enum {
    SHARED_CACHES = 16,
    SHARED_ROUNDS = 1000, /* of trying all of them */
    CACHES = SHARD_FIRST_CPU + SHARED_CACHES,
    ASKED_IN_VAIN = 100000, /* requests before memory is tried again */
};

/* limit of all caches of a process, in bytes, for any number of threads */
enum { CACHES_LIMIT = 28 << 20 };

#define CACHE_SMALLEST (sizeof(struct stack_cache) + STACK_CACHE_SMALLEST)

_Static_assert(CACHES *CACHE_SMALLEST < CACHES_LIMIT, "some is left to share");

static struct {
    struct unwind_rules rules;
    struct stack_cache *caches[CACHES]; /* index 0 is not used */
    uint32_t spare;                     /* bytes for caches that grow */
    uint32_t generation;                /* of rules and frames */
    /* requests left before memory for a cache is tried again */
    uint32_t in_vain;
    uintptr_t own_start, own_end; /* this library */
    bool is_open;
} stacks;

bool stacks_open(void)
{
    struct loaded_file own;

    if (!loaded_files_find((uintptr_t)&stacks, &own) ||
        unwind_rules_open(&stacks.rules) != TALLY_OK ||
        stack_trie_open() != TALLY_OK)
        return false;
    stacks.own_start = own.start;
    stacks.own_end = own.end;
    stacks.generation = modules_unloaded;
    stacks.spare = CACHES_LIMIT - CACHES * CACHE_SMALLEST;
    stacks.is_open = true;
    labels_open();
    return true;
}

/* Reset caches in use: their threads do not exist in the child. */
void stacks_adopt(void)
{
    if (!stacks.is_open)
        return;
    site_table_adopt(&stacks.rules.ids);
    stack_trie_adopt();
    for (uint32_t i = 1; i < CACHES; i++) {
        if (stacks.caches[i] != NULL && stacks.caches[i]->user != 0) {
            stack_cache_clear(stacks.caches[i], modules_unloaded);
            stacks.caches[i]->user = 0;
        }
    }
}

/* Open a cache. If threads race to open the same one, the first one's stays. */
static struct stack_cache *open_cache(uint32_t number)
{
    uint32_t in_vain = __atomic_load_n(&stacks.in_vain, __ATOMIC_RELAXED);
    struct stack_cache *none = NULL;
    struct stack_cache *made =
        in_vain == 0 ? stack_cache_open(&stacks.rules, &stacks.spare) : NULL;

    if (made == NULL)
        __atomic_store_n(&stacks.in_vain,
                         in_vain == 0 ? ASKED_IN_VAIN : in_vain - 1,
                         __ATOMIC_RELAXED);
    if (made != NULL &&
        !__atomic_compare_exchange_n(&stacks.caches[number], &none, made, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        stack_cache_close(made);
    return __atomic_load_n(&stacks.caches[number], __ATOMIC_ACQUIRE);
}

static inline struct stack_cache *cache_at(uint32_t number)
{
    struct stack_cache *cache =
        __atomic_load_n(&stacks.caches[number], __ATOMIC_ACQUIRE);

    return LIKELY(cache != NULL) ? cache : open_cache(number);
}

void stacks_unlock(void)
{
    for (uint32_t i = 1; i < CACHES; i++) {
        if (stacks.caches[i] != NULL)
            stack_cache_unlock(stacks.caches[i]);
    }
    unwind_rules_unlock(&stacks.rules);
    labels_unlock();
}

/* Put all rules, frames and sites to sleep if a file was unloaded. Return the
   generation. */
static uint32_t follow_generation(void)
{
    uint32_t now = __atomic_load_n(&modules_unloaded, __ATOMIC_ACQUIRE);

    if (UNLIKELY(now !=
                 __atomic_load_n(&stacks.generation, __ATOMIC_RELAXED))) {
        __atomic_store_n(&stacks.generation, now, __ATOMIC_RELAXED);
        unwind_rules_forget(&stacks.rules);
        stack_trie_forget();
    }
    return now;
}

static uint32_t first_frame(const struct stack_cache *cache)
{
    return stack_cache_program_frame(cache, stacks.own_start, stacks.own_end);
}

/* Return true for our own frames, such as that of pthread_create: they are not
   entered. */
static bool is_own(uintptr_t address)
{
    return address - stacks.own_start < stacks.own_end - stacks.own_start;
}

/* Enter a stack. Outer frames shared with the previous walk, under the same
   label, are in the ledger already. */
static uint32_t enter_whole(struct stack_cache *cache, uint32_t first,
                            struct module_range *near)
{
    const struct unwinder *unwinder = &cache->unwinder;
    uint32_t last = unwinder->frame_count - 1;
    uint32_t frame = labels_root(*cache->label, unwinder->is_cut);
    uint32_t named = frame == cache->root ? unwinder->same_frames : 0;
    bool is_new = false;

    cache->root = frame;
    if (named > cache->name_count)
        named = cache->name_count;
    if (named > last - first)
        named = last - first;
    if (named != 0)
        frame = cache->names[named - 1];
    for (cache->name_count = named; cache->name_count < last - first;) {
        uintptr_t address = unwinder->frames[last - cache->name_count];

        if (!is_own(address)) {
            frame = stack_trie_frame(near, frame, address, &is_new);
            if (frame == 0)
                return 0;
        }
        cache->names[cache->name_count++] = frame;
    }
    return stack_trie_site(near, cache->kind, frame, unwinder->frames[first],
                           unwinder->is_cut, is_new);
}

/* Enter a stack; charge the caller alone if the table is full. */
static NOINLINE uint32_t enter_stack(struct stack_cache *cache)
{
    const struct unwinder *unwinder = &cache->unwinder;
    uint32_t first = first_frame(cache);
    uint32_t word;

    if (!modules_see_unloading)
        cache->near = (struct module_range){ 0 };
    word = enter_whole(cache, first, &cache->near);
    if (word != 0)
        return word;
    process_count(LEDGER_COUNT_lost_stacks, 1);
    return stack_trie_site(&cache->near, cache->kind, LEDGER_FRAME_CUT,
                           unwinder->frames[first], false, false);
}

static NOINLINE uint32_t walk(struct stack_cache *cache,
                              const struct unwind_origin *origin)
{
    uint32_t generation = follow_generation();
    uint32_t word;

    if (cache->generation != generation)
        stack_cache_clear(cache, generation);
    if (UNLIKELY(labels_are_used)) /* by now */
        cache->label = labels_word();
    unwind_from(&cache->unwinder, origin);
    word = enter_stack(cache);
    if (word != 0)
        stack_cache_keep(cache, word);
    return word;
}

static inline bool is_of_now(const struct stack_cache *cache)
{
    return cache->generation ==
           __atomic_load_n(&modules_unloaded, __ATOMIC_ACQUIRE);
}

/*
 * In a library built with TALLY_STACK_VERIFY=N, for tests, every Nth stack that
 * the cache knew is walked again. A difference ends the program by a trap that
 * no other code uses.
 */
#ifdef TALLY_STACK_VERIFY
enum { TALLY_VERIFIES = 1 };

/* the difference, for a debugger */
static volatile struct {
    uint32_t word;
    uint32_t frame; /* number of the first one that differs */
    uintptr_t kept, found;
} difference;

static void require(uint32_t word, uint32_t frame, uintptr_t kept,
                    uintptr_t found)
{
    if (kept == found)
        return;
    difference.word = word;
    difference.frame = frame;
    difference.kept = kept;
    difference.found = found;
    __builtin_trap();
}

static void compare(uint32_t word, const struct stack_cache *cache,
                    uint32_t first)
{
    const struct unwinder *unwinder = &cache->unwinder;
    const struct ledger_site *site = ledger_site_of(word & ~REFERENCE_BIT);
    uint32_t index = site->frame;

    require(word, first, site->address, unwinder->frames[first]);
    for (uint32_t i = first + 1; i < unwinder->frame_count; i++) {
        const struct ledger_frame *frame = ledger_frame_at(index);

        if (is_own(unwinder->frames[i]))
            continue;
        require(word, i, frame == NULL ? 0 : frame->address,
                unwinder->frames[i]);
        index = frame->parent;
    }
    require(word, unwinder->frame_count, index,
            labels_root(*cache->label, unwinder->is_cut));
}

static void verify(struct stack_cache *cache,
                   const struct unwind_origin *origin, uint32_t word)
{
    static uint32_t hits;

    if (word == 0 ||
        __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED) % TALLY_STACK_VERIFY !=
            0)
        return;
    unwind_forget(&cache->unwinder);
    unwind_from(&cache->unwinder, origin);
    cache->name_count = 0;
    compare(word, cache, first_frame(cache));
}
#else
enum { TALLY_VERIFIES = 0 };

static inline void verify(struct stack_cache *cache,
                          const struct unwind_origin *origin, uint32_t word)
{
    (void)cache, (void)origin, (void)word;
}
#endif

static uint32_t find_or_walk(struct stack_cache *cache,
                             const struct unwind_origin *origin)
{
    const struct stack_entry *entry =
        is_of_now(cache) ? stack_cache_find_saved(cache, origin) : NULL;
    uint32_t word = entry != NULL ? entry->word : 0;

    verify(cache, origin, word);
    return word != 0 ? word : walk(cache, origin);
}

/*
 * Let the thread's fast path use the cache, which may have been used by a
 * thread with another label word. An unload raises the generation, then clears
 * path->stacks: either it clears the pointer stored here, or we see the new
 * generation.
 */
static void publish(struct stack_cache *cache)
{
    struct fast_path *path = recorder_thread.fast_path;

    if (path->stacks == cache)
        return;
    cache->label = labels_word();
    if (TALLY_VERIFIES || path->base == NULL)
        return;
    __atomic_store_n(&path->stacks, cache, __ATOMIC_SEQ_CST);
    if (!is_of_now(cache))
        __atomic_store_n(&path->stacks, NULL, __ATOMIC_SEQ_CST);
}

/* Lock a shared cache. Its user may be preempted, so wait; but not for ever: a
   signal handler may have interrupted the user and made this call. */
static struct stack_cache *take_shared(uintptr_t at)
{
    uint32_t none = 0; /* missing caches in a row */

    for (uint32_t i = 0;
         i < SHARED_CACHES * SHARED_ROUNDS && none < SHARED_CACHES; i++) {
        /* A thread begins with the same one each time. */
        struct stack_cache *cache = cache_at(
            SHARD_FIRST_CPU + (uint32_t)((at >> 16) + i) % SHARED_CACHES);
        uintptr_t unused = 0;

        none = cache == NULL ? none + 1 : 0;
        if (cache != NULL &&
            __atomic_compare_exchange_n(&cache->user, &unused, at, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return cache;
        if (i % SHARED_CACHES == SHARED_CACHES - 1 && !sandbox_is_closed())
            raw_yield();
    }
    return NULL;
}

/* Return the word of a stack from a shared cache, which has a lock. */
static NOINLINE uint32_t shared_word(const struct unwind_origin *origin,
                                     uintptr_t caller,
                                     enum ledger_site_kind kind)
{
    struct stack_cache *cache = take_shared((uintptr_t)&origin->return_address);
    const struct ledger_site *site;
    uint32_t word;

    if (cache == NULL) {
        process_count(LEDGER_COUNT_lost_stacks, 1);
        return stack_trie_site(&(struct module_range){ 0 }, kind,
                               LEDGER_FRAME_CUT, caller, false, false);
    }
    cache->kind = kind;
    if (UNLIKELY(labels_are_used))
        cache->label = labels_word();
    word = find_or_walk(cache, origin);
    site =
        kind == LEDGER_SITE_HEAP ? NULL : ledger_site_of(word & ~REFERENCE_BIT);
    /* One call may map memory and files. */
    if (site != NULL && site->kind != (uint32_t)kind)
        word = walk(cache, origin);
    cache->kind = LEDGER_SITE_HEAP;
    stack_cache_leave(cache);
    return word;
}

uint32_t stacks_word(const struct unwind_origin *origin, uintptr_t caller)
{
    return shared_word(origin, caller, LEDGER_SITE_HEAP);
}

uint32_t stacks_map_word_from(uintptr_t caller, enum ledger_site_kind kind,
                              const struct unwind_origin *origin)
    __attribute__((used));

uint32_t stacks_map_word_from(uintptr_t caller, enum ledger_site_kind kind,
                              const struct unwind_origin *origin)
{
    struct site_table *table =
        kind >= LEDGER_SITE_FILE ? &space_sites : &map_sites;

    return (stacks.is_open ? shared_word(origin, caller, kind)
                           : ledger_site_reference(table, kind, caller)) &
           ~REFERENCE_BIT;
}

static NOINLINE uint32_t word_in_own(const struct unwind_origin *origin,
                                     uintptr_t caller)
{
    struct stack_cache *cache = cache_at(recorder_thread.own_shard);
    uint32_t word;

    if (cache == NULL ||
        !stack_cache_enter(cache, (uintptr_t)&origin->return_address))
        return stacks_word(origin, caller);
    publish(cache);
    word = find_or_walk(cache, origin);
    stack_cache_leave(cache);
    return word;
}

/* Return true if the block should be charged to its stack. */
static bool is_for_stack(const void *block)
{
    return block != NULL && tally_listeners != 0 && ledger_is_listening() &&
           stacks.is_open && ledger_is_on() && process.is_sampled == 0;
}

void *stacks_alloc_from(void *block, size_t size, uintptr_t caller,
                        const struct unwind_origin *origin)
    __attribute__((used));

void *stacks_alloc_from(void *block, size_t size, uintptr_t caller,
                        const struct unwind_origin *origin)
{
    enum ledger_result result = LEDGER_SLOW_PATH;
    char *base;
    uint32_t word;

    if (!is_for_stack(block))
        return ledger_alloc_slow(block, size, caller);
    word = recorder_thread.own_shard != 0 ? word_in_own(origin, caller)
                                          : stacks_word(origin, caller);
    base = thread_shard();
    if (base != NULL)
        result = ledger_alloc_near(block, size, word, base, LEDGER_OWN_SHARD);
    if (result == LEDGER_FLUSH)
        ledger_flush(block, (struct reference){ word, size });
    return result == LEDGER_SLOW_PATH
               ? ledger_alloc_word_slow(block, size, word)
               : block;
}

ORIGIN_HERE(stacks_alloc, stacks_alloc_from, rcx);
ORIGIN_HERE(stacks_map_word, stacks_map_word_from, rdx);
