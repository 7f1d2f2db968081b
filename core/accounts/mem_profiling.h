/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_profiling.h - the profiling setting, for code that records
 *
 * The first hooked allocation changes the state from undecided to open; later
 * it may change to ended. tally/mem_profiling.h declares the words that publish
 * it.
 */
#pragma once

#include <stdbool.h>

#include "tally/config.h"
#include "tally/mem_profiling.h"

/* Linux's error numbers; the core has no <errno.h>. */
enum { MEM_PROFILING_ENOENT = 2, MEM_PROFILING_EINVAL = 22 };

/*
 * Apply the setting, once; later calls do nothing. Code that allocates for a
 * tag calls this first. Return false while this thread is applying it: blocks
 * allocated meanwhile are not recorded.
 */
bool mem_profiling_decide(void);

/* Return true if new allocations are recorded now. */
static inline bool mem_profiling_is_on(void)
{
    return mem_profiling_decide() &&
           __atomic_load_n(tally_mem_profiling, __ATOMIC_RELAXED) == 1;
}

/* Make frees check for records, before the first block is recorded. */
static inline void mem_profiling_expect_frees(void)
{
    if (__atomic_load_n(&tally_mem_profiling_frees, __ATOMIC_RELAXED) == 0)
        __atomic_store_n(&tally_mem_profiling_frees, 1, __ATOMIC_RELAXED);
}

/* Return true if accounts are kept; or if that is decided, either way. Neither
   call starts them. */
bool mem_profiling_is_open(void);
bool mem_profiling_is_decided(void);

/* Return true if there are accounts: false under never, and after the end. */
bool mem_profiling_is_available(void);

/* End profiling because compressed references ran out; report it once. */
void mem_profiling_end(void);

/* Kinds of objects that may exist before the accounts open. */
enum mem_profiling_kind {
    MEM_PROFILING_TAGS,
    MEM_PROFILING_SLABS,
    MEM_PROFILING_HEAPS,
    MEM_PROFILING_KINDS,
};

#if TALLY_HAS(OS)
/* Register `enter_all`, which is called once the accounts are open, kind by
   kind, to enter existing objects. Both run under the port's lock. */
void mem_profiling_at_opening(enum mem_profiling_kind kind,
                              void (*enter_all)(void));

/* Return true if the accounts were ever opened. Under the port's lock. */
bool mem_profiling_was_opened(void);
#else
/* Firmware has no readers of tags and regions. */
#define mem_profiling_at_opening(kind, enter_all) ((void)(enter_all))
#endif
