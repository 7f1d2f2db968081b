/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_event.h - one ZPL memory event, whatever form it came in or goes out in
 *
 * The fields of tally/zpl_event.h's list, at a width that holds all layouts,
 * and the time without a wrap. As bytes it is one of that file's structs, as on
 * a little-endian target with addresses of that width, whatever this machine
 * has.
 *
 * Events lie in one of three layouts, with addresses of 4 or 8 bytes. In
 * layouts 1 and 2 a stream is either bare, event after event, as ZPL writes it,
 * or in packets, as Tally does: ctf_packet.h. In layout 3 each event is a
 * packet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/zpl_event.h"

struct ctf_layout {
    uint8_t version;       /* 1, 2 or 3; 0: not known */
    uint8_t address_bytes; /* 4 or 8 */
    bool has_packets;      /* never with version 3 */
};

enum { CTF_EVENT_SMALLEST = 22, CTF_EVENT_LARGEST = 35 };

/* Bytes of one event. */
static inline size_t ctf_layout_event_bytes(const struct ctf_layout *layout)
{
    static const uint8_t without_address[] = { 0, 18, 19, 27 };

    return (size_t)without_address[layout->version] + layout->address_bytes;
}

/* Of these, the ones before its fields; the id is the last of them. */
static inline size_t ctf_layout_head_bytes(const struct ctf_layout *layout)
{
    static const uint8_t bytes[] = { 0, 5, 6, 14 };

    return bytes[layout->version];
}

enum { ZPL_REGION_COUNT = 4 };

/* The time of an event that came without one: a line of text. */
#define ZPL_EVENT_NO_TIME UINT64_MAX

struct zpl_event {
    uint64_t time_ns; /* since the zero of the writer's clock */
    uint64_t memory_addr;
    uint32_t used, unused; /* bytes */
    uint32_t for_thread_id;
    uint8_t memory_region; /* enum zpl_memory_region, below ZPL_REGION_COUNT */
};

/*
 * Write ctf_layout_event_bytes() bytes, with `time_ns` for the event's. Where
 * the time has 32 bits on the wire the upper ones are left out, and so are an
 * address's.
 */
void zpl_wire_write(unsigned char *out, const struct ctf_layout *layout,
                    const struct zpl_event *event, uint64_t time_ns);

/*
 * Read as many. The time is what is on the wire: with 32 bits the caller adds
 * the rest. False when these bytes cannot be an event of this layout: another
 * id, no such region, or a thread's id where there is no stack; `event` is then
 * not to be used.
 */
bool zpl_wire_read(const unsigned char *bytes, const struct ctf_layout *layout,
                   struct zpl_event *event);
