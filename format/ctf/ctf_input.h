/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_input.h - read CTF streams of ZPL events */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/byte_stream.h"
#include "format/ctf/ctf_stream.h"
#include "format/ctf/zpl_event.h"
#include "format/cursor.h"

/*
 * Decode events of any kind by a table of their fields.
 *
 *     struct ctf_walk walk = ctf_walk_begin(events, event, bytes, size);
 *     struct ctf_value value;
 *
 *     while (ctf_walk_next(&walk, &value))
 *         use(&value);
 *     if (walk.is_whole) ...
 *
 * `bytes` begin after the event's header.
 */

enum {
    CTF_EVENT_FIELDS = 16,     /* of one event */
    CTF_EVENT_LIMIT = 1 << 13, /* bytes of one event */
};

/* Kinds of values. Structs and unknown types are TSDL_BYTES. */
enum tsdl_value {
    TSDL_UNSIGNED,
    TSDL_SIGNED,
    TSDL_LETTER,
    TSDL_FLOAT,
    TSDL_TEXT, /* NUL-terminated, of variable size */
    TSDL_BYTES,
};

struct ctf_field {
    struct text_view name;
    uint16_t bytes, count; /* size of an item, number of items; bytes 0:
                              NUL-terminated text */
    uint8_t value;         /* enum tsdl_value */
    uint8_t length_of;     /* 1 + index of the field that holds the count; 0:
                              none */
};

struct ctf_event {
    uint16_t id, stream_id;
    uint16_t first_field, field_count;
    struct text_view name;
};

enum { CTF_KEYS = 512 }; /* ids below are in the index, of streams 0 and 1 */

struct ctf_events {
    unsigned count; /* of items; the index may leave out some */
    const struct ctf_event *items;
    const struct ctf_field *fields; /* of all events */
    const uint16_t *index; /* by stream, then id: 1 + number of the event */
};

struct ctf_value {
    const struct ctf_field *field;
    const unsigned char *bytes;
    size_t size;
};

struct ctf_walk {
    const struct ctf_field *fields;
    unsigned count, next;
    const unsigned char *bytes;
    size_t size, done;
    bool is_whole; /* all fields were present */
    uint32_t lengths[CTF_EVENT_FIELDS];
};

/* Return the event of this stream with this id, or NULL. */
const struct ctf_event *ctf_events_find(const struct ctf_events *events,
                                        uint64_t stream_id, uint64_t id);

struct ctf_walk ctf_walk_begin(const struct ctf_events *events,
                               const struct ctf_event *event,
                               const unsigned char *bytes, size_t size);

/* Decode the next field; return false if there is none or the bytes end. */
bool ctf_walk_next(struct ctf_walk *walk, struct ctf_value *value);

/*
 * Return the size of all fields; more than `size` if the event is incomplete.
 */
size_t ctf_event_bytes(const struct ctf_events *events,
                       const struct ctf_event *event,
                       const unsigned char *bytes, size_t size);

/* Return the value of an integer of up to 8 bytes. */
uint64_t ctf_value_number(const struct ctf_value *value);

/*
 * Read the metadata of a CTF stream.
 *
 * The metadata may be Tally's or another program's, with other events besides.
 * The reader supports the part of TSDL that describes the bounds and fields of
 * events: integers, enums, floating point, structs, arrays, sequences whose
 * length is an earlier field, and strings as fields. Events with other types
 * are left out of the list.
 */

enum {
    CTF_EVENT_CAPACITY = 512,  /* events; further ones are ignored */
    CTF_FIELD_CAPACITY = 1024, /* fields of all events */
};

/* Memory for the events of metadata. */
struct ctf_event_list {
    unsigned count, field_count;
    struct ctf_event items[CTF_EVENT_CAPACITY];
    struct ctf_field fields[CTF_FIELD_CAPACITY];
    uint16_t index[2 * CTF_KEYS]; /* as in struct ctf_events */
};

/* Return its events, of which the first with an id counts. `has_streams`:
   headers tell the stream; else all are in stream 0. */
struct ctf_events ctf_events_of(struct ctf_event_list *list, bool has_streams);

struct ctf_metadata_facts {
    struct ctf_layout layout;
    struct zpl_shape shape;   /* of the layout, if it is none of Tally's */
    uint64_t clock_hertz;     /* 1 to 10^9; default 10^9 */
    struct text_view program; /* length 0: unknown */
    uint64_t load_address;
    uint64_t sample_interval; /* bytes, format/events/events_stream.h; 0:
                                 unknown */
    struct ctf_events others; /* events of the stream other than zpl_memory */
    struct ctf_event_list declared;
};

