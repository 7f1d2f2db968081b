/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling.h - whether allocations are recorded, for code that records
 *
 * The state goes from undecided to open at the first hooked allocation, and
 * perhaps from there to ended. tally/mem_profiling.h has the words that say so.
 */
#pragma once

#include <stdbool.h>

#include "tally/mem_profiling.h"

/* Errors that Linux has, as positive numbers; the core has no <errno.h>. */
enum { MEM_PROFILING_ENOENT = 2, MEM_PROFILING_EINVAL = 22 };

/*
 * Make the setting, once; later calls do nothing. Code that allocates for a tag
 * calls this first. False while this same thread is making it: a block that is
 * then allocated is not recorded.
 */
bool mem_profiling_decide(void);

/* Whether new allocations are recorded now. */
static inline bool mem_profiling_is_on(void)
{
    return mem_profiling_decide() &&
           __atomic_load_n(tally_mem_profiling, __ATOMIC_RELAXED) == 1;
}

/* A block is about to be recorded: frees must look from now on. */
static inline void mem_profiling_expect_frees(void)
{
    if (__atomic_load_n(&tally_mem_profiling_frees, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&tally_mem_profiling_frees, 1, __ATOMIC_RELAXED);
}

/* Whether accounts are kept already, and whether that is decided, either way,
   without asking for them. */
bool mem_profiling_is_open(void);
bool mem_profiling_is_decided(void);

/* Whether there are accounts: false under never, and once it has ended. */
bool mem_profiling_is_available(void);

/* Compressed references ran out: say so once, and end it for good. */
void mem_profiling_end(void);

/* What there may be already when the accounts open. */
enum mem_profiling_kind {
    MEM_PROFILING_TAGS,
    MEM_PROFILING_SLABS,
    MEM_PROFILING_HEAPS,
    MEM_PROFILING_KINDS,
};

#if __STDC_HOSTED__
/*
 * Call `enter_all` once the accounts are open, kind by kind, so that what
 * exists by then is entered in them. Both under the port's lock.
 */
void mem_profiling_at_opening(enum mem_profiling_kind kind,
                              void (*enter_all)(void));

/* Whether the accounts were ever opened. Under the port's lock. */
bool mem_profiling_was_opened(void);
#else
/* Nothing outside the program asks for tags and regions. */
#define mem_profiling_at_opening(kind, enter_all) ((void)(enter_all))
#endif
