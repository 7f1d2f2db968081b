/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_space.h - this process's ledger, mapped into memory
 *
 * The extent in the session's file is mapped in windows, on demand. The program
 * may close any descriptor, so none is kept: the next window is made from the
 * last page of the previous one, by mremap with an old size of 0, which maps
 * the bytes that follow in the same file.
 *
 *     extent   | window 0 | window 1 | ...      segments lie within one window
 *
 * While the address space allows it, windows are adjacent: an offset within
 * them becomes an address by one addition.
 *
 * Invariants:
 *
 *   I1  a mapped window never moves; in a forked child it shows the child's
 *       ledger as soon as there is one
 *   I2  a segment's directory entry is published, kind last, once its bytes can
 *       be touched without a fault that could kill: see ledger_space.c
 *   I3  space handed out is counted in private memory, not in the shared
 *       header: a forked child knows exactly what it had at the fork, and other
 *       processes, which can write the ledger, change no limit here
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ledger/export.h"

struct ledger_counter;
struct ledger_header;

/*
 * Map the extent at `offset` of the open file `fd` and lay out an empty ledger
 * for `shard_count` shards. Choose an address with free space behind it if
 * `will_grow`. Return the header, not yet published, or NULL.
 */
struct ledger_header *ledger_space_open(int fd, uint64_t offset,
                                        uint32_t shard_count, bool will_grow);

/* Call ledger_space_inherit() for each segment; return false if there is no
   space. */
typedef bool ledger_inherit(struct ledger_header *header);

/*
 * In a forked child: do the same for a new extent with all counters zero and
 * the segments that `inherit` takes over. The parent's ledger is not touched,
 * and its directory decides nothing: a thread that did not fork may have made a
 * segment without having entered it yet.
 */
struct ledger_header *ledger_space_fork(int fd, uint64_t offset,
                                        ledger_inherit *inherit);

/* For `inherit`: make the segment and copy its first bytes from the
   parent's. */
bool ledger_space_inherit(uint32_t kind, uint32_t index, uint64_t offset,
                          size_t size, size_t inherited);

/* Return the offset of a segment, made now if `*slot`, its offset, is 0; return
   0 if there is no space. Threads that ask at once get the same segment. */
uint64_t ledger_space_segment(uint32_t kind, uint32_t index, size_t size,
                              uint64_t *slot);

/* Return the number of shards: counter pages in each SITES segment. */
uint32_t ledger_space_shards(void);

/* Take `size` bytes from `*next` on that do not cross the end of a piece. */
uint64_t ledger_space_take(uint64_t *next, uint64_t piece, size_t size);

size_t ledger_space_site_segment_size(void);

/* Return true if the space left is reserved for single callers, to which other
   stacks are charged: one site for each id, with counters for 64 CPUs. */
bool ledger_space_is_for_calls(void);

/* Return a site's count of temporary blocks in `shard`; its counter in shard 0
   is mapped. */
uint64_t *ledger_space_temporary(const struct ledger_counter *counter,
                                 uint32_t shard);

/* Count a block of the site that has grown by `bytes`. Any thread. */
void ledger_space_count_grown(const struct ledger_counter *counter,
                              uint64_t bytes);

/* Return the byte at `offset` of the ledger, mapped now if need be, or NULL. */
char *ledger_space_at(uint64_t offset);

/* Return the `size` bytes at `offset`, or NULL if there are none. Other
   processes may have written the offset. */
char *ledger_space_found(uint64_t offset, size_t size);

/* Return true if shared pages can be touched without a fault that could kill.
   Under overcommit_memory=2 this fills them. */
bool ledger_space_can_touch(void *pages, size_t size);

/* References below this lead to counters behind the header, without a gap. It
   only grows. */
extern HIDDEN uint32_t ledger_space_near;

/* Unlock its memory after mlockall(). */
void ledger_space_unlock(void);

/* Unmap the windows of a ledger that this process no longer has. */
void ledger_space_close(void);
