/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_form.c - the fields of events in a stream, declared or of a shape */
#include "format/ctf/ctf_input.h"

#include "format/bytes.h"

static inline uint64_t read_place(const unsigned char *event,
                                  struct ctf_place place)
{
    const unsigned char *bytes = event + place.at;
    uint64_t value = 0;

    if (!place.is_big_endian && place.bytes == 4)
        return read_u32le(bytes);
    if (place.bytes == 1)
        return *bytes;
    for (unsigned i = 0; i < place.bytes; i++)
        value =
            value << 8 | bytes[place.is_big_endian ? i : place.bytes - 1u - i];
    return value;
}

struct ctf_form ctf_form_of(unsigned version)
{
    static const struct ctf_form forms[] = {
        [1] = { .head_bytes = 5,
                .memory_id = ZPL_MEMORY_EVENT_ID_1,
                .time = { 0, 4, false },
                .id = { 4, 1, false } },
        [2] = { .head_bytes = 6,
                .memory_id = ZPL_MEMORY_EVENT_ID_2,
                .time = { 0, 4, false },
                .id = { 4, 2, false } },
        [3] = { .head_bytes = 14,
                .memory_id = ZPL_MEMORY_EVENT_ID_3,
                .time = { 4, 8, false },
                .id = { 12, 2, false },
                .bits = { 2, 2, false } },
    };
    struct ctf_form form = forms[version];

    form.layout = (struct ctf_layout){ (uint8_t)version, 4, false };
    for (unsigned i = 0; i < ZPL_REGION_COUNT; i++)
        form.regions[i] = i;
    return form;
}

bool ctf_form_set_shape(struct ctf_form *form, unsigned shape)
{
    uint8_t sizes[CTF_MEMORY_FIELDS] = { 1, 4, 4, 4, 4 };
    size_t at = form->head_bytes, round = 0;

    form->shape = (struct ctf_shape){ (uint8_t)(1 << shape / 2 % 3),
                                      shape >= CTF_SHAPES / 2 };
    form->layout.address_bytes = shape % 2 == 0 ? 4 : 8;
    sizes[CTF_MEMORY_memory_region] = form->shape.enum_bytes;
    sizes[CTF_MEMORY_memory_addr] = form->layout.address_bytes;
    for (unsigned i = 0; i < CTF_MEMORY_FIELDS; i++) {
        round = form->shape.is_natural ? sizes[i] - 1u : 0;
        at = (at + round) & ~round;
        form->fields[i] = (struct ctf_place){ (uint16_t)at, sizes[i], false };
        at += sizes[i];
    }
    round = form->shape.is_natural ? form->layout.address_bytes - 1u : 0;
    form->memory_bytes = (uint16_t)((at + round) & ~round);
    return form->bits.bytes == 0 || !form->shape.is_natural;
}

uint64_t ctf_id_of(struct ctf_view at)
{
    return read_place(at.bytes, at.form->id);
}

uint64_t ctf_time_of(struct ctf_view at)
{
    return read_place(at.bytes, at.form->time);
}

uint64_t ctf_elapsed(const struct ctf_form *form, uint64_t from, uint64_t to)
{
    return (to - from) & UINT64_MAX >> (64 - 8 * form->time.bytes);
}

bool ctf_is_memory(struct ctf_view at)
{
    return ctf_id_of(at) == at.form->memory_id;
}

const struct ctf_event *ctf_find_other(struct ctf_view at)
{
    return ctf_is_memory(at) ? NULL
                             : ctf_events_find(at.form->others, ctf_id_of(at));
}

/* Return the size of the packet here, which has one event, or 0. */
static size_t packet_bytes(struct ctf_view at)
{
    uint64_t bits = read_place(at.bytes, at.form->bits);

    return read_u16le(at.bytes) <= 1 && bits % 8 == 0 &&
                   bits / 8 >= at.form->head_bytes
               ? bits / 8
               : 0;
}

size_t ctf_event_here(struct ctf_view at)
{
    size_t head = at.form->head_bytes, packet = 0, length;
    const struct ctf_event *other;
    struct zpl_event event;
    uint64_t id;

    if (at.size < head)
        return head;
    if (at.form->bits.bytes > 0 && (packet = packet_bytes(at)) == 0)
        return 0;
    id = ctf_id_of(at);
    if (id == at.form->memory_id) {
        length = at.form->memory_bytes;
        return (packet == 0 || packet == length) &&
                       (length > at.size || ctf_memory_read(at, &event))
                   ? length
                   : 0;
    }
    other = ctf_events_find(at.form->others, id);
    if (other == NULL)
        return packet;
    if (other->bytes != CTF_EVENT_VARIES)
        length = head + other->bytes;
    else
        length = head + ctf_event_bytes(at.form->others, other, at.bytes + head,
                                        at.size - head);
    if (length > head + CTF_EVENT_LIMIT)
        return 0;
    return packet == 0 || packet == length || length > at.size ? length : 0;
}

static uint32_t at_most_32_bits(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

bool ctf_memory_read(struct ctf_view at, struct zpl_event *event)
{
    uint64_t values[CTF_MEMORY_FIELDS];
    unsigned region = 0;

    for (unsigned i = 0; i < CTF_MEMORY_FIELDS; i++)
        values[i] = read_place(at.bytes, at.form->fields[i]);
    while (region < ZPL_REGION_COUNT &&
           at.form->regions[region] != values[CTF_MEMORY_memory_region])
        region++;
    *event = (struct zpl_event){
        .time_ns = ctf_time_of(at),
        .memory_addr = values[CTF_MEMORY_memory_addr],
        .used = at_most_32_bits(values[CTF_MEMORY_used]),
        .unused = at_most_32_bits(values[CTF_MEMORY_unused]),
        .for_thread_id = (uint32_t)values[CTF_MEMORY_for_thread_id],
        .memory_region = (uint8_t)region,
    };
    if (at.form->shape.enum_bytes > 0 &&
        ((region != ZPL_STACK && event->for_thread_id != 0) ||
         (at.form->layout.address_bytes == 4 &&
          event->used > UINT32_MAX - event->unused)))
        return false;
    return region < ZPL_REGION_COUNT;
}
