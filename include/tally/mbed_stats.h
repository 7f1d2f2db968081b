/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mbed_stats.h - figures of heap and stacks, under the names of Mbed OS
 *
 *     mbed_stats_heap_t heap;
 *
 *     mbed_stats_heap_get(&heap);
 *
 * They come from Tally's accounts: of all allocations if the recorder is
 * loaded, with `tally record` or without; else of tags (tally/malloc.h). The
 * functions are in libtally, not in the recorder, and allocate nothing. The
 * recorder looks at each block: a few milliseconds for 100,000. What does not
 * fit is UINT32_MAX. Any thread, but one at a time; not in signal handlers.
 */
#ifndef TALLY_MBED_STATS_H
#define TALLY_MBED_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/*
 * Current and peak sizes are as requested. On a host, the peak is known to
 * within 32 KiB a thread, and exactly with one thread; reserved_size is that of
 * libc's arenas; failures are those that the recorder has seen; overhead is
 * libc's header and rounding, or 16 bytes for each block if there are only
 * tags. On firmware, the peak is exact; reserved_size and failures are those of
 * all sys_heaps; overhead is what else is in use.
 */
typedef struct {
    uint32_t current_size;   /* bytes that are out */
    uint32_t max_size;       /* the most it ever was */
    uint32_t total_size;     /* bytes ever handed out; only grows */
    uint32_t reserved_size;  /* bytes that the heap has */
    uint32_t alloc_cnt;      /* blocks that are out */
    uint32_t alloc_fail_cnt; /* requests that were refused */
    uint32_t overhead_size;  /* bytes that those blocks take beyond that */
} mbed_stats_heap_t;

void mbed_stats_heap_get(mbed_stats_heap_t *stats);

typedef struct {
    uint32_t thread_id;     /* 0: all of them */
    uint32_t max_size;      /* bytes, the most ever used */
    uint32_t reserved_size; /* bytes that it has */
    uint32_t stack_cnt;     /* stacks in these figures */
} mbed_stats_stack_t;

/* The sums over all stacks that can be found; tally/stack.h. */
void mbed_stats_stack_get(mbed_stats_stack_t *stats);

/* One after the other, at most `count`; returns how many. */
size_t mbed_stats_stack_get_each(mbed_stats_stack_t *stats, size_t count);

TALLY_END_DECLS

#endif /* TALLY_MBED_STATS_H */