/*
 * Read the metadata; names point into `text`. Return false if there is no event
 * "zpl_memory", or one of its fields is absent or no integer of whole bytes.
 * Zephyr's own metadata, which lack the event, are accepted. `*facts` must stay
 * in its place.
 */
bool ctf_metadata_read(const char *text, size_t size,
                       struct ctf_metadata_facts *facts);

/* Return 1 and the next name in the file, or 0 at the end. `*position` starts
   at 0. */
int ctf_metadata_next_name(const char *text, size_t size, size_t *position,
                           enum ctf_named *what, uint64_t *number,
                           struct text_view *name);

/*
 * Events of Zephyr's and Zephelin's own tracing.
 *
 * These events lie between ZPL's memory events in a stream of
 * CONFIG_TRACING_CTF.
 */

/* Contents of zephyr.tsdl (all layouts), layout_1.tsdl (ids of 8 bits, with
   Zephelin's of 2025), layout_2.tsdl (ids of 16 bits), layout_4.tsdl (Zephyr
   4.5's from 0x100 on), layout_5.tsdl (Zephelin's of 2026), layout_3.tsdl
   (its packets), and the tables of their events by layout. */
extern const char zephyr_tsdl[], layout_1_tsdl[], layout_2_tsdl[],
    layout_3_tsdl[], layout_4_tsdl[], layout_5_tsdl[];
extern const struct ctf_events zephyr_tables[];

enum { ZEPHYR_METADATA_CAPACITY = 49152 }; /* enough for all of them */

/* Write the events as TSDL, to follow ctf_metadata_write()'s types; return the
   length. */
size_t zephyr_metadata_write(char *out, size_t capacity,
                             const struct ctf_layout *layout);

/* Return the table of the events in a stream of this layout. */
static inline const struct ctf_events *
zephyr_events(const struct ctf_layout *layout)
{
    return &zephyr_tables[layout->version];
}

/* Divide the bytes of a bare stream into events. */

/* `size` bytes, read in this layout, possibly with these other events. */
struct ctf_view {
    const unsigned char *bytes;
    size_t size;
    const struct ctf_layout *layout;
    const struct ctf_events *others;
    bool is_declared; /* by metadata: the output of a console is not here */
};

static inline struct ctf_view ctf_view_from(struct ctf_view at, size_t offset)
{
    at.bytes += offset;
    at.size -= offset;
    return at;
}

/* Return the event whose header is here; NULL if its id is unknown or that of
   memory. */
const struct ctf_event *ctf_find_other(struct ctf_view at);

bool ctf_is_memory_id(struct ctf_view at);

/* Return true if `next` has a header with a time less than 0.27 s after that of
   `at`. */
bool ctf_is_near(struct ctf_view at, struct ctf_view next);

/*
 * Return the size of the event whose header is here; 0: there is none. A result
 * above the available size asks for more bytes. Fill *event if it is of memory.
 */
size_t ctf_event_size(struct ctf_view at, struct zpl_event *event,
                      bool *is_memory);

enum { CTF_LARGEST_REGION = 1 << 30 }; /* bytes; of stacks, and of 32 bits */

/* Like zpl_wire_read(), but the region must be one that can exist. */
bool ctf_is_possible(struct ctf_view at, struct zpl_event *event);

/* Return the number of bytes from here on that are console output, in any
   encoding or in ASCII. */
size_t ctf_text_bytes(const unsigned char *bytes, size_t size);
size_t ctf_ascii_bytes(const unsigned char *bytes, size_t size);

/* Return the offset of the first complete packet of Tally's with a valid sum,
   or `size`. */
size_t ctf_find_packet(const unsigned char *bytes, size_t size);

/* Return true, and set *layout, if three consecutive events or a complete
   packet begin here in another layout than *layout. */
bool ctf_is_other_layout(const unsigned char *bytes, size_t size,
                         struct ctf_layout *layout);

/* Return true if one does; declared streams have a single layout. */
static inline bool ctf_begins_other_layout(struct ctf_view at)
{
    struct ctf_layout layout = *at.layout;

    return !at.is_declared && ctf_is_other_layout(at.bytes, at.size, &layout);
}

/* Results of the search for the layout of a stream. */
enum ctf_finding {
    CTF_NOTHING, /* the bytes show no layout */
    CTF_STRANGE, /* they have events of memory in a layout that is not known */
    CTF_UNDECIDED, /* two layouts explain them: more bytes decide */
    CTF_FOUND,
};

/* Find the layout in which events follow each other; store it in *layout. With
   `is_end` no other bytes follow. */
