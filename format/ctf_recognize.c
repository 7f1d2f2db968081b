/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_recognize.c - which layout a stream is in, from its bytes alone */
#include "format/ctf_recognize.h"

#include <string.h>

#include "format/ctf_packet.h"
#include "format/zpl_wire.h"

static const struct ctf_layout bare_layouts[] = {
    { 1, 4, false }, { 1, 8, false }, { 2, 4, false },
    { 2, 8, false }, { 3, 4, false }, { 3, 8, false },
};

/*
 * Whether there can be such a region: within 32 bits, or where processors of 64
 * bits have addresses, which is at the low and the high end.
 */
static bool is_possible(const struct zpl_event *event,
                        const struct ctf_layout *layout)
{
    uint64_t top = event->memory_addr >> 56;

    if (layout->address_bytes == 8)
        return top == 0 || top == 0xff;
    return (uint64_t)event->used + event->unused <= UINT32_MAX;
}

bool ctf_is_event(const unsigned char *bytes, size_t size,
                  const struct ctf_layout *layout)
{
    size_t length = ctf_layout_event_bytes(layout);
    struct zpl_event event, next;

    if (size < length || !zpl_wire_read(bytes, layout, &event) ||
        !is_possible(&event, layout))
        return false;
    if (layout->version == 3 || size < 2 * length ||
        zpl_wire_read(bytes + length, layout, &next))
        return true;
    /* Four zero bytes in the right place are no accident; an id may be. */
    return event.memory_region != ZPL_STACK && event.memory_addr != 0;
}

/* Bytes that are events in this layout. */
static size_t covered(const unsigned char *bytes, size_t size,
                      const struct ctf_layout *layout)
{
    size_t length = ctf_layout_event_bytes(layout);
    size_t sum = 0;

    for (size_t i = 0; i + length <= size;) {
        if (ctf_is_event(bytes + i, size - i, layout)) {
            sum += length;
            i += length;
        } else {
            i++;
        }
    }
    return sum;
}

/* Where a head begins at or behind `from`, or `size`. */
static size_t find_head(const unsigned char *bytes, size_t from, size_t size,
                        struct ctf_packet *packet, struct ctf_layout *layout)
{
    while (size - from >= CTF_PACKET_HEAD) {
        const unsigned char *magic = memchr(bytes + from, CTF_MAGIC & 0xff,
                                            size - from - CTF_PACKET_HEAD + 1);

        if (magic == NULL)
            return size;
        from = (size_t)(magic - bytes);
        if (ctf_packet_read(magic, packet, layout))
            return from;
        from++;
    }
    return size;
}

size_t ctf_find_packet(const unsigned char *bytes, size_t size)
{
    struct ctf_layout layout;
    struct ctf_packet packet;

    for (size_t at = 0;; at++) {
        size_t length;

        at = find_head(bytes, at, size, &packet, &layout);
        if (at == size)
            return size;
        length = packet.packet_size / 8;
        if (length <= size - at && ctf_packet_read_trailer(bytes + at, &packet))
            return at;
    }
}

size_t ctf_recognize(const unsigned char *bytes, size_t size,
                     struct ctf_layout *layout)
{
    struct ctf_packet packet;
    size_t most = 0;
    size_t at = ctf_find_packet(bytes, size);

    /* A whole one, or one that is cut off: what comes before is skipped. */
    at = find_head(bytes, at < size ? at : 0, size, &packet, layout);
    if (at < size)
        return size - at;
    for (size_t i = 0; i < sizeof bare_layouts / sizeof bare_layouts[0]; i++) {
        size_t sum = covered(bytes, size, &bare_layouts[i]);

        if (sum > most) {
            most = sum;
            *layout = bare_layouts[i];
        }
    }
    return most;
}
