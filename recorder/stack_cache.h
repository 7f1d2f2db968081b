/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_cache.h - stacks that were followed before, with what they depend on
 *
 * Following a stack is a pure function of the loaded code and of the words that
 * it reads: unwind.h's inputs. An entry holds one result and all its inputs, so
 *
 *   C1  an entry is for one innermost return address, one place of that on the
 *       stack, and the files that are loaded now (checked: is_same, follow)
 *   C2  it is taken only when every input has the value that it had; all of
 *       them, however deep the stack is (checked: is_same; unwind.h U1)
 *   C3  inputs are compared in the order in which they were read, up to the
 *       first that differs. All lie in the thread's own stack, so no word is
 *       read that is not mapped; stacks of coroutines and of signals, which may
 *       be smaller ones by now, are followed each time (checked: is_same, keep;
 *       unwind.h U2)
 *   C4  where the first input lies depends on the return address alone, so it
 *       may be read before an entry is chosen by it (checked: find)
 *   C5  registers lie right below the return address, where the call has saved
 *       them, and are inputs like all others; those that were never asked for
 *       are not compared
 *   C6  an entry is complete before it can be found, and one call at a time uses
 *       a cache: `user` says which. A signal handler that comes in between goes
 *       without (checked: enter)
 *   C7  a stack that ended because memory could not be read, or that leads
 *       through memory of others, is not kept
 *       (checked: keep; unwind.h, is_repeatable)
 *
 * tests/recorder has a program for each way to defeat this, and a library built
 * with TALLY_STACK_VERIFY follows every Nth stack again.
 */
#ifndef TALLY_RECORDER_STACK_CACHE_H
#define TALLY_RECORDER_STACK_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "ledger/export.h"
#include "unwind/unwind.h"

enum {
    STACK_CACHE_SLOTS_LOG2 = 14,
    STACK_CACHE_FIRSTS_LOG2 = 12,
    STACK_CACHE_UNIT = 16, /* bytes; entries are multiples of it */
    STACK_CACHE_TOGETHER = 4,
    STACK_CACHE_NOBODY = 3, /* units at the beginning: an entry for nothing */
    STACK_CACHE_SMALLEST = 256 << 10, /* bytes of entries */
};

/* One word that a stack depends on. */
struct stack_input {
    const uint64_t *at;
    uint64_t value;
};

/*
 * The first input is the return address. There are as many as a multiple of
 * STACK_CACHE_TOGETHER; what is too few is the last one again.
 */
struct stack_entry {
    uint32_t word; /* of the stack's account */
    uint32_t next; /* units; another entry of the same slot, or 0 */
    uint32_t count;
    uint32_t reserved;
    struct stack_input inputs[];
};

/* Where the first input after it lies for one return address (C4). */
struct stack_first {
    uintptr_t return_address; /* 0: none */
    intptr_t offset;
};

struct stack_cache {
    uintptr_t user;      /* origin of the call that uses it; 0: nobody */
    uint32_t generation; /* of the loaded files */
    uint32_t used;       /* units of the arena */
    uint32_t units;      /* of the arena */
    uint32_t unit_limit; /* it may grow to */
    char *arena;
    struct unwinder *unwinder;
    uint32_t last[1 << STACK_CACHE_SLOTS_LOG2]; /* units; 0: none */
    struct stack_first firsts[1 << STACK_CACHE_FIRSTS_LOG2];
    uint32_t slots[1 << STACK_CACHE_SLOTS_LOG2]; /* units; 0: empty */
};

static inline struct stack_first *stack_cache_first(struct stack_cache *cache,
                                                    uintptr_t return_address)
{
    return &cache
                ->firsts[return_address & ((1 << STACK_CACHE_FIRSTS_LOG2) - 1)];
}

static inline uint32_t stack_cache_hash(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >>
                      (64 - STACK_CACHE_SLOTS_LOG2));
}

