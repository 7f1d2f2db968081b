/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resident_memory.h - what the kernel holds in memory for a process, and why
 *
 * Read from outside: the process does nothing for it and is not stopped. Each
 * mapping goes to the first row that it fits:
 *
 *     tally        the session's file; the recorder's own file; anonymous
 *                  memory that is neither dumped nor made of huge pages, as
 *                  ours always is
 *     maps         what the process mapped itself: struct program_maps
 *     stacks       [stack]; anonymous memory right above a guard page
 *     heap         [heap]; what else is anonymous, private and to be written
 *     files        mapped files; variables behind a loaded file; the vdso
 *     unexplained  the rest
 *
 * If one mapping holds memory of two kinds, /proc/PID/pagemap tells which of
 * its pages are resident. Libc's allocator, stacks by pthread_create() and
 * loaded files are known in all their forms; a loader's few pages count as
 * heap, as does what a process mapped by a raw system call.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/ledger/segments_layout.h"
#include "tool/session/find/ledger_snapshot.h"

/*
 * Maps of the process itself and stacks of its threads. To the kernel they look
 * like maps of an allocator. The recorder, which saw each mmap, keeps a table
 * in the process's memory and tells where in the ledger's header. It is read
 * from there, at any instant: nothing in it is trusted, and a table that is
 * being changed is not known. Begins as { 0 }.
 */
struct program_maps {
    struct ledger_map *maps; /* in rising order, none overlaps another */
    size_t count;
    uint64_t *resident; /* bytes of each; NULL: not looked at */
    bool is_known;      /* false: none could be read */
};

/* Read the struct ledger_map_table at `address` in process `pid`. */
void program_maps_read(struct program_maps *maps, pid_t pid, uint64_t address);
void program_maps_free(struct program_maps *maps);

/* The first piece of [*from, end) that is in some map, not a stack: [*from,
   *to). */
bool program_maps_next(const struct program_maps *maps, uint64_t *from,
                       uint64_t end, uint64_t *to);

/* Ranges of the heap in rising order, but for those without memory. */
struct heap_range {
    uint64_t start; /* [start, end), whole pages */
    uint64_t end;
    uint64_t huge;   /* bytes in huge pages, of the mapping it is part of */
    bool has_shared; /* pages there may be mapped by others, too */
};

/* Begins as { 0 }; the caller frees `ranges` and `maps`. */
struct heap_ranges {
    struct heap_range *ranges;
    size_t count;
    struct program_maps maps;
};

/*
 * Read it now; `snapshot` is of the process's ledger, a moment ago, and the
 * caller knows `live_bytes`. 0, or -1: the process has ended, has become
 * another program, or does not show. The heap's ranges are added to `ranges`,
 * which may be NULL.
 */
int resident_memory_read(pid_t pid, const struct ledger_snapshot *snapshot,
                         struct ledger_resident *resident,
                         struct heap_ranges *ranges);
