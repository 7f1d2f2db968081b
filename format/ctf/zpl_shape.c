/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_shape.c - shapes of the event's struct, see zpl_event.h
 *
 * The struct has an enum, which takes 1, 2 or 4 bytes, and an address of 4 or
 * 8. Where the compiler does not pack it, each field begins at a multiple of
 * its size.
 */
#include "format/ctf/zpl_event.h"

#include <string.h>

#include "format/bytes.h"

/* Shape of a bare event by its version and sizes. */
#define SHAPE(version, head, region, region_at, address, address_at, bytes) \
    {                                                                       \
        head, bytes,                                                        \
            version < 3    ? ZPL_MEMORY_EVENT_ID_1                          \
            : version == 4 ? ZPL_MEMORY_EVENT_ID_4                          \
                           : ZPL_MEMORY_EVENT_ID_3,                         \
            { version == 3 ? 4 : 0, version >= 3 ? 8 : 4 },                 \
            { head - (version == 1 ? 1 : 2), version == 1 ? 1 : 2 },        \
            { region_at, region }, { address_at, address },                 \
            { address_at + address, 4 }, { address_at + address + 4, 4 },   \
        {                                                                   \
            address_at + address + 8, 4                                     \
        }                                                                   \
    }

static const struct zpl_shape shapes[] = {
    SHAPE(1, 5, 1, 5, 4, 6, 22),    SHAPE(1, 5, 1, 5, 8, 6, 26),
    SHAPE(2, 6, 1, 6, 4, 7, 23),    SHAPE(2, 6, 1, 6, 8, 7, 27),
    SHAPE(3, 14, 1, 14, 4, 15, 31), SHAPE(3, 14, 1, 14, 8, 15, 35),
    SHAPE(4, 10, 1, 10, 4, 11, 27), SHAPE(4, 10, 1, 10, 8, 11, 31),
    SHAPE(5, 10, 1, 10, 4, 11, 27), SHAPE(5, 10, 1, 10, 8, 11, 31),
    SHAPE(5, 10, 4, 10, 4, 14, 30), SHAPE(5, 10, 4, 10, 8, 14, 34),
    SHAPE(5, 10, 2, 10, 4, 12, 28), SHAPE(5, 10, 2, 10, 8, 12, 32),
    SHAPE(5, 10, 1, 10, 4, 12, 32), SHAPE(5, 10, 1, 10, 8, 16, 40),
    SHAPE(5, 10, 4, 12, 4, 16, 32), SHAPE(5, 10, 4, 12, 8, 16, 40),
    SHAPE(1, 5, 4, 5, 4, 9, 25),    SHAPE(1, 5, 4, 5, 8, 9, 29),
    SHAPE(1, 5, 1, 5, 4, 8, 24),    SHAPE(1, 5, 1, 5, 8, 8, 32),
    SHAPE(1, 5, 4, 8, 4, 12, 28),   SHAPE(1, 5, 4, 8, 8, 16, 40),
    SHAPE(1, 5, 2, 5, 4, 7, 23),    SHAPE(1, 5, 2, 5, 8, 7, 27),
    SHAPE(1, 5, 2, 6, 4, 8, 24),    SHAPE(1, 5, 2, 6, 8, 8, 32),
    SHAPE(2, 6, 4, 6, 4, 10, 26),   SHAPE(2, 6, 4, 6, 8, 10, 30),
    SHAPE(2, 6, 1, 6, 4, 8, 24),    SHAPE(2, 6, 1, 6, 8, 8, 32),
    SHAPE(2, 6, 4, 8, 4, 12, 28),   SHAPE(2, 6, 4, 8, 8, 16, 40),
    SHAPE(2, 6, 2, 6, 4, 8, 24),    SHAPE(2, 6, 2, 6, 8, 8, 28),
    SHAPE(2, 6, 2, 6, 8, 8, 32),    SHAPE(3, 14, 4, 14, 4, 18, 34),
    SHAPE(3, 14, 4, 14, 8, 18, 38), SHAPE(3, 14, 2, 14, 4, 16, 32),
    SHAPE(3, 14, 2, 14, 8, 16, 36),
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

struct ctf_layout zpl_natural_layout(unsigned number)
{
    const struct zpl_shape *shape = &shapes[number];

    if (number >= SHAPES)
        return (struct ctf_layout){ 0 };
    return (struct ctf_layout){
        .version = shape->head == 5                           ? 1
                   : shape->head == 6                         ? 2
                   : shape->head == 14                        ? 3
                   : shape->event_id == ZPL_MEMORY_EVENT_ID_4 ? 4
                                                              : 5,
        .address_bytes = (uint8_t)shape->memory_addr.bytes,
        .shape = number < ZPL_USUAL_LAYOUTS ? NULL : shape,
    };
}

struct ctf_layout zpl_layout_of_shape(const struct zpl_shape *shape,
                                      unsigned version)
{
    for (unsigned i = 0; i < ZPL_USUAL_LAYOUTS; i++) {
        if (memcmp(shape, &shapes[i], sizeof *shape) == 0)
            return zpl_natural_layout(i);
    }
    return (struct ctf_layout){
        .version = (uint8_t)version,
        .address_bytes = shape->memory_addr.bytes == 8 ? 8 : 4,
        .shape = shape,
    };
}

static uint64_t field(const unsigned char *bytes, struct zpl_field field)
{
    return get_word_le(bytes + field.at, field.bytes);
}

/* Numbers of 64 bits are cut to the highest of 32. */
static uint32_t amount(const unsigned char *bytes, struct zpl_field at)
{
    uint64_t value = field(bytes, at);

    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

uint64_t zpl_wire_id(const unsigned char *bytes,
                     const struct ctf_layout *layout)
{
    const unsigned char *end = bytes + ctf_layout_head_bytes(layout);

    if (layout->shape != NULL)
        return field(bytes, layout->shape->id);
    return layout->version == 1 ? end[-1] : read_u16le(end - 2);
}

uint64_t zpl_wire_time(const unsigned char *bytes,
                       const struct ctf_layout *layout)
{
    if (layout->shape != NULL)
        return field(bytes, layout->shape->timestamp);
    return layout->version < 3
               ? read_u32le(bytes)
               : read_u64le(bytes + (layout->version == 3 ? 4 : 0));
}

static bool read_shape(const unsigned char *bytes,
                       const struct ctf_layout *layout, struct zpl_event *event)
{
    const struct zpl_shape *shape = layout->shape;
    uint64_t region = field(bytes, shape->memory_region);

    *event = (struct zpl_event){
        .time_ns = field(bytes, shape->timestamp),
        .memory_addr = field(bytes, shape->memory_addr),
        .used = amount(bytes, shape->used),
        .unused = amount(bytes, shape->unused),
        .for_thread_id = amount(bytes, shape->for_thread_id),
        .memory_region = (uint8_t)region,
    };
    return field(bytes, shape->id) == shape->event_id &&
           region < ZPL_REGION_COUNT &&
           (region == ZPL_STACK || event->for_thread_id == 0) &&
           (layout->version != 3 ||
            (read_u16le(bytes) == 0 &&
             read_u16le(bytes + 2) == shape->bytes * 8));
}

bool zpl_wire_read(const unsigned char *bytes, const struct ctf_layout *layout,
                   struct zpl_event *event)
{
    return layout->shape != NULL ? read_shape(bytes, layout, event)
                                 : zpl_usual_read(bytes, layout, event);
}
