/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_layout.h - which of the forms of a CTF stream it is
 *
 * Events lie in one of three layouts, with addresses of 4 or 8 bytes. In
 * layouts 1 and 2 a stream is either bare, event after event, as ZPL writes it,
 * or in packets, as Tally does: ctf_packet.h. In layout 3 each event is a
 * packet.
 */
#ifndef TALLY_FORMAT_CTF_LAYOUT_H
#define TALLY_FORMAT_CTF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif /* TALLY_FORMAT_CTF_LAYOUT_H */
