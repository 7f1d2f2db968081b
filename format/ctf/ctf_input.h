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
    CTF_EVENT_CAPACITY = 256,
    CTF_FIELD_CAPACITY = 1024, /* of all events */
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
    uint16_t id;
    uint16_t first_field, field_count;
    struct text_view name;
};

struct ctf_events {
    unsigned count, field_count;
    struct ctf_event items[CTF_EVENT_CAPACITY];
    struct ctf_field fields[CTF_FIELD_CAPACITY];
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

/* Return the event with this id, or NULL. */
const struct ctf_event *ctf_events_find(const struct ctf_events *events,
                                        uint16_t id);

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

struct ctf_metadata_facts {
    struct ctf_layout layout;
    uint64_t clock_hertz;     /* 1 to 10^9; default 10^9 */
    struct text_view program; /* length 0: unknown */
    uint64_t load_address;
    uint64_t sample_interval; /* bytes, format/events/events_stream.h; 0:
                                 unknown */
    struct ctf_events others; /* events of the stream other than zpl_memory */
};

/*
 * Read the metadata; names point into `text`. Return false if there is no event
 * "zpl_memory", or its fields, their order or its enum match none of the
 * layouts. Zephyr's own metadata, which lack the event, are accepted.
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

/* Contents of zephyr.tsdl, zephelin_1.tsdl (layout 1) and zephelin_3.tsdl
   (layout 3 and later). */
extern const char zephyr_tsdl[], zephelin_1_tsdl[], zephelin_3_tsdl[];

enum { ZEPHYR_METADATA_CAPACITY = 32768 }; /* enough for all of them */

/* Write the events as TSDL, to follow ctf_metadata_write()'s types; return the
   length. */
size_t zephyr_metadata_write(char *out, size_t capacity,
                             const struct ctf_layout *layout);

/* Return the table of the events in a stream of this layout, built on first
   use. */
const struct ctf_events *zephyr_events(const struct ctf_layout *layout);

/* Detect the layout of a stream from its bytes. */

enum { OTHER_RUN = 3 };

/*
 * Find the layout that explains the most of the first `window` bytes; store it
 * in *layout. Return the number of bytes that are its events; 0: there are
 * none.
 */
size_t ctf_recognize(const unsigned char *bytes, size_t size, size_t window,
                     struct ctf_layout *layout);

/* Return the offset of the first complete packet of Tally's with a valid sum,
   or `size`. */
size_t ctf_find_packet(const unsigned char *bytes, size_t size);

/* `size` bytes, read in this layout, possibly with these other events. */
struct ctf_view {
    const unsigned char *bytes;
    size_t size;
    const struct ctf_layout *layout;
    const struct ctf_events *others;
};

/*
 * Return true if an event begins here in a bare stream that may contain other
 * bytes: it looks like one, and so do the following bytes, or it could hardly
 * be anything else. With fewer bytes than two events have, looking like one is
 * enough.
 */
bool ctf_is_event(struct ctf_view at);

/* Return the event whose header is here; NULL if its id is unknown or that of
   memory. */
const struct ctf_event *ctf_find_other(struct ctf_view at);

/* Return the number of bytes from here on that are console output. */
size_t ctf_text_bytes(const unsigned char *bytes, size_t size);

/* Knowledge about the bytes before an event. */
struct ctf_before {
    uint32_t time; /* time of the last event, */
    bool has_time; /* ... if there was one */
    bool is_sure;  /* many came in a row: the next may be much later */
    bool is_lost;  /* the start of events is unknown: only a long run is
                      trusted */
};

/* Like ctf_is_event(), but also accept a single event soon after the last
   one. */
bool ctf_is_event_behind(struct ctf_view at, const struct ctf_before *before);

/*
 * Return the size of an event of another kind that begins here in a bare
 * stream, or that its packet states; 0: there is none. A result above the
 * available size asks for more bytes.
 */
size_t ctf_other_bytes(struct ctf_view at, const struct ctf_before *before);

/*
 * Return the size of an event that has the id of a memory event but is another:
 * events follow at its end, and none at the end of a memory event. Else return
 * 0.
 */
size_t ctf_misnamed_bytes(struct ctf_view at);

/*
 * Return true, and set *layout, if OTHER_RUN consecutive events or a complete
 * packet begin here in another layout than *layout. With `is_strict` the
 * version must differ: events of a damaged packet are not those of a bare
 * stream.
 */
bool ctf_is_other_layout(const unsigned char *bytes, size_t size,
                         struct ctf_layout *layout, bool is_strict);

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
    size_t tried;       /* bytes that showed no layout */
    size_t packet_left; /* unread bytes of events in the open packet */
    size_t trailer;     /* ... followed by this many bytes of trailer */
    uint64_t in_row;    /* consecutive events since the last skip */
    uint32_t sequence, packet_discarded, packet_profiler_us;
    bool is_in_step; /* the last event ended where the next one begins */
    bool has_time;
    bool has_sequence;
    unsigned char bytes[CTF_READER_CAPACITY];
};

/* Open a reader. `facts` are from ctf_metadata_read() and must outlive the
   reader; NULL: detect the layout. Tally's packets state their layout. */
void ctf_reader_open(struct ctf_reader *reader,
                     const struct ctf_metadata_facts *facts);

/* Read the next event; return false if more must be fed or the stream has
   ended. For other kinds, in `other`, only the time is set. */
bool ctf_reader_next(struct ctf_reader *reader, struct zpl_event *event);
