/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_wire.h - encoding of a call of an allocation function in CTF
 *
 *     | id 5 | time 19 | thread 8 | fields ... |
 *
 * Most events take 10 or 12 bytes. The time is the low 19 bits of nanoseconds.
 * Threads and callers are numbers, defined in the packet by events of their own
 * before their first use. An address is a distance from one of two bases in the
 * packet's header, in granules of 8 bytes; 0 is NULL. Larger values use wide
 * forms. After more than 2^19 ns the header is
 *
 *     | 31 | 0 | id 8 | time 64 | thread 8 | fields ... |
 *
 * The lists generate the bytes, the metadata and the reader.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/text/mem_trace_event.h"

enum {
    EVENTS_ID_BITS = 5,
    EVENTS_ID_EXTENDED = 31,
    EVENTS_TIME_BITS = 19,
    EVENTS_COMPACT_HEADER = 4,   /* bytes, thread included */
    EVENTS_EXTENDED_HEADER = 11, /* ... */
    EVENTS_LARGEST = EVENTS_EXTENDED_HEADER + 32,
    EVENTS_GRANULE_LOG2 = 3,
    EVENTS_CALLER_LIMIT = 4096, /* callers defined in one packet */
    EVENTS_THREAD_LIMIT = 192,  /* ... */
};

/*
 * kind, field. Parameters: `c` is the kind of a caller, `a` of an address, `n`
 * of a number. Kinds: index, of a caller; near and far, distances from the base
 * of that name; address, a full address; small and whole, numbers.
 */
#define EVENTS_MALLOC(X, c, a, n) X(c, caller) X(a, result) X(n, size)
#define EVENTS_REALLOC(X, c, a, n) \
    X(c, caller) X(a, result) X(a, pointer) X(n, size)
#define EVENTS_CALLOC(X, c, a, n) \
    X(c, caller) X(a, result) X(n, count) X(n, size)
#define EVENTS_FREE(X, c, a, n) X(c, caller) X(a, pointer)

/* Only with sampling: a block outlived an epoch of its thread; a caller of the
   next call's caller. */
#define EVENTS_PROMOTE(X, c, a, n) X(a, pointer)
#define EVENTS_FRAME(X, c, a, n)   X(c, caller) X(small, count)

/* id, name, list of its fields, and the kinds in it */
#define EVENTS_SHORT(X, id, name, fields)          \
    X(id, name##_near, fields, index, near, small) \
    X((id) + 1, name##_far, fields, index, far, small)
#define EVENTS_FORMS(X, id, name, fields) \
    EVENTS_SHORT(X, id, name, fields)     \
    X((id) + 2, name##_wide, fields, address, address, whole)

/*
 * Near, far and wide forms of each operation, in the order of enum
 * mem_trace_op; then a realloc that leaves its block in place, and one without
 * a block; then events that are not calls.
 */
#define EVENTS_CALL_LIST(X)                           \
    EVENTS_FORMS(X, 2, malloc, EVENTS_MALLOC)         \
    EVENTS_FORMS(X, 5, realloc, EVENTS_REALLOC)       \
    EVENTS_FORMS(X, 8, calloc, EVENTS_CALLOC)         \
    EVENTS_FORMS(X, 11, free, EVENTS_FREE)            \
    EVENTS_SHORT(X, 14, realloc_kept, EVENTS_MALLOC)  \
    EVENTS_SHORT(X, 16, realloc_first, EVENTS_MALLOC) \
    EVENTS_FORMS(X, 18, promote, EVENTS_PROMOTE)      \
    X(21, frame, EVENTS_FRAME, index, near, small)    \
    X(22, frame_wide, EVENTS_FRAME, address, address, small)

/* Definitions of a number for the rest of the packet: the thread in the header,
   or a caller. */
#define EVENTS_THREAD(X, c, a, n) X(tid, tid)
#define EVENTS_CALLER(X, c, a, n) X(c, caller) X(a, address)
#define EVENTS_EXPLANATION_LIST(X)                     \
    X(0, thread, EVENTS_THREAD, index, address, small) \
    X(1, caller, EVENTS_CALLER, index, address, small)

#define EVENTS_BYTES_index   2
#define EVENTS_BYTES_near    4
#define EVENTS_BYTES_far     4
#define EVENTS_BYTES_small   2
#define EVENTS_BYTES_whole   8
#define EVENTS_BYTES_address 8
#define EVENTS_BYTES_tid     4

enum events_form { EVENTS_NEAR, EVENTS_FAR, EVENTS_WIDE, EVENTS_FORM_COUNT };

enum events_id {
#define EVENTS_ENUMERATOR(id, name, ...) EVENTS_ID_##name = (id),
    EVENTS_EXPLANATION_LIST(EVENTS_ENUMERATOR)
        EVENTS_CALL_LIST(EVENTS_ENUMERATOR)
#undef EVENTS_ENUMERATOR
            EVENTS_ID_COUNT
};

/* Return the id of a call in one of its forms. */
static inline unsigned events_id_of(const struct mem_trace_event *event,
                                    enum events_form form)
{
    if (event->op == MEM_TRACE_PROMOTE)
        return EVENTS_ID_promote_near + (unsigned)form;
    if (event->op == MEM_TRACE_FRAME)
        return EVENTS_ID_frame + (form == EVENTS_WIDE);
    if (event->op == MEM_TRACE_REALLOC && form != EVENTS_WIDE) {
        if (event->pointer == event->result)
            return EVENTS_ID_realloc_kept_near + form;
        if (event->pointer == 0)
            return EVENTS_ID_realloc_first_near + form;
    }
    return EVENTS_ID_malloc_near + (unsigned)event->op * EVENTS_FORM_COUNT +
           form;
}

/* Return the operation of a call with this id. */
static inline unsigned events_op_of(unsigned id)
{
    if (id >= EVENTS_ID_frame)
        return MEM_TRACE_FRAME;
    if (id >= EVENTS_ID_promote_near)
        return MEM_TRACE_PROMOTE;
    return id >= EVENTS_ID_realloc_kept_near
               ? MEM_TRACE_REALLOC
               : (id - EVENTS_ID_malloc_near) / EVENTS_FORM_COUNT;
}

/* Return the size of an event's fields in bytes. */
static inline unsigned events_field_bytes(unsigned id)
{
#define EVENTS_ADD(kind, name) +EVENTS_BYTES_##kind
#define EVENTS_BYTES_OF(id, name, fields, c, a, n) \
    [id] = 0 fields(EVENTS_ADD, c, a, n),
    static const uint8_t bytes[] = { EVENTS_EXPLANATION_LIST(EVENTS_BYTES_OF)
                                         EVENTS_CALL_LIST(EVENTS_BYTES_OF) };
#undef EVENTS_BYTES_OF
#undef EVENTS_ADD

    return bytes[id];
}

/* Compute an address's distance from a base; 0 for NULL. Return false if it is
   too far away or not a multiple of a granule. */
static inline bool events_distance(uint64_t base, uint64_t address,
                                   uint32_t *distance)
{
    uint64_t bytes = address - base;
    /* Rotate the bits that must be 0 to the top. */
    uint64_t granules =
        bytes >> EVENTS_GRANULE_LOG2 | bytes << (64 - EVENTS_GRANULE_LOG2);

    *distance = address == 0 ? 0 : (uint32_t)granules;
    return granules - 1 < UINT32_MAX || address == 0;
}

static inline uint64_t events_address(uint64_t base, uint32_t distance)
{
    return distance == 0 ? 0
                         : base + ((uint64_t)distance << EVENTS_GRANULE_LOG2);
}
