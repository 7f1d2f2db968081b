/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_area.h - how a traced program hands its events to tally record
 *
 * The upper half of a ledger's extent (session_layout.h), when the session says
 * that there is a trace:
 *
 *     | struct events_area | ring 0 | ring 1 | ... |
 *     0                    EVENTS_AREA_HEAD
 *
 * A ring belongs to one thread, ring 0 to all that have none, under a lock. The
 * program puts records in and moves `head`; tally record takes them out and
 * moves `tail`. Both only grow, and count words; the word at position p lies at
 * p % EVENTS_RING_WORDS. So whatever becomes of the program, what it has put in
 * is there to be taken out, and it writes no file and needs no descriptor.
 *
 * A record lies in one block of EVENTS_BLOCK_WORDS. Its first word is a time,
 * times 8, and what it is:
 *
 *     MEM_TRACE_MALLOC    caller, result, size
 *     MEM_TRACE_REALLOC   caller, result, size, pointer
 *     MEM_TRACE_CALLOC    caller, result, size, count
 *     MEM_TRACE_FREE      caller, pointer
 *     MEM_TRACE_PROMOTE   caller, pointer
 *     MEM_TRACE_FRAME     caller, count; seen at once with what it is of
 *     EVENTS_RING_THREAD  tid: what follows in this ring is that thread's
 *     EVENTS_RING_END     nothing: the next block begins with the next record
 *
 * A reader that wants the events of several rings in order must know that none
 * will come that is older than what it takes. `busy` is set before the time of
 * a record is asked for and cleared behind it.
 *
 * Rings of a black box are overwritten, and `tail` stays. What is written next
 * lies less than a block behind `head`, and a block begins with its thread. So
 * a reader begins where a block does, and a record that it has read is whole
 * unless `head` has come within a ring less a block of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "format/ledger/session_layout.h"

#define EVENTS_AREA_MAGIC UINT64_C(0x3154564559414c54) /* TLAYEVT1 */

/* From the start of the extent. */
#define EVENTS_AREA_OFFSET (SESSION_EXTENT_SIZE / 2)

enum {
    EVENTS_RING_COUNT = 65,
    EVENTS_RING_SHARED = 0, /* of the threads that have none */
    EVENTS_RING_WORDS = 65536,
    EVENTS_RING_BYTES = EVENTS_RING_WORDS * 8,
    EVENTS_BLOCK_WORDS = 8192, /* more than a call with all its frames */
    EVENTS_RECORD_WORDS = 5,   /* at most */
    EVENTS_AREA_HEAD = 12288,
    EVENTS_AREA_SIZE = EVENTS_AREA_HEAD + EVENTS_RING_COUNT * EVENTS_RING_BYTES,
};

enum events_ring_kind {
    /* enum mem_trace_op */
    EVENTS_RING_THREAD = 4,
    EVENTS_RING_END = 5,
    /* 6 and 7 are MEM_TRACE_PROMOTE and MEM_TRACE_FRAME */
    EVENTS_RING_KIND_BITS = 3,
};

/* What the times are: the session decides. */
enum events_clock {
    EVENTS_CLOCK_NONE,        /* no trace */
    EVENTS_CLOCK_NANOSECONDS, /* CLOCK_MONOTONIC */
    EVENTS_CLOCK_TICKS,       /* the processor's counter */
};

struct events_ring {
    /* Written by the program. */
    uint64_t head;
    uint64_t busy;      /* 0, or any number */
    uint64_t last_time; /* of the latest record, set before `head` is moved */
    uint64_t events;    /* calls that were ever put in */
    uint64_t reserved[4];
    /* Written by tally record. */
    uint64_t tail;
    uint64_t reserved_for_it[7];
};

struct events_area {
    uint64_t magic;      /* EVENTS_AREA_MAGIC, stored last */
    uint32_t clock;      /* enum events_clock */
    uint32_t ring_count; /* rings that the program has mapped */
    uint64_t lost;       /* events that found no room */
    /* Grows when tally record has taken something out: a futex. */
    uint32_t room;
    uint32_t waiting;   /* threads that wait for it */
    uint32_t is_closed; /* nothing is taken out any more */
    uint32_t is_blackbox;
    uint32_t reserved[22];
    struct events_ring rings[EVENTS_RING_COUNT];
};

_Static_assert(sizeof(struct events_ring) == 128, "two cache lines");
_Static_assert(offsetof(struct events_ring, tail) == 64, "layout");
_Static_assert(offsetof(struct events_area, rings) == 128, "layout");
_Static_assert(sizeof(struct events_area) <= EVENTS_AREA_HEAD, "layout");
_Static_assert(EVENTS_AREA_OFFSET + EVENTS_AREA_SIZE <= SESSION_EXTENT_SIZE,
               "layout");
