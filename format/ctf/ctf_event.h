/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_event.h - decode events of any kind by a table of their fields
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
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/cursor.h"

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
    uint16_t bytes, count; /* size of an item, number of items; count 0:
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
