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
    CTF_EVENT_CAPACITY = 255,
    CTF_FIELD_CAPACITY = 1024,     /* of all events */
    CTF_EVENT_FIELDS = 16,         /* of one event */
    CTF_EVENT_LIMIT = 1 << 13,     /* bytes of one event */
    CTF_EVENT_VARIES = UINT16_MAX, /* bytes of an event of no fixed size */
    CTF_IDS = 512,                 /* ids below are found without a search */
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

/* Byte orders; a trace without one is little-endian. */
enum tsdl_order { TSDL_ORDER_OF_TRACE, TSDL_LITTLE_ENDIAN, TSDL_BIG_ENDIAN };

struct ctf_field {
    struct text_view name;
    uint16_t bytes, count; /* size of an item, number of items; bytes 0:
                              NUL-terminated text */
    uint8_t value;         /* enum tsdl_value */
    uint8_t length_of;     /* 1 + index of the field that holds the count; 0:
                              none */
    uint8_t order;         /* enum tsdl_order */
};

struct ctf_event {
    uint16_t id;
    uint16_t first_field, field_count;
    uint16_t bytes; /* all fields; or CTF_EVENT_VARIES */
    struct text_view name;
};

struct ctf_events {
    unsigned count, field_count;
    struct ctf_event items[CTF_EVENT_CAPACITY];
    struct ctf_field fields[CTF_FIELD_CAPACITY];
    uint8_t by_id[CTF_IDS]; /* 1 + index of the event; 0: none */
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
static inline const struct ctf_event *
ctf_events_find(const struct ctf_events *events, uint64_t id)
{
    if (id < CTF_IDS)
        return events->by_id[id] == 0 ? NULL
                                      : &events->items[events->by_id[id] - 1];
    for (unsigned i = 0; i < events->count; i++) {
        if (events->items[i].id == id)
            return &events->items[i];
    }
    return NULL;
}

struct ctf_walk ctf_walk_begin(const struct ctf_events *events,
                               const struct ctf_event *event,
                               const unsigned char *bytes, size_t size);

/* Decode the next field; return false if there is none or the bytes end. */
bool ctf_walk_next(struct ctf_walk *walk, struct ctf_value *value);

/*
 * Return the size of all fields; above `size` if the event is incomplete.
 */
size_t ctf_event_bytes(const struct ctf_events *events,
                       const struct ctf_event *event,
                       const unsigned char *bytes, size_t size);

/* Return the value of an integer of up to 8 bytes. */
uint64_t ctf_value_number(const struct ctf_value *value);

/*
 * Forms of the events in a stream.
 *
 * A form says where the fields of an event's header and of a memory event are.
 * Metadata declare it; without them it is one of the forms that compilers make
 * of ZPL's struct, which ctf_recognize() finds.
 */

/* An integer of an event; bytes 0: there is none. */
struct ctf_place {
    uint16_t at; /* offset in the event */
    uint8_t bytes;
    bool is_big_endian;
};

#define CTF_MEMORY_FIELD(kind, name, ...) CTF_MEMORY_##name,
enum ctf_memory_field {
    ZPL_MEMORY_PAYLOAD_LIST(CTF_MEMORY_FIELD) CTF_MEMORY_FIELDS
};
#undef CTF_MEMORY_FIELD

struct ctf_form {
    struct ctf_layout layout; /* version of the header; packets */
    struct ctf_shape shape;   /* enum_bytes 0: the memory event is declared */
    bool is_declared;         /* no other form, and no text, may begin */
    uint8_t head_bytes;
    uint16_t memory_bytes; /* bytes of a memory event; 0: unknown */
    uint64_t memory_id;
    struct ctf_place time, id;
    struct ctf_place bits; /* of a packet with one event */
    struct ctf_place fields[CTF_MEMORY_FIELDS];
    uint64_t regions[ZPL_REGION_COUNT]; /* values in the stream */
    const struct ctf_events *others;
};

enum { CTF_SHAPES = 12 }; /* of ZPL's struct */

/* Return the header of a version, without a memory event and others. */
struct ctf_form ctf_form_of(unsigned version);

/* Give the form the memory event of a shape below CTF_SHAPES. Return false if
   this version has no such shape. */
bool ctf_form_set_shape(struct ctf_form *form, unsigned shape);

/* `size` bytes, read in this form. */
struct ctf_view {
    const unsigned char *bytes;
    size_t size;
    const struct ctf_form *form;
};

/* Return the view from `length` bytes on. */
static inline struct ctf_view ctf_view_behind(struct ctf_view at, size_t length)
{
    return (struct ctf_view){ at.bytes + length, at.size - length, at.form };
}

/* Return the size of the event that begins here; above at.size if it is
   incomplete; 0: none begins. */
size_t ctf_event_here(struct ctf_view at);

/* Return the event's description; NULL if it has none, as a memory event. */
const struct ctf_event *ctf_find_other(struct ctf_view at);

/* Return true if the complete header here is that of a memory event. */
bool ctf_is_memory(struct ctf_view at);

/* Decode a memory event, with its time as written. Return false if its region
   is unknown or, unless it is declared, if it has a thread without a stack or a
   size that does not fit. */
bool ctf_memory_read(struct ctf_view at, struct zpl_event *event);

uint64_t ctf_time_of(struct ctf_view at);
uint64_t ctf_id_of(struct ctf_view at);

/* Return the time from `from` to `to` on the form's clock, which wraps. */
uint64_t ctf_elapsed(const struct ctf_form *form, uint64_t from, uint64_t to);

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
    struct ctf_form form;     /* refers to `others` */
    uint64_t clock_hertz;     /* 1 to 10^9; default 10^9 */
    struct text_view program; /* length 0: unknown */
    uint64_t load_address;
    uint64_t sample_interval; /* bytes, format/events/events_stream.h; 0:
                                 unknown */
    struct ctf_events others; /* events of the stream other than zpl_memory */
};

