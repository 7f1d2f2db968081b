/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_event.c - encode and decode a ZPL event in any layout
 *
 * The code is generated from the lists. It copies nothing on the way: loading a
 * fresh store at another width is slow.
 */
#include "format/ctf/zpl_event.h"

#include <string.h>

#include "format/bytes.h"

#define INLINE static inline __attribute__((always_inline))

/* Bytes of a field, by kind; `width` is that of addresses. */
#define BYTES_u8      1
#define BYTES_u16     2
#define BYTES_u32     4
#define BYTES_time32  4
#define BYTES_time64  8
#define BYTES_region  1
#define BYTES_address (unsigned)width

/* Fields that exist only on the wire. */
struct envelope {
    uint16_t id;
    uint16_t stream_id;
    uint16_t packet_size;
};

/* Values of the fields in the lists, in functions that have these variables. */
#define VALUE_timestamp     time_ns
#define VALUE_id            envelope.id
#define VALUE_stream_id     envelope.stream_id
#define VALUE_packet_size   envelope.packet_size
#define VALUE_memory_region event->memory_region
#define VALUE_memory_addr   event->memory_addr
#define VALUE_used          event->used
#define VALUE_unused        event->unused
#define VALUE_for_thread_id event->for_thread_id

#define PUT(kind, name, before, behind) \
    out = put_word_le(out, VALUE_##name, BYTES_##kind);

#define GET(kind, name, before, behind)                                        \
    VALUE_##name = (__typeof__(VALUE_##name))get_word_le(bytes, BYTES_##kind); \
    bytes += BYTES_##kind;

INLINE uint16_t event_id(unsigned version)
{
    return version == 1   ? ZPL_MEMORY_EVENT_ID_1
           : version == 2 ? ZPL_MEMORY_EVENT_ID_2
           : version == 3 ? ZPL_MEMORY_EVENT_ID_3
                          : ZPL_MEMORY_EVENT_ID_4;
}

/* Size in bits of an event of layout 3, which is a packet. */
INLINE uint16_t packet_bits(size_t width)
{
    return (uint16_t)((27 + width) * 8);
}

INLINE unsigned char *put_head(unsigned char *out, struct envelope envelope,
                               uint64_t time_ns, unsigned version)
{
    if (version == 1) {
        ZPL_MEMORY_HEADER_LIST_1(PUT)
    } else if (version == 2) {
        ZPL_MEMORY_HEADER_LIST_2(PUT)
    } else {
        if (version == 3) {
            ZPL_MEMORY_PACKET_LIST_3(PUT)
        }
        ZPL_MEMORY_HEADER_LIST_3(PUT)
    }
    return out;
}

INLINE void put(unsigned char *out, const struct zpl_event *event,
                uint64_t time_ns, unsigned version, size_t width)
{
    const struct envelope envelope = {
        .id = event_id(version),
        .packet_size = packet_bits(width),
    };

    out = put_head(out, envelope, time_ns, version);
    ZPL_MEMORY_PAYLOAD_LIST(PUT)
}

/* Most bytes that are tried begin no event, as their id shows. */
INLINE bool get(const unsigned char *bytes, struct zpl_event *event,
                unsigned version, size_t width)
{
    struct envelope envelope = { 0 };
    uint64_t time_ns;

    if (version == 1) {
        ZPL_MEMORY_HEADER_LIST_1(GET)
    } else if (version == 2) {
        ZPL_MEMORY_HEADER_LIST_2(GET)
    } else {
        if (version == 3) {
            ZPL_MEMORY_PACKET_LIST_3(GET)
        }
        ZPL_MEMORY_HEADER_LIST_3(GET)
    }
    if (envelope.id != event_id(version))
        return false;
    ZPL_MEMORY_PAYLOAD_LIST(GET)
    event->time_ns = time_ns;
    return event->memory_region < ZPL_REGION_COUNT &&
           (event->memory_region == ZPL_STACK || event->for_thread_id == 0) &&
           (version != 3 || (envelope.stream_id == 0 &&
                             envelope.packet_size == packet_bits(width)));
}

/* A target writes one layout, with its own address width. */
#define LAYOUT(hosts, targets) (TALLY_HAS(OS) ? (hosts) : (targets))

void zpl_wire_write(unsigned char *out, const struct ctf_layout *layout,
                    const struct zpl_event *event, uint64_t time_ns)
{
    unsigned version = LAYOUT(layout->version, CONFIG_ZPL_CTF_LAYOUT);

    (void)layout;
    if (LAYOUT(layout->address_bytes, sizeof(uintptr_t)) == 8)
        put(out, event, time_ns, version, 8);
    else
        put(out, event, time_ns, version, 4);
}

void zpl_wire_write_name(unsigned char *out, const struct ctf_layout *layout,
                         uint32_t thread, const char *name, uint64_t time_ns)
{
    const struct envelope envelope = {
        .id = CTF_NAME_ID,
        .packet_size = (uint16_t)(ctf_layout_name_bytes(layout) * 8),
    };

    out = put_head(out, envelope, time_ns,
                   LAYOUT(layout->version, CONFIG_ZPL_CTF_LAYOUT));
    out = put_word_le(out, thread, 4);
    for (unsigned i = 0; i < CTF_NAME_CAPACITY; i++) {
        *out++ = (unsigned char)*name;
        name += *name != '\0' && i + 2 < CTF_NAME_CAPACITY;
    }
    out[-1] = '\0';
}

bool zpl_usual_read(const unsigned char *bytes, const struct ctf_layout *layout,
                    struct zpl_event *event)
{
    return layout->address_bytes == 8 ? get(bytes, event, layout->version, 8)
                                      : get(bytes, event, layout->version, 4);
}
