/* SPDX-License-Identifier: Apache-2.0 */
/*
 * call_stacks.c - frames by the place of a call; see stacks.h
 *
 * A thread finds its own stacks while it is busy with a sample (countdown.h,
 * C2), so neither another thread nor a signal handler comes in between.
 */
#include "recorder/stacks/stacks.h"

#include <string.h>

#include "core/base/own_memory.h"
#include "ports/posix/loaded_files.h"
#include "recorder/stacks/stack_cache.h"
#include "sampling/countdown/countdown.h"
#include "tally/error.h"
#include "unwind/unwind.h"

enum {
    ENTRIES_BYTES = 16 << 20, /* total growth of all threads' caches */
    FRAMES_BYTES = 1 << 20,
    /* A word is the number of the unit at which frames begin; 0: none. */
    UNIT = 16,
    SEARCHED = 128, /* words of our frames, up to the program's */
};

_Static_assert(UNWIND_FRAMES * sizeof(uintptr_t) < FRAMES_BYTES / 2,
               "the deepest stack has room");

struct frames {
    size_t count;
    uintptr_t frames[];
};

struct call_stacks {
    struct stack_cache *cache;
    uint32_t number; /* of the thread it describes */
    uint32_t used;   /* units; the first is not used */
    char units[FRAMES_BYTES];
};

static struct {
    struct unwind_rules rules;
    uint32_t is_open;
    uint32_t process;     /* owner: a fork may interrupt a change */
    uint32_t generation;  /* of the rules */
    uint32_t spare;       /* bytes by which caches may grow */
    uint32_t unloaded;    /* files unloaded so far */
    uintptr_t start, end; /* this library */
} shared;

void call_stacks_forget(void)
{
    __atomic_fetch_add(&shared.unloaded, 1, __ATOMIC_SEQ_CST);
}

static void open_shared(uint32_t process, const struct loaded_file *own)
{
    if (shared.is_open == 0 && own->end != 0 &&
        unwind_rules_open(&shared.rules) == TALLY_OK) {
        shared.start = own->start;
        shared.end = own->end;
        shared.generation = shared.unloaded;
        shared.spare = ENTRIES_BYTES;
        shared.is_open = 1;
    } else if (shared.is_open != 0) {
        site_table_adopt(&shared.rules.ids);
    }
    __atomic_store_n(&shared.process, process, __ATOMIC_RELEASE);
}

/* Open the rules under the countdown's lock: a forked child finds it free. */
static bool are_rules_open(uint32_t process)
{
    struct loaded_file own = { 0 };

    if (__atomic_load_n(&shared.process, __ATOMIC_ACQUIRE) != process) {
        /* The loader may hold a lock of its own. */
        if (!loaded_files_find((uintptr_t)&shared, &own))
            own.end = 0;
        countdown_lock();
        if (shared.process != process)
            open_shared(process, &own);
        countdown_unlock();
    }
    return shared.is_open != 0;
}

static struct call_stacks *open_stacks(struct counted_thread *thread)
{
    static struct own_memory own = OWN_MEMORY;
    struct call_stacks *stacks;

    if (!are_rules_open(thread->process))
        return NULL;
    stacks = own_memory_alloc(&own, sizeof *stacks);
    if (stacks == NULL)
        return NULL;
    stacks->cache = stack_cache_open(&shared.rules, &shared.spare);
    if (stacks->cache == NULL) {
        own_memory_free(&own, stacks, sizeof *stacks);
        return NULL;
    }
    stacks->number = thread->number;
    stacks->used = 1;
    thread->stacks = stacks;
    return stacks;
}

static void clear(struct call_stacks *stacks, uint32_t generation)
{
    stack_cache_clear(stacks->cache, generation);
    stacks->used = 1;
}

/* Forget all rules if a file was unloaded. Return the generation. */
static uint32_t follow_files(void)
{
    uint32_t now = __atomic_load_n(&shared.unloaded, __ATOMIC_ACQUIRE);

    if (__atomic_exchange_n(&shared.generation, now, __ATOMIC_ACQ_REL) != now)
        unwind_rules_forget(&shared.rules);
    return now;
}

