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

/* The caller sets the first and leaves the rest zero. */
struct heaptrack_events {
    FILE *stream;
    uint64_t left_out; /* allocations beyond what a file may hold */
    uint64_t infos;    /* private, as are these: `a` lines until now */
    uint64_t last;     /* what was allocated last, + 1; 0 a free came since */
    uint64_t held;     /* a block that must still be freed, + 1 */
};

/* Blocks of a profile that no file can do without, if those are too many; or
   0. */
uint64_t heaptrack_events_too_many(const struct profile *profile);

/*
 * Write the `a`, `+`, `-` and `c` lines of all stacks, of which `calls` has the
 * numbers of their `t` lines.
 */
void heaptrack_events_write(struct heaptrack_events *events,
                            const struct profile *profile,
                            const uint64_t *calls);