/* The entry that was found last for a call at one place on the stack. */
static inline uint32_t *stack_cache_last(struct stack_cache *cache,
                                         uintptr_t return_address,
                                         uintptr_t origin)
{
    return &cache->last[stack_cache_hash(return_address + (origin << 20))];
}

/* The entries whose first input has this value. */
static inline uint32_t *stack_cache_slot(struct stack_cache *cache,
                                         uintptr_t return_address,
                                         uintptr_t origin, uint64_t input)
{
    return &cache->slots[stack_cache_hash(return_address + (origin << 20) +
                                          input * 7)];
}

static inline struct stack_entry *stack_cache_entry(struct stack_cache *cache,
                                                    uint32_t unit)
{
    return (void *)(cache->arena + (size_t)unit * STACK_CACHE_UNIT);
}

static inline bool stack_input_is_same(const struct stack_input *input)
{
    return *(const volatile uint64_t *)input->at == input->value;
}

static inline bool stack_entry_is_same(const struct stack_entry *entry,
                                       uintptr_t origin)
{
    const struct stack_input *input = entry->inputs;
    const struct stack_input *end = input + entry->count;

    if ((uintptr_t)input->at != origin)
        return false;
    do {
        if (!stack_input_is_same(&input[0]) ||
            !stack_input_is_same(&input[1]) ||
            !stack_input_is_same(&input[2]) || !stack_input_is_same(&input[3]))
            return false;
        input += STACK_CACHE_TOGETHER;
    } while (input != end);
    return true;
}

/*
 * The word of the stack at `origin` if it is the same as the last time that the
 * call was made there, or 0.
 */
static inline __attribute__((always_inline)) uint32_t
stack_cache_find_last(struct stack_cache *cache,
                      const struct unwind_origin *origin)
{
    uintptr_t at = (uintptr_t)&origin->return_address;
    const struct stack_entry *entry = stack_cache_entry(
        cache, *stack_cache_last(cache, origin->return_address, at));

    return LIKELY(stack_entry_is_same(entry, at)) ? entry->word : 0;
}

/* Of any stack that is known, which is then the last; or 0: follow it. */
uint32_t stack_cache_find(struct stack_cache *cache,
                          const struct unwind_origin *origin);

/*
 * Whether the call that uses a cache has gone, by longjmp: the thread's own stack
 * has shrunk to less than that had. A handler's stack, above or below, says
 * nothing.
 */
static inline bool stack_cache_is_left(const struct stack_cache *cache,
                                       uintptr_t origin)
{
    const struct stack_memory *memory = &cache->unwinder->memory;

    return cache->user < origin && stack_memory_is_own(memory, cache->user) &&
           stack_memory_is_own(memory, origin);
}

/*
 * Begin to use a cache that no other thread uses; false: a call that this one
 * has interrupted does.
 */
static inline bool stack_cache_enter(struct stack_cache *cache,
                                     uintptr_t origin)
{
    if (UNLIKELY(cache->user != 0 && !stack_cache_is_left(cache, origin)))
        return false;
    __atomic_store_n(&cache->user, origin, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return true;
}

static inline void stack_cache_leave(struct stack_cache *cache)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&cache->user, 0, __ATOMIC_RELEASE);
}

/*
 * An empty one, with an unwinder that uses `rules`, and at most `limit` bytes of
 * entries; NULL: no memory.
 */
struct stack_cache *stack_cache_open(struct unwind_rules *rules, size_t limit);

/* After mlockall. */
void stack_cache_unlock(struct stack_cache *cache);

/* One that nobody has seen yet. */
void stack_cache_close(struct stack_cache *cache);

/* Keep what the cache's unwinder has just found to lead to `word`. */
void stack_cache_keep(struct stack_cache *cache, uint32_t word);

/* Make it empty, for the files that are loaded by now. */
void stack_cache_clear(struct stack_cache *cache, uint32_t generation);

#endif /* TALLY_RECORDER_STACK_CACHE_H */
