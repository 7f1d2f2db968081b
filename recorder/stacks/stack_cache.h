/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_cache.h - stacks walked before, and the words they depend on
 *
 * A walk is a pure function of the loaded code and of the words that it reads:
 * unwind.h's inputs. An entry holds one result and all its inputs, so
 *
 *   C1  an entry is for one innermost return address, one place of it on the
 *       stack, and the files that are loaded now
 *   C2  an entry is used only if every input has its old value; all of them,
 *       however deep the stack is (unwind.h U1)
 *   C3  inputs are compared in the order in which they were read, up to the
 *       first that differs. All lie in the thread's own stack, so only mapped
 *       words are read; stacks of coroutines and of signals, which may be
 *       smaller by now, are walked each time (unwind.h U2)
 *   C4  an entry is chosen by words that may be read: by the first input, whose
 *       place depends only on the return address, or by the input in which
 *       another entry for the same call differs
 *   C5  registers lie right below the return address, where the call has saved
 *       them, and are inputs like all others; unread registers are not
 *       compared. Few stacks read one: such an entry is marked, and a call that
 *       has not saved registers does not find it
 *   C6  an entry is complete before it can be found, and one call at a time
 *       uses a cache: `user` names it. A signal handler that interrupts it uses
 *       none
 *   C7  a stack that ended because memory could not be read, or that leads
 *       through other memory, is not stored (unwind.h, is_repeatable)
 *   C8  a label (labels.h) is the last input, and helps to choose the entry
 *       besides the first input. Its word may lie outside of the stack; but the
 *       stack is the same up to its end, and so is the thread
 *
 * tests/recorder has a program for each way to defeat this, and a library built
 * with TALLY_STACK_VERIFY walks every Nth stack again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "ledger/export.h"
#include "unwind/unwind.h"

enum {
    STACK_CACHE_SLOTS_LOG2 = 14,
    STACK_CACHE_FIRSTS_LOG2 = 12,
    STACK_CACHE_OTHERS_LOG2 = 13,
    STACK_CACHE_SMALLEST = 256 << 10, /* bytes of entries */
};

/* One word that a stack depends on. Packed, as entries compete for CPU
   caches. */
struct __attribute__((packed, aligned(4))) stack_input {
    int32_t offset; /* bytes from the place of the return address */
    uint64_t value;
};

/*
 * After the inputs comes one that never matches: the return address with
 * another value. STACK_ENTRY_SAVED in `origin`: some inputs are saved
 * registers, which lie below it.
 */
struct stack_entry {
    uint64_t origin;
    uint64_t return_address;
    uint32_t word; /* of the stack's site */
    uint32_t next; /* in the arena; next entry of the same slot, or 0 */
    struct stack_input inputs[];
};

enum { STACK_ENTRY_SAVED = 1 };

/* place of the first input for one return address (C4) */
struct stack_first {
    uintptr_t return_address; /* 0: none */
    intptr_t offset;
};

/* 0: no label's word, so no input */
extern HIDDEN const uint64_t stack_cache_unlabelled;

struct stack_cache {
    uintptr_t user;        /* origin of the call that uses it; 0: free */
    uint32_t generation;   /* of the loaded files */
    uint32_t kind;         /* enum ledger_site_kind of new entries */
    uint32_t used;         /* bytes of the arena; its first entry is empty */
    uint32_t size;         /* bytes of the arena */
    uint32_t *spare;       /* bytes by which all caches may still grow */
    const uint64_t *label; /* its user's, or stack_cache_unlabelled */
    char *arena;
    uint32_t last[1 << STACK_CACHE_SLOTS_LOG2]; /* in the arena */
    struct stack_first firsts[1 << STACK_CACHE_FIRSTS_LOG2];
    uint32_t slots[1 << STACK_CACHE_SLOTS_LOG2];   /* in the arena; 0: empty */
    uint32_t others[1 << STACK_CACHE_OTHERS_LOG2]; /* in the arena */

