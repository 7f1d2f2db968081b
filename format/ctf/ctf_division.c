/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_division.c - divide the bytes of a bare stream into events
 *
 * In a stream without damage each event begins where the one before it ends:
 * its id says how long it is, and nothing is guessed.
 */
#include "format/ctf/ctf_input.h"

enum {
    TEXT = 24,           /* letters that no event begins with, */
    SHORT_TEXT = 12,     /* ... or has alone */
    NEAR_STEP = 1 << 28, /* nanoseconds */
    MOST_LETTERS = 8,    /* events of letters in a row: each byte of a text may
                            begin such a row */
};

bool ctf_is_possible(struct ctf_view at, struct zpl_event *event)
{
    uint64_t top, size;

    if (at.size < ctf_layout_event_bytes(at.layout) ||
        !zpl_wire_read(at.bytes, at.layout, event))
        return false;
    top = event->memory_addr >> 56;
    size = (uint64_t)event->used + event->unused;
    if (at.layout->address_bytes == 8 && event->memory_region != ZPL_STACK)
        return top == 0 || top == 0xff;
    return size <= CTF_LARGEST_REGION && (top == 0 || top == 0xff);
}

size_t ctf_text_bytes(const unsigned char *bytes, size_t size)
{
    size_t i = 0;

    while (i < size && (bytes[i] >= ' ' || bytes[i] == '\033' ||
                        (bytes[i] >= '\b' && bytes[i] <= '\r')))
        i++;
    return i;
}

size_t ctf_ascii_bytes(const unsigned char *bytes, size_t size)
{
    size_t i = 0;

    while (i < size && bytes[i] < 0x7f && ctf_text_bytes(bytes + i, 1) > 0 &&
           (bytes[i] != '\033' || (i + 1 < size && bytes[i + 1] == '[')))
        i++;
    return i;
}

const struct ctf_event *ctf_find_other(struct ctf_view at)
{
    return ctf_events_find(at.others,
                           at.layout->version == 3 ? read_u16le(at.bytes) : 0,
                           zpl_wire_id(at.bytes, at.layout));
}

/* Return the size of a packet of layout 3, whatever it contains, or 0 if none
   begins here. */
static size_t packet_3_bytes(const unsigned char *bytes)
{
    size_t bits = read_u16le(bytes + 2);

    return read_u16le(bytes) <= 1 && bits % 8 == 0 && bits >= 14 * 8 ? bits / 8
                                                                     : 0;
}

/* Return the size of an event that is not of memory; as ctf_event_size(). */
static size_t other_size(struct ctf_view at)
{
    size_t head = ctf_layout_head_bytes(at.layout), length, packet = 0;
    const struct ctf_event *other;

    if (at.layout->version == 3) {
        packet = packet_3_bytes(at.bytes);
        if (packet == 0)
            return 0;
    }
    other = ctf_find_other(at);
    if (other == NULL)
        return packet;
    length = head +
             ctf_event_bytes(at.others, other, at.bytes + head, at.size - head);
    return packet == 0 || packet == length || length > at.size ? length : 0;
}

bool ctf_is_near(struct ctf_view at, struct ctf_view next)
{
    return next.size >= ctf_layout_head_bytes(at.layout) &&
           (uint32_t)zpl_wire_time(next.bytes, at.layout) -
                   (uint32_t)zpl_wire_time(at.bytes, at.layout) <
               NEAR_STEP;
}

bool ctf_is_memory_id(struct ctf_view at)
{
    uint64_t id = zpl_memory_id(at.layout);

    return at.size >= ctf_layout_head_bytes(at.layout) &&
           zpl_wire_id(at.bytes, at.layout) == id;
}

/* Return true if an event that is not all letters follows, directly or after
   others. Each begins soon after the one before. */
static bool is_followed(struct ctf_view at, size_t size)
{
    for (unsigned i = 0; i < MOST_LETTERS && size > 0 && size < at.size; i++) {
        struct ctf_view next = ctf_view_from(at, size);
        size_t most = next.size < SHORT_TEXT ? next.size : SHORT_TEXT;

        if (!ctf_is_near(at, next))
            return false;
        if (ctf_is_memory_id(next)) /* its id is no letter */
            return true;
        size = other_size(next);
        if (ctf_ascii_bytes(next.bytes, most) < most)
            return size > 0 && size <= CTF_EVENT_LIMIT;
        at = next;
    }
    return false;
}

/* Return true if an event of this size would be the output of a console. Only
   in layout 1 can a header be all letters. */
static bool is_console(struct ctf_view at, size_t size)
{
    size_t i = at.is_declared
                   ? 0
                   : ctf_ascii_bytes(at.bytes, at.size < TEXT ? at.size : TEXT);

    return (i == TEXT || (i >= SHORT_TEXT && i >= size)) &&
           !is_followed(at, size);
}

size_t ctf_event_size(struct ctf_view at, struct zpl_event *event,
                      bool *is_memory)
{
    size_t head = ctf_layout_head_bytes(at.layout);
    size_t length = ctf_layout_event_bytes(at.layout);

    *is_memory = false;
    if (at.size < head)
        return head;
    if (!ctf_is_memory_id(at)) {
        size_t size = other_size(at);

        return size > CTF_EVENT_LIMIT || is_console(at, size) ? 0 : size;
    }
    if (at.size < length)
        return length;
    *is_memory = ctf_is_possible(at, event);
    return *is_memory ? length : 0;
}
