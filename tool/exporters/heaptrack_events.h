/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heaptrack_events.h - events that lead to the accounts of a profile
 *
 * A program that would have these accounts, not the one that had: first come
 * all blocks that are in no peak and do not live at the end, one after the
 * other, the temporary ones among them; then all that lived at the peak; those
 * that did not stay go, and what came later comes. So counts, bytes, the peak,
 * what leaked and what was temporary are right for each stack, and times and
 * sizes of single blocks mean nothing.
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
