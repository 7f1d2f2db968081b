/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack_cache.h - stacks that were followed before, with what they depend on
 *
 * Following a stack is a pure function of the loaded code and of the words that
 * it reads: unwind.h's inputs. An entry holds one result and all its inputs, so
 *
 *   C1  an entry is for one innermost return address, one place of that on the
 *       stack, and the files that are loaded now
 *   C2  it is taken only when every input has the value that it had; all of
 *       them, however deep the stack is (unwind.h U1)
 *   C3  inputs are compared in the order in which they were read, up to the
 *       first that differs. All lie in the thread's own stack, so no word is
 *       read that is not mapped; stacks of coroutines and of signals, which may
 *       be smaller ones by now, are followed each time (unwind.h U2)
 *   C4  an entry is chosen by words that may be read: by the first input, which
 *       lies where the return address alone says, or by the one in which
 *       another entry for the same call differs
 *   C5  registers lie right below the return address, where the call has saved
 *       them, and are inputs like all others; those that were never asked for
 *       are not compared. Few stacks ask for one: such an entry is marked, and
 *       a call that has not saved registers does not find it
 *   C6  an entry is complete before it can be found, and one call at a time
 *       uses a cache: `user` says which. A signal handler that comes in between
 *       goes without
 *   C7  a stack that ended because memory could not be read, or that leads
 *       through memory of others, is not kept (unwind.h, is_repeatable)
 *   C8  a label (labels.h) is the last input, and chooses among the entries of
 *       a call besides the first one. Its word may lie outside of the stack;
 *       but that is the same up to its end, and so is the thread
 *
 * tests/recorder has a program for each way to defeat this, and a library built
 * with TALLY_STACK_VERIFY follows every Nth stack again.
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

/* One word that a stack depends on. Packed: what is compared fills caches. */
struct __attribute__((packed, aligned(4))) stack_input {
    int32_t offset; /* bytes from the place of the return address */
    uint64_t value;
};

/*
 * After the inputs comes one more that is never the same: the return address
 * itself, as something else. STACK_ENTRY_SAVED in `origin`: some inputs are
 * saved registers, which lie below it.
 */
struct stack_entry {
    uint64_t origin;
    uint64_t return_address;
    uint32_t word; /* of the stack's account */
    uint32_t next; /* in the arena; another entry of the same slot, or 0 */
    struct stack_input inputs[];
};

enum { STACK_ENTRY_SAVED = 1 };

/* Where the first input after it lies for one return address (C4). */
struct stack_first {
    uintptr_t return_address; /* 0: none */
    intptr_t offset;
};

/* 0: in place of a label's word, it is no input. */
extern HIDDEN const uint64_t stack_cache_unlabelled;

struct stack_cache {
    uintptr_t user;        /* origin of the call that uses it; 0: free */
    uint32_t generation;   /* of the loaded files */
    uint32_t kind;         /* enum ledger_site_kind of what is entered */
    uint32_t used;         /* bytes of the arena; its first entry is empty */
    uint32_t size;         /* of the arena */
    uint32_t *spare;       /* bytes that it, and others, may still grow by */
    const uint64_t *label; /* of its user; or stack_cache_unlabelled */
    char *arena;
    uint32_t last[1 << STACK_CACHE_SLOTS_LOG2]; /* in the arena */
    struct stack_first firsts[1 << STACK_CACHE_FIRSTS_LOG2];
    uint32_t slots[1 << STACK_CACHE_SLOTS_LOG2];   /* in the arena; 0: empty */
    uint32_t others[1 << STACK_CACHE_OTHERS_LOG2]; /* in the arena */

    /* What the frames of the last walk are called, outermost first:
       stacks.c. */
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
                                          input * 8)];
}

/* What was found when an entry differed by this input and the word was
   another. */
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

    /* What is compared with it stays in memory: that takes a register less. */
    __asm__("" : "+r"(word));
    return word == input->value;
}

/* `origin` with the mark that the entry's has to have. */
static inline bool stack_entry_is_for(const struct stack_entry *entry,
                                      uintptr_t origin,
                                      uintptr_t return_address, uintptr_t mark)
{
    return entry->origin == (origin | mark) &&
           entry->return_address == return_address;
}

/*
 * The first input of an entry for this call that differs, the last of all when
 * the stack is the same. One comparison for each; the one that is never the
 * same is the only one at `origin` itself.
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
    /* Read once more: keeping it costs a register for each comparison. */
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

/* The entry that was found last for such a call. */
static inline const struct stack_entry *
stack_cache_newest(struct stack_cache *cache, uintptr_t origin,
                   uintptr_t return_address)
{
    return stack_cache_entry(cache,
                             *stack_cache_last(cache, return_address, origin));
}

/* What was found when the newest differed there as it does now; or NULL. */
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
 * The stack at `origin` if it is known, and then the newest for such a call;
 * NULL: it is to be followed. `mark` is 0, which finds nothing that depends on
 * registers, or STACK_ENTRY_SAVED, which finds nothing else. `differs` is what
 * comparing the newest returned; NULL: nothing has been compared.
 */
const struct stack_entry *stack_cache_find(struct stack_cache *cache,
                                           uintptr_t origin,
                                           uintptr_t return_address,
                                           uintptr_t mark,
                                           const struct stack_input *differs);

/* The same of either kind, where registers are saved below `origin`. */
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

/*
 * The number of the innermost frame that is not this library's, [start, end):
 * our own frames are not the program's.
 */
uint32_t stack_cache_program_frame(const struct stack_cache *cache,
                                   uintptr_t start, uintptr_t end);

/*
 * Whether the call that uses a cache has gone, by longjmp: the thread's own
 * stack has shrunk to less than that had. A handler's stack, above or below,
 * says nothing.
 */
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

/*
 * Begin to use a cache that no other thread uses; false: a call that this one
 * has interrupted does.
 */
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
 * An empty one, with an unwinder that uses `rules`, and room for
 * STACK_CACHE_SMALLEST bytes of entries; when it is full it takes as much again
 * of `spare`, which all may share. NULL: no memory.
 */
struct stack_cache *stack_cache_open(struct unwind_rules *rules,
                                     uint32_t *spare);

/* After mlockall. */
void stack_cache_unlock(struct stack_cache *cache);

/* Only before another thread can see the cache. */
void stack_cache_close(struct stack_cache *cache);

/* Keep what the cache's unwinder has just found to lead to `word`. */
void stack_cache_keep(struct stack_cache *cache, uint32_t word);

/* Make it empty, for the files that are loaded by now. */
void stack_cache_clear(struct stack_cache *cache, uint32_t generation);
