/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_event.h - one ZPL memory event, independent of its layout
 *
 * struct zpl_event has the fields of tally/zpl_event.h at the width of the
 * widest layout, and a time that does not wrap. The encoded bytes equal one of
 * that header's structs on a little-endian target with addresses of that width,
 * whatever machine encodes them.
 *
 * Events lie in one of five layouts, with addresses of 4 or 8 bytes. In
 * layouts 1 and 2 a stream is either bare, as ZPL writes it, or in Tally's
 * packets (ctf_stream.h). In layout 3 each event is a packet. Layouts 4 and 5
 * are bare and have the header of newer kernels: 4 among the events of
 * Zephyr 4.5, and 5, which is read only, among those of Zephelin of 2026.
 * Compilers whose enums are wider, or that do not pack the struct, write other
 * shapes of these layouts; metadata may declare any.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/zpl_event.h"

/* A field of an event: where it begins, and its bytes. */
struct zpl_field {
    uint16_t at;
    uint16_t bytes; /* 1, 2, 4 or 8 */
};

/* Any other shape of an event, which is read only. */
struct zpl_shape {
    uint16_t head, bytes; /* size of the header, and of the whole event */
    uint16_t event_id;
    struct zpl_field timestamp, id, memory_region, memory_addr, used, unused,
        for_thread_id;
};

struct ctf_layout {
    uint8_t version;               /* 1 to 5; 0: unknown */
    uint8_t address_bytes;         /* 4 or 8 */
    bool has_packets;              /* only layouts 1 and 2, without a shape */
    const struct zpl_shape *shape; /* NULL: the layout's own */
};

enum { CTF_EVENT_SMALLEST = 22, CTF_EVENT_LARGEST = 35 };

/* Return the size of an event in bytes. */
static inline size_t ctf_layout_event_bytes(const struct ctf_layout *layout)
{
    static const uint8_t without_address[] = { 0, 18, 19, 27, 23 };

    if (TALLY_HAS(OS) && layout->shape != NULL)
        return layout->shape->bytes;
    return (size_t)without_address[layout->version] + layout->address_bytes;
}

/* Return the size of the event's header in bytes. */
static inline size_t ctf_layout_head_bytes(const struct ctf_layout *layout)
{
    static const uint8_t bytes[] = { 0, 5, 6, 14, 10 };

    if (TALLY_HAS(OS) && layout->shape != NULL)
        return layout->shape->head;
    return bytes[layout->version];
}

/* Zephyr's event thread_name_set: a thread's id and its name, with NUL. */
enum { CTF_NAME_ID = 26, CTF_NAME_CAPACITY = 20 };

/* Return the size of such an event in bytes. */
static inline size_t ctf_layout_name_bytes(const struct ctf_layout *layout)
{
    return ctf_layout_head_bytes(layout) + 4 + CTF_NAME_CAPACITY;
}

enum { ZPL_REGION_COUNT = 4 };

/* Time of an event from a line of text, which has none. */
#define ZPL_EVENT_NO_TIME UINT64_MAX

struct zpl_event {
    uint64_t time_ns; /* since the zero of the writer's clock */
    uint64_t memory_addr;
    uint32_t used, unused; /* bytes */
    uint32_t for_thread_id;
    uint8_t memory_region; /* enum zpl_memory_region, below ZPL_REGION_COUNT */
};

/* Encode an event, of ctf_layout_event_bytes() bytes, with the time `time_ns`.
   Times and addresses of 32 bits on the wire lose their upper bits. */
void zpl_wire_write(unsigned char *out, const struct ctf_layout *layout,
                    const struct zpl_event *event, uint64_t time_ns);

/* Encode the name of a thread, of ctf_layout_name_bytes(); a longer one is
   truncated. */
void zpl_wire_write_name(unsigned char *out, const struct ctf_layout *layout,
                         uint32_t thread, const char *name, uint64_t time_ns);

/*
 * Decode an event. A 32-bit time is returned as is; the caller extends it.
 * Return false, with *event undefined, if the bytes cannot be an event of this
 * layout: another id, an unknown region, or a thread id without a stack.
 */
bool zpl_wire_read(const unsigned char *bytes, const struct ctf_layout *layout,
                   struct zpl_event *event);

/* Decode an event whose layout has no shape, for zpl_wire_read(). */
bool zpl_usual_read(const unsigned char *bytes, const struct ctf_layout *layout,
                    struct zpl_event *event);

/* Return the id, or the time, in a header of any kind of event. */
uint64_t zpl_wire_id(const unsigned char *bytes,
                     const struct ctf_layout *layout);
uint64_t zpl_wire_time(const unsigned char *bytes,
                       const struct ctf_layout *layout);

/* Return the id of events of memory. */
static inline uint16_t zpl_memory_id(const struct ctf_layout *layout)
{
    return layout->shape != NULL  ? layout->shape->event_id
           : layout->version == 4 ? ZPL_MEMORY_EVENT_ID_4
           : layout->version == 3 ? ZPL_MEMORY_EVENT_ID_3
                                  : ZPL_MEMORY_EVENT_ID_1;
}

enum { ZPL_USUAL_LAYOUTS = 8 }; /* those without a shape */

/*
 * Return layout number `number` of those that compilers make of the event's
 * struct, from 0 on; version 0 behind the last one. The usual ones come first.
 */
struct ctf_layout zpl_natural_layout(unsigned number);

/* Return the layout with this shape, which stays the caller's: a usual one, or
   one of this version. */
struct ctf_layout zpl_layout_of_shape(const struct zpl_shape *shape,
                                      unsigned version);
