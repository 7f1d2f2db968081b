/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_space.h - the bytes of this process's ledger, as they are mapped
 *
 * The extent in the session's file is mapped in windows, made on demand. The
 * program may have closed every descriptor, so none is kept: the next window is
 * made from the last page of the one before, with mremap of an old size of 0,
 * which maps what follows in the same file.
 *
 *     extent   | window 0 | window 1 | ...      segments lie within one window
 *
 * As long as the address space allows it, each lies right behind the one
 * before: what is up to there is found by one addition.
 *
 * Invariants:
 *
 *   I1  a window, once mapped, stays where it is; in a forked child it shows
 *       the child's ledger from the moment that it has one
 *   I2  a segment's directory entry is published, kind last, when its bytes can
 *       be touched without a fault that could kill: see ledger_space.c
 *   I3  what is handed out is counted here, in private memory, not in the
 *       shared header: a forked child knows exactly what it had at the fork,
 *       and other processes, which can write the ledger, change no limit here
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
 * for `shard_count` shards, where there is room to grow if it `will_grow`. The
 * header, not yet published, or NULL.
 */
struct ledger_header *ledger_space_open(int fd, uint64_t offset,
                                        uint32_t shard_count, bool will_grow);

/* Calls ledger_space_inherit() for each segment; false: there is no room. */
typedef bool ledger_inherit(struct ledger_header *header);

/*
 * In a forked child: the same for a new extent, all counters zero, with the
 * segments that `inherit` takes over; the parent's ledger is not touched. What
 * the parent's directory says decides nothing: a thread that was not forked may
 * have made a segment without having entered it yet.
 */
struct ledger_header *ledger_space_fork(int fd, uint64_t offset,
                                        ledger_inherit *inherit);

/* By `inherit`: the segment, with its first bytes as the parent's has them. */
bool ledger_space_inherit(uint32_t kind, uint32_t index, uint64_t offset,
                          size_t size, size_t inherited);

/*
 * Make sure that a segment exists: `*slot` is its offset in the ledger, or 0
 * before the first request. Of several threads that ask at once one makes it,
 * and all use the same. Returns the offset, or 0 when there is no room.
 */
uint64_t ledger_space_segment(uint32_t kind, uint32_t index, size_t size,
                              uint64_t *slot);

/* Counter pages in each SITES segment. */
uint32_t ledger_space_shards(void);

/* Room for `size` bytes from `*next` on that do not cross a piece's end. */
uint64_t ledger_space_take(uint64_t *next, uint64_t piece, size_t size);

size_t ledger_space_site_segment_size(void);

/*
 * Whether the room left is kept for callers, which stacks without room are
 * charged to: an account for each id, of 64 CPUs.
 */
bool ledger_space_is_for_calls(void);

/* A site's temporary blocks in `shard`; its counter in shard 0 is mapped. */
uint64_t *ledger_space_temporary(const struct ledger_counter *counter,
                                 uint32_t shard);

/* Likewise: one of its blocks has grown. Any thread. */
void ledger_space_count_grown(const struct ledger_counter *counter,
                              uint64_t bytes);

/* The byte at `offset` of the ledger, mapped now if need be, or NULL. */
char *ledger_space_at(uint64_t offset);

/* Return the `size` bytes at `offset`, which other processes may have written;
   or NULL. */
char *ledger_space_found(uint64_t offset, size_t size);

/*
 * Whether shared pages can be touched without a fault that could kill: under
 * overcommit_memory=2 they are filled now.
 */
bool ledger_space_can_touch(void *pages, size_t size);

/*
 * References below this lead to counters that lie behind the header without a
 * gap. Only grows.
 */
extern HIDDEN uint32_t ledger_space_near;

/* After mlockall. */
void ledger_space_unlock(void);

/* Unmap what a ledger was in that this process has no more. */
void ledger_space_close(void);