    /* Ledger frames of the last walk, outermost first: stacks.c. */
    uint32_t root; /* labels_root() of that walk */
    uint32_t name_count;
    uint32_t names[UNWIND_FRAMES];
    struct unwinder unwinder;
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

/* Return the latest entry found for a call at one place on the stack. */
static inline uint32_t *stack_cache_last(struct stack_cache *cache,
                                         uintptr_t return_address,
                                         uintptr_t origin)
{
    return &cache->last[stack_cache_hash(return_address + (origin << 20))];
}

/* Return the entries whose first input has this value. */
static inline uint32_t *stack_cache_slot(struct stack_cache *cache,
                                         uintptr_t return_address,
                                         uintptr_t origin, uint64_t input)
{
    return &cache->slots[stack_cache_hash(return_address + (origin << 20) +
                                          input * 8)];
}

/* Return the entry found last for an entry that differed by this input, and
   this value. */
static inline uint32_t *stack_cache_other(struct stack_cache *cache,
                                          const struct stack_input *differs,
                                          uint64_t word)
{
    uint64_t key = word + (uint64_t)((const char *)differs - cache->arena);

    return &cache->others[key * UINT64_C(0x9e3779b97f4a7c15) >>
                          (64 - STACK_CACHE_OTHERS_LOG2)];
}

static inline struct stack_entry *stack_cache_entry(struct stack_cache *cache,
                                                    size_t place)
{
    return (void *)(cache->arena + place);
}

static inline uint64_t stack_word_at(uintptr_t origin, intptr_t offset)
{
    return PLAIN_LOAD((const uint64_t *)(origin + (uintptr_t)offset));
}

static inline bool stack_input_is_same(const struct stack_input *input,
                                       uintptr_t origin)
{
    uint64_t word = stack_word_at(origin, input->offset);

    /* Keep the comparison's other operand in memory: saves a register. */
    __asm__("" : "+r"(word));
    return word == input->value;
}

/* Return true for an entry of this call; its origin must have this `mark`. */
static inline bool stack_entry_is_for(const struct stack_entry *entry,
                                      uintptr_t origin,
                                      uintptr_t return_address, uintptr_t mark)
{
    return entry->origin == (origin | mark) &&
           entry->return_address == return_address;
}

/*
 * Return the first input of an entry that differs, or the last input if the
 * stack is the same. One comparison for each input; only the last input, which
 * never matches, lies at `origin` itself.
 */
static inline __attribute__((always_inline)) const struct stack_input *
stack_entry_compare(const struct stack_entry *entry, uintptr_t origin)
{
    const struct stack_input *input = entry->inputs;

    while (stack_input_is_same(input, origin) &&
           stack_input_is_same(++input, origin) &&
           stack_input_is_same(++input, origin) &&
           stack_input_is_same(++input, origin))
        input++;
    /* Read again instead of kept: saves a register for each comparison. */
    __asm__("" : "+r"(input));
    return input;
}

static inline bool stack_input_is_last(const struct stack_input *input)
{
    return input->offset == 0;
}

static inline __attribute__((always_inline)) bool
stack_entry_is_same(const struct stack_entry *entry, uintptr_t origin,
                    uintptr_t return_address, uintptr_t mark)
{
    return stack_entry_is_for(entry, origin, return_address, mark) &&
           stack_input_is_last(stack_entry_compare(entry, origin));
}

/* Return the latest entry found for such a call. */
static inline const struct stack_entry *
stack_cache_newest(struct stack_cache *cache, uintptr_t origin,
                   uintptr_t return_address)
{
    return stack_cache_entry(cache,
                             *stack_cache_last(cache, return_address, origin));
}

/* Return the entry found when the newest one differed in the same way; or
   NULL. */
static inline __attribute__((always_inline)) const struct stack_entry *
stack_cache_find_other(struct stack_cache *cache, uintptr_t origin,
                       uintptr_t return_address, uintptr_t mark,
                       const struct stack_input *differs)
{
    uint32_t place = *stack_cache_other(cache, differs,
                                        stack_word_at(origin, differs->offset));
    const struct stack_entry *entry = stack_cache_entry(cache, place);

    if (UNLIKELY(!stack_entry_is_same(entry, origin, return_address, mark)))
        return NULL;
    *stack_cache_last(cache, return_address, origin) = place;
    return entry;
}

/*
 * Return the entry of the stack at `origin`, which becomes the newest of such
 * calls; NULL: walk the stack. `mark` is 0, which finds only entries
 * independent of registers, or STACK_ENTRY_SAVED, which finds only others.
 * `differs` is the result of comparing the newest, or NULL.
 */
const struct stack_entry *stack_cache_find(struct stack_cache *cache,
                                           uintptr_t origin,
                                           uintptr_t return_address,
                                           uintptr_t mark,
                                           const struct stack_input *differs);

/* Search for both kinds, if registers are saved below `origin`. */
static inline const struct stack_entry *
stack_cache_find_saved(struct stack_cache *cache,
                       const struct unwind_origin *origin)
{
    uintptr_t at = (uintptr_t)&origin->return_address;
    const struct stack_entry *entry =
        stack_cache_find(cache, at, origin->return_address, 0, NULL);

    return entry != NULL ? entry
                         : stack_cache_find(cache, at, origin->return_address,
                                            STACK_ENTRY_SAVED, NULL);
}

/* Return the index of the innermost frame outside this library, [start, end):
   our own frames are not the program's. */
uint32_t stack_cache_program_frame(const struct stack_cache *cache,
                                   uintptr_t start, uintptr_t end);

/* Return true if the call that uses a cache has ended by longjmp: the thread's
   own stack has shrunk below that call's. A handler's stack proves nothing. */
static inline bool stack_cache_is_left(const struct stack_cache *cache,
                                       uintptr_t origin)
{
    const struct stack_memory *memory = &cache->unwinder.memory;

    return cache->user < origin && stack_memory_is_own(memory, cache->user) &&
           stack_memory_is_own(memory, origin);
}

static inline void stack_cache_take(struct stack_cache *cache, uintptr_t origin)
{
    __atomic_store_n(&cache->user, origin, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Begin to use a cache that only this thread uses; return false if a call that
   this one has interrupted uses it. */
static inline bool stack_cache_enter(struct stack_cache *cache,
                                     uintptr_t origin)
{
    if (UNLIKELY(cache->user != 0 && !stack_cache_is_left(cache, origin)))
        return false;
    stack_cache_take(cache, origin);
    return true;
}

static inline void stack_cache_leave(struct stack_cache *cache)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&cache->user, 0, __ATOMIC_RELEASE);
}

/*
 * Return an empty cache with an unwinder that uses `rules`, and space for
 * STACK_CACHE_SMALLEST bytes of entries. When it is full it takes as much again
 * from `spare`, which all may share. NULL: no memory.
 */
struct stack_cache *stack_cache_open(struct unwind_rules *rules,
                                     uint32_t *spare);

/* Unlock its memory after mlockall(). */
void stack_cache_unlock(struct stack_cache *cache);

/* Free a cache that no other thread can see. */
void stack_cache_close(struct stack_cache *cache);

/* Store the cache's latest walk as leading to `word`. */
void stack_cache_keep(struct stack_cache *cache, uint32_t word);

/* Empty the cache, for a new generation of loaded files. */
void stack_cache_clear(struct stack_cache *cache, uint32_t generation);
