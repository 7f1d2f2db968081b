/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_area.h - pass events from a traced program to tally record
 *
 * The area is the upper half of a ledger's extent (session_layout.h) in
 * sessions with a trace:
 *
 *     | struct events_area | ring 0 | ring 1 | ... |
 *     0                    EVENTS_AREA_HEAD
 *
 * A ring belongs to one thread; threads without a ring share ring 0, under a
 * lock. The program appends records and advances `head`; tally record consumes
 * them and advances `tail`. Both count words and only grow; the word at
 * position p lies at p % EVENTS_RING_WORDS. So records survive the end of the
 * program, which writes no file and needs no descriptor.
 *
 * A record lies within one block of EVENTS_BLOCK_WORDS. Its first word is its
 * time * 8 + its kind:
 *
 *     MEM_TRACE_MALLOC    caller, result, size
 *     MEM_TRACE_REALLOC   caller, result, size, pointer
 *     MEM_TRACE_CALLOC    caller, result, size, count
 *     MEM_TRACE_FREE      caller, pointer
 *     MEM_TRACE_PROMOTE   caller, pointer
 *     MEM_TRACE_FRAME     caller, count; published with the event it belongs to
 *     EVENTS_RING_THREAD  tid: the following records are that thread's
 *     EVENTS_RING_END     nothing: the next record begins the next block
 *
 * A reader that merges rings by time must know that no older record will
 * follow. `busy` is set before the time of a record is taken and cleared after
 * the record is written.
 *
 * Rings of a black box are overwritten, and `tail` stays. The next write lies
 * less than a block after `head`, and a block begins with its thread. So a
 * reader begins at a block, and a record that it has read is valid unless
 * `head` has advanced to within a block of overwriting it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/invariant.h"
#include "format/ledger/session_layout.h"

#define EVENTS_AREA_MAGIC UINT64_C(0x3154564559414c54) /* TLAYEVT1 */

/* Offset from the start of the extent. */
#define EVENTS_AREA_OFFSET (SESSION_EXTENT_SIZE / 2)

enum {
    EVENTS_RING_COUNT = 65,
    EVENTS_RING_SHARED = 0, /* for threads without a ring */
    EVENTS_RING_WORDS = 65536,
    EVENTS_RING_BYTES = EVENTS_RING_WORDS * 8,
    EVENTS_BLOCK_WORDS = 8192, /* more than a call with all its frames */
    EVENTS_RECORD_WORDS = 5,   /* largest record */
    EVENTS_AREA_HEAD = 12288,
    EVENTS_AREA_SIZE = EVENTS_AREA_HEAD + EVENTS_RING_COUNT * EVENTS_RING_BYTES,
};

enum events_ring_kind {
    /* values 0 to 3: enum mem_trace_op */
    EVENTS_RING_THREAD = 4,
    EVENTS_RING_END = 5,
    /* values 6 and 7: MEM_TRACE_PROMOTE and MEM_TRACE_FRAME */
    EVENTS_RING_KIND_BITS = 3,
};

/* Clock of the times; set by the session. */
enum events_clock {
    EVENTS_CLOCK_NONE,        /* no trace */
    EVENTS_CLOCK_NANOSECONDS, /* CLOCK_MONOTONIC */
    EVENTS_CLOCK_TICKS,       /* the processor's time stamp counter */
};

struct events_ring {
    /* written by the program */
    uint64_t head;
    uint64_t busy;      /* not 0 while a record is written */
    uint64_t last_time; /* of the latest record, stored before `head` */
    uint64_t events;    /* calls written (total) */
    uint64_t reserved[4];
    /* written by tally record */
    uint64_t tail;
    uint64_t reserved_for_it[7];
};

struct events_area {
    uint64_t magic;      /* EVENTS_AREA_MAGIC, stored last */
    uint32_t clock;      /* enum events_clock */
    uint32_t ring_count; /* rings mapped by the program */
    uint64_t lost;       /* events that found no room */
    /* futex: grows when tally record has consumed records */
    uint32_t room;
    uint32_t waiting;   /* threads that wait for room */
    uint32_t is_closed; /* records are no longer consumed */
    uint32_t is_blackbox;
    uint32_t reserved[22];
    struct events_ring rings[EVENTS_RING_COUNT];
};

/* Two cache lines. */
STATIC_ASSERT(sizeof(struct events_ring) == 128);
STATIC_ASSERT(offsetof(struct events_ring, tail) == 64);
STATIC_ASSERT(offsetof(struct events_area, rings) == 128);
STATIC_ASSERT(sizeof(struct events_area) <= EVENTS_AREA_HEAD);
STATIC_ASSERT(EVENTS_AREA_OFFSET + EVENTS_AREA_SIZE <= SESSION_EXTENT_SIZE);
