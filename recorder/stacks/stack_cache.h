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
 *       however deep the stack is (unwind.h U1). An entry reached by C4 has its
 *       parent's inputs before the one that differs: they were compared there,
 *       and when the entry was added
 *   C3  inputs are compared in the order in which they were read, up to the
 *       first that differs. All lie in the thread's own stack, so only mapped
 *       words are read; stacks of coroutines and of signals, which may be
 *       smaller by now, are walked each time (unwind.h U2)
 *   C4  entries for one call form a tree. A new entry is the child of the entry
 *       from which it differs last, by its value of that input: so each stack
 *       is there once, and one path of comparisons leads to it, over inputs
 *       that may be read. An entry that does not fit, as its inputs before are
 *       others, has no parent and is found only while it is the newest. After
 *       a search in vain the walk comes at once, and its entry is added where
 *       the search ended, if the walk read the words that were compared there
 *   C5  registers lie right below the return address, where the call has saved
 *       them, and are inputs like all others; unread registers are not
 *       compared. Few stacks read one: such an entry is marked, and a call that
 *       has not saved registers does not find it
 *   C6  an entry is complete before it can be found, and one call at a time
 *       uses a cache: `user` names it. A signal handler that interrupts it uses
 *       none
 *   C7  a stack that ended because memory could not be read, or that leads
 *       through other memory, is not stored (unwind.h, is_repeatable)
 *   C8  a label (labels.h) is the last input. Its word may lie outside of the
 *       stack; but the stack is the same up to its end, and so is the thread
 *
 * tests/recorder has a program for each way to defeat this, and a library built
 * with TALLY_STACK_VERIFY walks every Nth stack again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/plain_load.h"
#include "ledger/export.h"
#include "ledger/space/modules.h"
#include "unwind/unwind.h"

enum {
    STACK_CACHE_LAST_LOG2 = 14,
    STACK_CACHE_OTHERS_LOG2 = 15,
    STACK_CACHE_SMALLEST = 256 << 10, /* bytes of entries and edges */
    STACK_CACHE_EDGE_SHARE = 64,      /* bytes of an arena for each edge */
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
    uint32_t word;    /* of the stack's site */
    uint32_t differs; /* in the arena: its parent's input that differs, or 0 */
    struct stack_input inputs[];
};

enum { STACK_ENTRY_SAVED = 1 };

/* A way to an entry, open addressing (C4). The hash of what leads to it spares
   entries that are not meant from being read. */
struct stack_edge {
    uint32_t hash;
    uint32_t place; /* of the entry in the arena; 0: empty */
};

/* A search in the tree of one call (C4). It lies in the cache, as the stack of
   the program may be small. */
struct stack_search {
    uintptr_t origin, return_address, mark;
    const struct stack_entry *entry; /* the last one reached; NULL: none */
    size_t index;                    /* of its first input that differs */
    uint64_t word;                   /* which has this value */
    uint32_t *other; /* to lead to the entry found next time; NULL: none */
    bool is_missed;  /* no entry was found */
};

/* 0: no label's word, so no input */
extern HIDDEN const uint64_t stack_cache_unlabelled;

struct stack_cache {
    uintptr_t user;      /* origin of the call that uses it; 0: free */
    uint32_t generation; /* of the loaded files */
    uint32_t kind;       /* enum ledger_site_kind of new entries */
    uint32_t used;       /* bytes of the arena; its first entry is empty */
    uint32_t size; /* bytes of the arena, a power of 2; edges at its end */
    uint32_t edge_count; /* in use */
    bool has_saved;      /* some entry has STACK_ENTRY_SAVED */
    struct stack_search search;
    uint32_t *spare;       /* bytes by which all caches may still grow */
    const uint64_t *label; /* its user's, or stack_cache_unlabelled */
    char *arena;
    uint32_t last[1 << STACK_CACHE_LAST_LOG2];     /* in the arena */
    uint32_t others[1 << STACK_CACHE_OTHERS_LOG2]; /* in the arena */

    struct module_range near; /* of the last walk */

    /* Ledger frames of the last walk, outermost first: stacks.c. */
    uint32_t root; /* labels_root() of that walk */
    uint32_t name_count;
    uint32_t names[UNWIND_FRAMES];
    struct unwinder unwinder;
};

/* Return the edges at the end of the arena. */
static inline struct stack_edge *stack_cache_edges(struct stack_cache *cache)
{
    return (void *)(cache->arena + cache->size -
                    cache->size / STACK_CACHE_EDGE_SHARE *
                        sizeof(struct stack_edge));
}

static inline uint32_t stack_cache_hash(uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >>
                      (64 - STACK_CACHE_LAST_LOG2));
}

/* Return the latest entry found for a call at one place on the stack. */
static inline uint32_t *stack_cache_last(struct stack_cache *cache,
                                         uintptr_t return_address,
                                         uintptr_t origin)
{
    return &cache->last[stack_cache_hash(return_address + (origin << 20))];
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
 * Return the first input from this one on that differs, or the last input if
 * they are the same. One comparison for each input; only the last input, which
 * never matches, lies at `origin` itself.
 */
static inline __attribute__((always_inline)) const struct stack_input *
stack_inputs_compare(const struct stack_input *input, uintptr_t origin)
{
    while (stack_input_is_same(input, origin) &&
           stack_input_is_same(++input, origin) &&
           stack_input_is_same(++input, origin) &&
           stack_input_is_same(++input, origin))
        input++;
    /* Read again instead of kept: saves a register for each comparison. */
    __asm__("" : "+r"(input));
    return input;
}

static inline __attribute__((always_inline)) const struct stack_input *
stack_entry_compare(const struct stack_entry *entry, uintptr_t origin)
{
    return stack_inputs_compare(entry->inputs, origin);
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

/* Return true if such a stack was searched for just now, in vain. */
static inline bool stack_search_has_missed(const struct stack_search *search,
                                           uintptr_t origin,
                                           uintptr_t return_address,
                                           uintptr_t mark)
{
    return search->is_missed && search->origin == origin &&
           search->return_address == return_address && search->mark == mark;
}

/* Search for both kinds, if registers are saved below `origin`. What the fast
   path has not found is not searched for again: a walk is right in any case. */
static inline const struct stack_entry *
stack_cache_find_saved(struct stack_cache *cache,
                       const struct unwind_origin *origin)
{
    uintptr_t at = (uintptr_t)&origin->return_address;
    const struct stack_entry *entry = NULL;

    if (!stack_search_has_missed(&cache->search, at, origin->return_address, 0))
        entry = stack_cache_find(cache, at, origin->return_address, 0, NULL);
    return entry != NULL || !cache->has_saved
               ? entry
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
