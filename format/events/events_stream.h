/* SPDX-License-Identifier: Apache-2.0 */
/* events_stream.h - streams of calls of allocation functions as CTF */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/byte_stream.h"
#include "format/ctf/ctf_stream.h"
#include "format/text/mem_trace_text.h"
#include "tally/zpl_sink.h"

/*
 * Encoding of a call of an allocation function in CTF.
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

/*
 * Headers and trailers of packets.
 *
 *     | header: which | context: times, sizes, counts, bases | events | sum |
 *     0               8                                      72
 *
 * A packet is self-contained, so a damaged packet affects no other.
 * event_seq_num shows how many events it had. The sum lies in CTF's padding and
 * is computed as in ctf_stream.h.
 */

/* 'M' and the version; ids of ZPL's streams are small numbers. */
#define EVENTS_STREAM_ID UINT32_C(0x4d01)

enum {
    EVENTS_PACKET_HEAD = 72,
    EVENTS_PACKET_TRAILER = 4,
    EVENTS_PACKET_LIMIT = 131072, /* largest packet in bytes */
};

/* kind, field */
#define EVENTS_PACKET_HEADER_LIST(X) \
    X(u32, magic) /* CTF_MAGIC */    \
    X(u32, stream_id)
#define EVENTS_PACKET_CONTEXT_LIST(X)                               \
    X(time64, timestamp_begin) /* of the first event, in ns */      \
    X(time64, timestamp_end)   /* of the last event, in ns */       \
    X(u32, content_size)       /* bits, without the sum */          \
    X(u32, packet_size)        /* ... with the sum */               \
    X(u32, packet_seq_num)     /* packets sent before */            \
    X(u32, process)            /* pid */                            \
    X(u64, events_discarded)   /* events lost before this packet */ \
    X(u64, event_seq_num)      /* calls in earlier packets */       \
    X(address, near_base)                                           \
    X(address, far_base)

struct events_packet {
    uint64_t timestamp_begin;
    uint64_t timestamp_end;
    uint64_t events_discarded;
    uint64_t event_seq_num;
    uint64_t near_base;
    uint64_t far_base;
    uint32_t magic;
    uint32_t stream_id;
    uint32_t content_size;
    uint32_t packet_size;
    uint32_t packet_seq_num;
    uint32_t process;
};

/*
 * Write the header over the first EVENTS_PACKET_HEAD bytes of a packet of
 * `packet->packet_size` bits, and the sum over the last ones. Fill in magic,
 * stream_id and content_size.
 */
void events_packet_write(unsigned char *bytes,
                         const struct events_packet *packet);

/*
 * Read a header of EVENTS_PACKET_HEAD bytes. Return false for another magic or
 * stream, or impossible sizes. ctf_packet_is_whole() checks a complete packet
 * for damage.
 */
bool events_packet_read(const unsigned char *bytes,
                        struct events_packet *packet);

/*
 * Metadata of a stream.
 *
 * This is the file `metadata` in a trace's folder: TSDL 1.8, self-contained.
 * Tally itself reads only the start time from it.
 */

enum { EVENTS_METADATA_CAPACITY = 16384 }; /* enough with any path */

/* Write the text without a NUL; return its length. If that exceeds `capacity`,
   the text was truncated. */
size_t events_metadata_write(char *out, size_t capacity,
                             const struct ctf_surroundings *surroundings);

/*
 * Read calls of allocation functions from CTF, even if damaged.
 *
 * See byte_stream.h for its use. The reader takes any bytes, in constant
 * memory. It accepts complete, undamaged packets, and a truncated packet at the
 * end of the stream. Bytes between packets are skipped and counted; missing
 * events are counted. Events are returned in the order of their times, as
 * written.
 */

enum { EVENTS_READER_CAPACITY = 2 * EVENTS_PACKET_LIMIT };

