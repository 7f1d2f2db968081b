/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bootstrap_arena.h - memory for the moment before the real malloc is known
 *
 * dlsym may allocate while we ask it for malloc. Such blocks come from here,
 * are never given back, and are known again by their address, however much
 * later the program frees, resizes or measures them. core/block_filter.h has them,
 * too.
 */
#ifndef TALLY_RECORDER_BOOTSTRAP_ARENA_H
#define TALLY_RECORDER_BOOTSTRAP_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/export.h"

enum { BOOTSTRAP_ARENA_SIZE = 65536 };

extern HIDDEN unsigned char bootstrap_arena[BOOTSTRAP_ARENA_SIZE];

/* Zeroed; alignment a power of two up to 4,096. NULL: the arena is used up. */
void *bootstrap_alloc(size_t alignment, size_t size);
size_t bootstrap_size(const void *block);

static inline bool bootstrap_owns(const void *block)
{
    return (uintptr_t)block - (uintptr_t)bootstrap_arena < BOOTSTRAP_ARENA_SIZE;
}

#endif /* TALLY_RECORDER_BOOTSTRAP_ARENA_H */