/*
 * Read the metadata; names point into `text`, and facts->form into *facts.
 * Return false if no event "zpl_memory" with its fields is declared, or the
 * stream has packets other than Tally's and Zephelin's. Zephyr's own metadata,
 * which lack the event, are accepted: its shape is then detected.
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

/* Events by version of the layout; made from the TSDL files at build time. */
extern const struct ctf_events zephyr_events_1, zephyr_events_2,
    zephyr_events_3;

/*
 * Detect the form of a stream from its bytes.
 *
 * A form is right if it explains all bytes, or several memory events in a row.
 */

enum { CTF_LARGEST_OTHER = 512 }; /* bytes of an event that is not declared */

enum ctf_recognized {
    CTF_NO_EVENTS,     /* no form explains the bytes */
    CTF_UNKNOWN_SHAPE, /* ... but memory events are there */
    CTF_MORE,          /* more bytes must be seen */
    CTF_FOUND,
};

/* Find the form of the bytes from their beginning, with the header and events
   of `base`, or of any version if that is NULL. */
enum ctf_recognized ctf_recognize(const unsigned char *bytes, size_t size,
                                  bool is_ended, const struct ctf_form *base,
                                  struct ctf_form *form);

/* Return true, and set *form, if memory events in a row begin here. */
bool ctf_begins_row(const unsigned char *bytes, size_t size,
                    struct ctf_form *form);

/* Return true, and set *layout, if an intact packet of Tally's begins here. */
bool ctf_begins_packet(const unsigned char *bytes, size_t size,
                       struct ctf_layout *layout);

/* Return true if another form, or a packet, begins here in an open stream. */
bool ctf_begins_other(struct ctf_view at);

/* Return the offset of the first complete packet of Tally's with a valid sum,
   or `size`. */
size_t ctf_find_packet(const unsigned char *bytes, size_t size);

/* Return the number of bytes from here on that are console output. */
size_t ctf_text_bytes(const unsigned char *bytes, size_t size);

/*
 * Find events again behind damage.
 *
 * The only rules that are not certain: they apply from a few hundred bytes
 * before the end of the events that follow one another.
 */

enum {
    CTF_RECENT = 16,
    CTF_SURE_ROW = 8, /* events that cannot be a coincidence */
};

struct ctf_before {
    uint64_t time;        /* of the last event, */
    bool has_time;        /* ... if there was one */
    bool is_in_step;      /* ... and it ended here */
    bool has_others;      /* events other than memory\'s were read */
    uint64_t unknown_id;  /* of the last unknown event */
    unsigned recent_next; /* number of memory events so far */
    struct zpl_event recent[CTF_RECENT]; /* the last ones, in a ring */
};

/* Return true if all events so far are memory events. */
static inline bool ctf_is_pure(const struct ctf_before *before)
{
    return !before->has_others && before->recent_next >= CTF_SURE_ROW;
}

/* Return the number of damaged bytes here, or 0: an event is intact. *unknown
   is its size if it is unknown, else 0. */
size_t ctf_damaged_bytes(struct ctf_view at, const struct ctf_before *before,
                         size_t *unknown);

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
    struct ctf_form form;     /* ... unless the stream has packets */
    bool is_unknown_shape;    /* memory events of no known shape were met */
    struct byte_stream in;    /* input; counts skipped bytes */
    uint64_t events;          /* events read */
    uint64_t other_events;    /* known events other than zpl_memory */
    uint64_t cut_events;      /* 1: the stream ends within an event */
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
    uint64_t chain_end; /* events follow one another up to here */
    size_t tried;       /* bytes that showed no layout */
    size_t packet_left; /* unread bytes of events in the open packet */
    size_t trailer;     /* ... followed by this many bytes of trailer */
    uint32_t sequence, packet_discarded, packet_profiler_us;
    bool has_sequence;
    struct ctf_before before;
    unsigned char bytes[CTF_READER_CAPACITY];
};

/* Open a reader. `facts` are from ctf_metadata_read() and must outlive the
   reader; NULL: detect the layout. Tally's packets state their layout. */
void ctf_reader_open(struct ctf_reader *reader,
                     const struct ctf_metadata_facts *facts);

/* Read the next event; return false if more must be fed or the stream has
   ended. For other kinds, in `other`, only the time is set. */
bool ctf_reader_next(struct ctf_reader *reader, struct zpl_event *event);