/* The fields up to the blank line may be read any time; the rest is private. */
struct events_reader {
    struct byte_stream in; /* input; counts skipped bytes */
    uint64_t events;       /* events read */
    uint64_t discarded;    /* events that the writer reports as lost */
    uint64_t missing;      /* events of missing or damaged packets */
    uint64_t packets;      /* undamaged packets, and a truncated last one */
    bool is_cut;           /* the stream ends within a packet */

    uint64_t last_ns;
    uint64_t next_event;         /* event_seq_num expected in the next packet */
    struct events_packet packet; /* the open packet */
    size_t packet_left;          /* unread bytes of events in the open packet */
    size_t trailer;              /* ... followed by this many bytes of sum */
    uint32_t caller_count, thread_count;
    uint32_t threads[256];
    uint64_t callers[EVENTS_CALLER_LIMIT];
    unsigned char bytes[EVENTS_READER_CAPACITY];
};

/* Return true if a stream that begins with these bytes is of this kind. */
bool events_reader_knows(const unsigned char *bytes, size_t size);

void events_reader_open(struct events_reader *reader);

/* Read the next event; return false if more must be fed or the stream has
   ended. */
bool events_reader_next(struct events_reader *reader,
                        struct mem_trace_event *event);

/*
 * Write calls of allocation functions as CTF, in whole packets.
 *
 *     events_writer_open(&writer, process, buffer, sizeof buffer, sink);
 *     events_writer_add(&writer, &event);
 *     events_writer_flush(&writer);
 *
 * A stream has the events of all threads of one process, in the order of their
 * times. The writer does not allocate. A packet that the sink refuses is
 * dropped; its events are counted in the next packet that is sent. The caller
 * serializes calls.
 */

enum {
    EVENTS_WRITER_CALLER_SLOTS = 2 * EVENTS_CALLER_LIMIT,
    EVENTS_WRITER_THREAD_SLOTS = 256,
};

/* Valid for the open packet if `packet` is its number. */
struct events_writer_caller {
    uint64_t address;
    uint32_t packet;
    uint32_t index;
};

struct events_writer_thread {
    uint32_t tid;
    uint32_t packet;
    uint32_t index;
};

/* The fields up to the blank line may be read any time; the rest is private. */
struct events_writer {
    uint64_t events;    /* calls in packets that were sent */
    uint64_t discarded; /* calls lost since the start */

    struct tally_zpl_sink sink;
    unsigned char *buffer;
    uint32_t capacity; /* without room for one event and the sum */
    uint32_t used;     /* bytes of the open packet; 0: none is open */
    uint32_t pending;  /* calls in the open packet */
    uint32_t process;
    uint32_t sequence; /* packets sent */
    uint32_t packet;   /* number of the open packet, from 1 */
    uint32_t caller_count;
    uint32_t thread_count;
    uint32_t wide_count;   /* calls too far from both bases */
    uint64_t wide_address; /* address of the last of them */
    uint64_t begin_ns, last_ns;
    uint64_t bases[EVENTS_WIDE]; /* near and far */
    bool has_base[EVENTS_WIDE];
    struct events_writer_thread threads[EVENTS_WRITER_THREAD_SLOTS];
    struct events_writer_caller callers[EVENTS_WRITER_CALLER_SLOTS];
};

/* A smaller buffer cannot hold an event with its definitions. */
enum { EVENTS_WRITER_SMALLEST = 256 };

/* Open a writer, which owns `buffer` from now on. Bytes beyond
   EVENTS_PACKET_LIMIT are unused. */
void events_writer_open(struct events_writer *writer, uint32_t process,
                        void *buffer, uint32_t capacity,
                        struct tally_zpl_sink sink);

/* Add an event. A time before the last event's is raised to it, since times in
   a stream do not go back. */
void events_writer_add(struct events_writer *writer,
                       const struct mem_trace_event *event);

/* Count calls that were lost before they reached the writer. */
void events_writer_lose(struct events_writer *writer, uint64_t count);

/* Send the open packet, if any. */
void events_writer_flush(struct events_writer *writer);

/* Flush. If lost events are not reported yet, send an empty packet that reports
   them. */
void events_writer_finish(struct events_writer *writer);
