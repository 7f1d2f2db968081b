/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.c - recorded calls; see recording.h
 *
 * When an entry point ends in a jump to recording_alloc_known(), the registers
 * and the return address are the program's own. They stay so until
 * stacks_alloc() saves them, if the stack is not in the cache.
 */
#include "recorder/calls/recording.h"

#include "recorder/stacks/stack_cache.h"

/* place of this function's return address */
#define ORIGIN ((uintptr_t)__builtin_dwarf_cfa() - sizeof(void *))

/* Search the whole cache, which is in use, for a stack. */
static NOINLINE void *alloc_found(void *block, size_t size, uintptr_t caller,
                                  struct stack_cache *cache,
                                  const struct stack_input *differs)
{
    const struct stack_entry *entry =
        stack_cache_find(cache, ORIGIN, CALLER, 0, differs);
    uint32_t word = entry != NULL ? entry->word : 0;

    stack_cache_leave(cache);
    return record_known(block, size, word, thread_shard(), caller);
}

/* Record a block whose stack differs from the newest for this call. */
static NOINLINE void *alloc_other(void *block, size_t size, uintptr_t caller,
                                  struct stack_cache *cache,
                                  const struct stack_input *differs)
{
    const struct stack_entry *entry =
        stack_cache_find_other(cache, ORIGIN, CALLER, 0, differs);
    uint32_t word;

    if (UNLIKELY(entry == NULL))
        return alloc_found(block, size, caller, cache, differs);
    word = entry->word;
    stack_cache_leave(cache);
    return record_known(block, size, word, thread_shard(), caller);
}

/* Record a block at its stack. Makes no call that returns, so that the
   registers are still the program's when stacks_alloc() saves them. */
NOINLINE void *recording_alloc_known(void *block, size_t size, uintptr_t caller)
{
    struct stack_cache *cache =
        __atomic_load_n(&recorder_thread.fast_path->stacks, __ATOMIC_ACQUIRE);
    const struct stack_entry *entry;
    const struct stack_input *differs;
    uint32_t word;

    if (UNLIKELY(cache == NULL || !ledger_is_on() || cache->user != 0))
        return !ledger_is_on() && thread_shard() != NULL
                   ? mode_choose_off(block)
                   : stacks_alloc(block, size, caller);
    stack_cache_take(cache, ORIGIN);
    entry = stack_cache_newest(cache, ORIGIN, CALLER);
    if (UNLIKELY(!stack_entry_is_for(entry, ORIGIN, CALLER, 0)))
        return alloc_found(block, size, caller, cache, NULL);
    differs = stack_entry_compare(entry, ORIGIN);
    if (UNLIKELY(!stack_input_is_last(differs)))
        return alloc_other(block, size, caller, cache, differs);
    word = entry->word;
    stack_cache_leave(cache);
    return record_known(block, size, word, thread_shard(), caller);
}

void *recording_malloc(size_t size)
{
    void *block = real.malloc(size);

    /* Read CALLER only now: a value kept over the call costs. */
    return record_alloc(block, size, CALLER);
}

void *recording_calloc(size_t count, size_t size)
{
    return record_alloc(real.calloc(count, size),
                        recording_count(count, size, CALLER) * size, CALLER);
}

void *recording_realloc(void *block, size_t size)
{
    struct reference old = ledger_take(block);
    void *moved = real.realloc(block, size);

    return ledger_resized(block, old, moved, size)
               ? record_alloc(moved, size, CALLER)
               : moved;
}

void recording_free(void *block)
{
    ledger_free_slow(block);
    real.free(block);
}

NOINLINE void release_due(void *block, struct reference freed)
{
    ledger_flush_free(freed);
    real.free(block);
}

void release_recorded(void *block)
{
    struct reference freed;
    enum ledger_result result = ledger_free_fast(block, &freed);

    if (result == LEDGER_FLUSH)
        ledger_flush_free(freed);
    else if (result == LEDGER_SLOW_PATH)
        ledger_free_slow(block);
    real.free(block);
}