enum ctf_finding ctf_recognize(const unsigned char *bytes, size_t size,
                               bool is_end, struct ctf_layout *layout);

/* The best division of bytes around damage; ctf_damage.c says how it is
   found. */

enum { CTF_GUESS_BYTES = 4096, CTF_GUESS_REGIONS = 1024 };

struct ctf_guess {
    /* Values of the best division of the rest: if an event is at this byte; if
       bytes may be skipped. */
    int32_t event[CTF_GUESS_BYTES + 1], skipped[CTF_GUESS_BYTES + 1];
    bool is_event[CTF_GUESS_BYTES]; /* an event at this byte is certain */
    uint32_t regions[CTF_GUESS_REGIONS], once[CTF_GUESS_REGIONS];
};

/* Note the region of an event that is certain; tell whether it was noted. */
void ctf_guess_learn(struct ctf_guess *guess, const struct zpl_event *event);
bool ctf_guess_knows(struct ctf_guess *guess, const struct zpl_event *event);

/* Divide the bytes, at most CTF_GUESS_BYTES; with `is_end` no others follow.
   `is_in_step`: an event ended where they begin; `is_anchored`: and one of
   memory, or the start of the stream, was before it. */
void ctf_guess_open(struct ctf_guess *guess, struct ctf_view at, bool is_end,
                    bool is_in_step, bool is_anchored);

/*
 * Read ZPL events from a CTF stream, in any layout, even if damaged.
 *
 * See byte_stream.h for its use. The reader takes any bytes, in constant
 * memory; bytes that are not events are skipped and counted. Zephyr's own
 * events, or those of the metadata, may lie between, and a stream of another
 * layout may follow. Damaged packets of Tally are detected and skipped whole.
 * In a bare stream, damage shows as bytes that do not look like an event;
 * reading continues at the next plausible event.
 *
 * Times are extended to 64 bits: in packets by the packet's time, in a bare
 * stream by adding up steps, each of which is assumed to be below 2^32 ns.
 */

enum { CTF_READER_CAPACITY = 2 * CTF_PACKET_LIMIT };

/* The fields before `facts` may be read at any time; the rest is private. */
struct ctf_reader {
    struct ctf_layout layout; /* version 0: not known yet */
    struct byte_stream in;    /* input; counts skipped bytes */
    uint64_t events;          /* events read */
    uint64_t other_events;    /* known events other than zpl_memory */
    uint64_t lost_packets;    /* packets missing in the sequence */
    uint64_t discarded;       /* events that the writer reports as lost */
    uint64_t profiler_us;     /* microseconds the writer spent, as it reports */
    bool is_cut;              /* the stream ends within a packet */
    bool is_strange;          /* no known layout explains the events */
    bool has_changed;         /* the layout changed within the stream */

    /* Input: also return events of other kinds. */
    bool tells_others;

    /* Result of the last call: another event, its fields and, if known, their
       description; skipped bytes. */
    const unsigned char *other, *passed;
    size_t other_size, passed_size;
    const struct ctf_events *others;
    const struct ctf_event *other_event;

    /* Metadata in a packet, valid until more is fed; or NULL. */
    const unsigned char *description;
    size_t description_size;

    const struct ctf_metadata_facts *facts;
    uint64_t fed; /* bytes fed at the last call */
    uint64_t last_ns, before_ns;
    uint64_t text_end;  /* end of console output */
    uint64_t sure_end;  /* events follow each other up to here */
    uint64_t guess_at;  /* beginning of the guess, */
    uint64_t guess_end; /* ... and end of its use */
    uint64_t tried_at;  /* where the layout was looked for again */
    size_t tried;       /* bytes that showed no layout */
    size_t packet_left; /* unread bytes of events in the open packet */
    size_t trailer;     /* ... followed by this many bytes of trailer */
    uint32_t sequence, packet_discarded, packet_profiler_us;
    bool is_in_step;  /* the last event ended where the next one begins */
    bool is_anchored; /* since an event of memory, or the stream's start */
    bool has_time;
    bool has_sequence;
    struct ctf_guess guess;
    unsigned char bytes[CTF_READER_CAPACITY];
};

/* Open a reader. `facts` are from ctf_metadata_read() and must outlive the
   reader; NULL: detect the layout. Tally's packets state their layout. */
void ctf_reader_open(struct ctf_reader *reader,
                     const struct ctf_metadata_facts *facts);

/* Read the next event; return false if more must be fed or the stream has
   ended. For other kinds, in `other`, only the time is set. */
bool ctf_reader_next(struct ctf_reader *reader, struct zpl_event *event);
