/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_maps.h - the anonymous maps that a process made itself
 *
 * To the kernel they look like what an allocator maps for its blocks. The
 * recorder, which saw each mmap, keeps a table of them in the process's memory
 * and tells where in the ledger's header. It is read from there, at any
 * instant: nothing in it is trusted, and a table that is being changed is not
 * known.
 */
#ifndef TALLY_TOOL_SESSION_PROGRAM_MAPS_H
#define TALLY_TOOL_SESSION_PROGRAM_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/ledger/resident_layout.h"

/* Begins as { 0 }. */
struct program_maps {
    struct ledger_map *maps; /* in rising order, none overlaps another */
    size_t count;
    bool is_known; /* false: none could be read */
};

/* Read the struct ledger_map_table at `address` in process `pid`. */
void program_maps_read(struct program_maps *maps, pid_t pid, uint64_t address);
void program_maps_free(struct program_maps *maps);

/* The first piece of [*from, end) that is in some map: [*from, *to). */
bool program_maps_next(const struct program_maps *maps, uint64_t *from,
                       uint64_t end, uint64_t *to);

#endif /* TALLY_TOOL_SESSION_PROGRAM_MAPS_H */
