/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_wire.c - a ZPL event as bytes, field by field, in any layout
 *
 * One function to write and one to read for each layout and width, out of the
 * lists. Fields that an event has and struct zpl_event has not are constants.
 */
#include "format/zpl_wire.h"

#include "format/bytes.h"
#include "format/put_bytes.h"

#define INLINE static inline __attribute__((always_inline))

/* Bytes of a field of this kind; `width` is that of addresses. */
#define BYTES_u8      1
#define BYTES_u16     2
#define BYTES_u32     4
#define BYTES_time32  4
#define BYTES_time64  8
#define BYTES_region  1
#define BYTES_address width

/* An event with what is only on the wire. */
struct wire_event {
    struct zpl_event event;
    uint16_t id;
    uint16_t stream_id;
    uint16_t packet_size;
};

#define VALUE_timestamp     wire->event.time_ns
#define VALUE_id            wire->id
#define VALUE_stream_id     wire->stream_id
#define VALUE_packet_size   wire->packet_size
#define VALUE_memory_region wire->event.memory_region
#define VALUE_memory_addr   wire->event.memory_addr
#define VALUE_used          wire->event.used
#define VALUE_unused        wire->event.unused
#define VALUE_for_thread_id wire->event.for_thread_id

INLINE uint64_t get_word_le(const unsigned char *bytes, size_t size)
{
    return size == 8   ? read_u64le(bytes)
           : size == 4 ? read_u32le(bytes)
           : size == 2 ? read_u16le(bytes)
                       : *bytes;
}

#define PUT(kind, name, before, behind) \
    out = put_word_le(out, VALUE_##name, BYTES_##kind);

#define GET(kind, name, before, behind)                                        \
    VALUE_##name = (__typeof__(VALUE_##name))get_word_le(bytes, BYTES_##kind); \
    bytes += BYTES_##kind;

#define LAYOUT(version)                                                     \
    INLINE void put_##version(unsigned char *out,                           \
                              const struct wire_event *wire, size_t width){ \
        ZPL_MEMORY_EVENT_LIST_##version(PUT)                                \
    } INLINE void get_##version(const unsigned char *bytes,                 \
                                struct wire_event *wire, size_t width)      \
    {                                                                       \
        ZPL_MEMORY_EVENT_LIST_##version(GET)                                \
    }

LAYOUT(1)
LAYOUT(2)
LAYOUT(3)

INLINE void put(unsigned char *out, const struct wire_event *wire,
                unsigned version, size_t width)
{
    if (version == 1)
        put_1(out, wire, width);
    else if (version == 2)
        put_2(out, wire, width);
    else
        put_3(out, wire, width);
}

INLINE void get(const unsigned char *bytes, struct wire_event *wire,
                unsigned version, size_t width)
{
    if (version == 1)
        get_1(bytes, wire, width);
    else if (version == 2)
        get_2(bytes, wire, width);
    else
        get_3(bytes, wire, width);
}

INLINE uint16_t event_id(unsigned version)
{
    return version == 1   ? ZPL_MEMORY_EVENT_ID_1
           : version == 2 ? ZPL_MEMORY_EVENT_ID_2
                          : ZPL_MEMORY_EVENT_ID_3;
}

void zpl_wire_write(unsigned char *out, const struct ctf_layout *layout,
                    const struct zpl_event *event)
{
#if __STDC_HOSTED__
    unsigned version = layout->version;
    bool is_wide = layout->address_bytes == 8;
#else /* a target writes one layout, and its own addresses */
    unsigned version = CONFIG_ZPL_CTF_LAYOUT;
    bool is_wide = sizeof(uintptr_t) == 8;
#endif
    struct wire_event wire = {
        .event = *event,
        .id = event_id(version),
        .packet_size = (uint16_t)(ctf_layout_event_bytes(layout) * 8),
    };

    if (is_wide)
        put(out, &wire, version, 8);
    else
        put(out, &wire, version, 4);
}

bool zpl_wire_read(const unsigned char *bytes, const struct ctf_layout *layout,
                   struct zpl_event *event)
{
    unsigned version = layout->version;
    struct wire_event wire = { .packet_size = 0 };

    if (layout->address_bytes == 8)
        get(bytes, &wire, version, 8);
    else
        get(bytes, &wire, version, 4);
    if (wire.id != event_id(version) ||
        wire.event.memory_region >= ZPL_REGION_COUNT ||
        (wire.event.memory_region != ZPL_STACK &&
         wire.event.for_thread_id != 0))
        return false;
    if (version == 3 &&
        (wire.stream_id != 0 ||
         wire.packet_size != ctf_layout_event_bytes(layout) * 8))
        return false;
    *event = wire.event;
    return true;
}
