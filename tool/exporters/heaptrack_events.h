/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heaptrack_events.h - make up events that lead to a profile's sums
 *
 * The events are of a program with the same sums, not the real one. First all
 * blocks that are live neither at the peak nor at the end, one after the other,
 * with the temporary ones; then all blocks of the peak; then frees of those
 * that did not stay, and later blocks. So counts, bytes, peak, leaked and
 * temporary blocks of each stack are right; times and sizes of single blocks
 * mean nothing.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "tool/model/profile/profile.h"

/* State of the writer. The caller sets the first member and leaves the rest
   zero. */
struct heaptrack_events {
    FILE *stream;
    uint64_t left_out; /* allocations beyond the file's limit */
    uint64_t infos;    /* private, as the rest: `a` lines until now */
    uint64_t last;     /* last allocated block + 1; 0: a free came since */
    uint64_t held;     /* block that must still be freed + 1 */
};

/* Return the number of blocks that a file needs at least if that is too many,
   or 0. */
uint64_t heaptrack_events_too_many(const struct profile *profile);

/*
 * Write the `a`, `+`, `-` and `c` lines of all stacks. `calls` has the numbers
 * of their `t` lines.
 */
void heaptrack_events_write(struct heaptrack_events *events,
                            const struct profile *profile,
                            const uint64_t *calls);
