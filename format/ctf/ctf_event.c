/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_event.c - decode events of any kind by a table of their fields */
#include "format/ctf/ctf_input.h"

const struct ctf_event *ctf_events_find(const struct ctf_events *events,
                                        uint64_t stream_id, uint64_t id)
{
    if (stream_id < 2 && id < CTF_KEYS) {
        unsigned number = events->index[stream_id * CTF_KEYS + id];

        return number > 0 && number <= events->count
                   ? &events->items[number - 1]
                   : NULL;
    }
    for (unsigned i = 0; i < events->count; i++) {
        if (events->items[i].id == id &&
            events->items[i].stream_id == stream_id)
            return &events->items[i];
    }
    return NULL;
}

struct ctf_events ctf_events_of(struct ctf_event_list *list, bool has_streams)
{
    for (unsigned i = list->count; i-- > 0;) {
        struct ctf_event *event = &list->items[i];

        if (!has_streams)
            event->stream_id = 0;
        if (event->stream_id < 2 && event->id < CTF_KEYS)
            list->index[event->stream_id * CTF_KEYS + event->id] =
                (uint16_t)(i + 1);
    }
    return (struct ctf_events){ list->count, list->items, list->fields,
                                list->index };
}

struct ctf_walk ctf_walk_begin(const struct ctf_events *events,
                               const struct ctf_event *event,
                               const unsigned char *bytes, size_t size)
{
    return (struct ctf_walk){
        .fields = events->fields + event->first_field,
        .count = event->field_count,
        .bytes = bytes,
        .size = size,
        .is_whole = event->field_count == 0,
    };
}

bool ctf_walk_next(struct ctf_walk *walk, struct ctf_value *value)
{
    const struct ctf_field *field = &walk->fields[walk->next];

    if (walk->next == walk->count)
        return false;
    *value = (struct ctf_value){ field, walk->bytes + walk->done,
                                 (size_t)field->bytes * field->count };
    if (field->value == TSDL_LETTER && field->bytes == 0) {
        const unsigned char *nul =
            memchr(value->bytes, 0, walk->size - walk->done);

        value->size = nul == NULL ? SIZE_MAX : (size_t)(nul - value->bytes) + 1;
    } else if (field->length_of > 0) {
        value->size *= walk->lengths[field->length_of - 1];
    }
    if (value->size > walk->size - walk->done)
        return false;
    walk->done += value->size;
    if (field->bytes <= 4 && field->count == 1 && field->length_of == 0)
        walk->lengths[walk->next] = (uint32_t)ctf_value_number(value);
    walk->is_whole = ++walk->next == walk->count;
    return true;
}

size_t ctf_event_bytes(const struct ctf_events *events,
                       const struct ctf_event *event,
                       const unsigned char *bytes, size_t size)
{
    struct ctf_walk walk = ctf_walk_begin(events, event, bytes, size);
    struct ctf_value value;

    while (ctf_walk_next(&walk, &value))
        continue;
    return walk.is_whole ? walk.done : size + 1;
}

uint64_t ctf_value_number(const struct ctf_value *value)
{
    uint64_t number = 0;

    for (size_t i = value->size < 8 ? value->size : 8; i-- > 0;)
        number = number << 8 | value->bytes[i];
    return number;
}
