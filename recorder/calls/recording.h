/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.h - a recorded call, and its way in any other mode
 *
 * The code after the allocator's return is a jump, with the program's registers
 * and return address: its stack is walked from there.
 */
#pragma once

#include "ledger/blocks/ledger_blocks.h"
#include "ledger/space/modules.h"
#include "recorder/calls/mode.h"
#include "recorder/real_functions.h"
#include "recorder/stacks/stacks.h"
#include "sampling/countdown/block_table.h"

/* entry points by mode: MODE_CALL(malloc)(size) */
extern HIDDEN void *(*const mode_malloc[MODES])(size_t size);
extern HIDDEN void *(*const mode_calloc[MODES])(size_t count, size_t size);
extern HIDDEN void *(*const mode_realloc[MODES])(void *block, size_t size);
extern HIDDEN void (*const mode_free[MODES])(void *block);

/* Return true if frees of this mode need only the allocator, but for followed
   blocks: block_table.h. */
bool mode_frees_pass(enum mode mode);

/* Reads the mode again: the fast path compares it in memory, and keeps
   nothing. */
#define MODE_CALL(name) mode_##name[mode_anew()]

static inline enum mode mode_anew(void)
{
    __asm__("" ::: "memory");
    return mode_now();
}

/* Entry points of MODE_RECORDING and MODE_FAR, reached by a jump. */
HIDDEN void *recording_malloc(size_t size);
void *recording_calloc(size_t count, size_t size);
void *recording_realloc(void *block, size_t size);
void recording_free(void *block);

/* Record a block at its stack, which the thread's own cache may know. */
void *recording_alloc_known(void *block, size_t size, uintptr_t caller);

/* Record a block at a known site. Return `block`. */
static inline __attribute__((always_inline)) void *
record_known(void *block, size_t size, uint32_t word, char *base,
             uintptr_t caller)
{
    enum ledger_result result =
        ledger_alloc_near(block, size, word, base, LEDGER_OWN_SHARD);

    if (LIKELY(result == LEDGER_DONE))
        return block;
    return result == LEDGER_FLUSH
               ? ledger_flush(block, (struct reference){ word, size })
               : stacks_alloc(block, size, caller);
}

/* Record a new block, or NULL. Return `block`. */
static inline __attribute__((always_inline)) void *
record_alloc(void *block, size_t size, uintptr_t caller)
{
    char *base = thread_caller_shard();

    if (base == NULL)
        return recording_alloc_known(block, size, caller);
    if (UNLIKELY(!ledger_is_on()))
        return mode_choose_off(block);
    return record_known(block, size, site_table_find(&heap_sites, caller), base,
                        caller);
}

/*
 * Return the program's elements of a calloc. For each thread the loader makes a
 * vector with an entry of 16 bytes for every module that has thread-local
 * words. One of them is ours.
 */
static inline size_t recording_count(size_t count, size_t size,
                                     uintptr_t caller)
{
    if (UNLIKELY(size == 2 * sizeof(void *) && count != 0 &&
                 modules_is_loader(caller)))
        return count - 1;
    return count;
}

/* Return the bytes of so many elements; SIZE_MAX: more than there can be. */
static inline size_t recording_product(size_t count, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

static inline __attribute__((always_inline)) void *acquire(size_t size)
{
    return LIKELY(mode_is_recording()) ? recording_malloc(size)
                                       : MODE_CALL(malloc)(size);
}

/* Free a block, and take it out if it is recorded. */
void release_recorded(void *block);

/* Free a block that was taken out, and check the thread's peaks. */
void release_due(void *block, struct reference freed);

static inline __attribute__((always_inline)) void release(void *block)
{
    struct reference freed;
    enum ledger_result result;

    if (UNLIKELY(!mode_is_recording())) {
        if (LIKELY(block_filter_passes(block)))
            real.free(block);
        else
            MODE_CALL(free)(block);
        return;
    }
    result = ledger_free_own(block, &freed);
    if (LIKELY(result == LEDGER_DONE))
        real.free(block);
    else if (result == LEDGER_FLUSH)
        release_due(block, freed);
    else
        MODE_CALL(free)(block);
}

/* Find the operators new and delete behind our own. Operators of a C++ library
   that is loaded later are found when called. */
void new_delete_find(void);

/* Return the hook for an allocator's operator by its name, `_Znwm` or
   `new_aligned` after a prefix; NULL: there is none. */
void *new_delete_entry(const char *name);

/* Note that they lead here, and so do all of the executable's. */
void new_delete_take_over(void);