static struct frames *frames_at(struct call_stacks *stacks, uint32_t unit)
{
    return (struct frames *)(void *)(stacks->units + (size_t)unit * UNIT);
}

static uint32_t keep(struct call_stacks *stacks)
{
    const struct unwinder *unwinder = &stacks->cache->unwinder;
    uint32_t first =
        stack_cache_program_frame(stacks->cache, shared.start, shared.end);
    size_t count = unwinder->frame_count - first;
    size_t bytes = sizeof(struct frames) + count * sizeof(uintptr_t);
    uint32_t unit = stacks->used;
    struct frames *kept = frames_at(stacks, unit);

    kept->count = count;
    memcpy(kept->frames, &unwinder->frames[first], count * sizeof(uintptr_t));
    stacks->used += (uint32_t)((bytes + UNIT - 1) / UNIT);
    stack_cache_keep(stacks->cache, unit);
    return unit;
}

static uint32_t find_or_walk(struct call_stacks *stacks,
                             const struct unwind_origin *origin)
{
    const struct stack_entry *entry =
        stack_cache_find_saved(stacks->cache, origin);

    if (entry != NULL)
        return entry->word;
    if (stacks->used > FRAMES_BYTES / UNIT / 2)
        clear(stacks, stacks->cache->generation);
    unwind_from(&stacks->cache->unwinder, origin);
    return keep(stacks);
}

size_t call_stacks_find_from(struct counted_thread *thread,
                             const struct unwind_origin *origin,
                             const uintptr_t **frames) __attribute__((used));

size_t call_stacks_find_from(struct counted_thread *thread,
                             const struct unwind_origin *origin,
                             const uintptr_t **frames)
{
    struct call_stacks *stacks = thread->stacks;
    const struct frames *found;
    uint32_t now;

    if (stacks == NULL)
        stacks = open_stacks(thread);
    if (stacks == NULL)
        return 0;
    now = follow_files();
    if (stacks->cache->generation != now || stacks->number != thread->number)
        clear(stacks, now); /* of unloaded files, or of a thread that ended */
    stacks->number = thread->number;
    stack_cache_take(stacks->cache, (uintptr_t)&origin->return_address);
    found = frames_at(stacks, find_or_walk(stacks, origin));
    stack_cache_leave(stacks->cache);
    *frames = found->frames;
    return found->count;
}

size_t call_stacks_find_here(struct counted_thread *thread, const void *origin,
                             const uintptr_t **frames);

size_t call_stacks_find(struct counted_thread *thread, const void *origin,
                        const uintptr_t **frames)
{
    return origin != NULL ? call_stacks_find_from(thread, origin, frames)
                          : call_stacks_find_here(thread, origin, frames);
}

ORIGIN_HERE(call_stacks_find_here, call_stacks_find_from, rsi);

/* Search for the return address. A match too near gives a smaller stack
   pointer, which is safe. */
uintptr_t call_stacks_pointer(const struct unwind_origin *origin,
                              uintptr_t caller)
{
    struct stack_memory memory = { .thread = 0 };
    uintptr_t stack = (uintptr_t)origin, word;

    if (origin == NULL)
        return 0;
    stack += offsetof(struct unwind_origin, return_address);
    word = stack;
    for (unsigned i = 0; i < SEARCHED; i++, word += sizeof word) {
        if (word % LEDGER_PAGE == 0 && !stack_memory_has(&memory, word))
            break; /* a coroutine's stack may end here */
        if (stack_memory_word(word) == caller)
            return word + sizeof word;
    }
    return stack;
}

_Static_assert(offsetof(struct stack_memory, gap) ==
                   sizeof countdown_no_thread.own_stack,
               "which is how a struct stack_memory begins");

bool call_stacks_is_own(uintptr_t low, uintptr_t high)
{
    struct counted_thread *thread = countdown_thread_if_any();
    struct stack_memory memory = { .thread = 0 };

    if (thread != NULL)
        memcpy(&memory, &thread->own_stack, sizeof thread->own_stack);
    stack_memory_begin(&memory, low);
    if (thread != NULL)
        memcpy(&thread->own_stack, &memory, sizeof thread->own_stack);
    return stack_memory_is_own(&memory, low) &&
           stack_memory_is_own(&memory, high);
}
