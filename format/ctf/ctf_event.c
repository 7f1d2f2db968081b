/* SPDX-License-Identifier: Apache-2.0 */
/* ctf_event.c - events of any kind, by a table of their fields */
#include "format/ctf/ctf_event.h"

#include <string.h>

/* Which of the fields from `first` on counts the items: 1 + its index, or 0. */
static uint8_t find_length(const struct ctf_events *events, unsigned first,
                           struct text_view name)
{
    for (unsigned i = first; i < events->field_count; i++) {
        const struct ctf_field *field = &events->fields[i];

        if (field->value == TSDL_UNSIGNED && field->count == 1 &&
            field->bytes <= 4 && text_is_same(field->name, name))
            return (uint8_t)(i - first + 1);
    }
    return 0;
}

static unsigned first_new(const struct ctf_events *events)
{
    const struct ctf_event *end = &events->items[events->count];

    return events->count == 0 ? 0 : end[-1].first_field + end[-1].field_count;
}

void ctf_events_take(void *context, const struct tsdl_field *told)
{
    struct ctf_events *events = context;
    unsigned first = first_new(events);
    bool is_text = told->value == TSDL_TEXT && told->length.length == 0;
    uint32_t bits = is_text ? 0 : told->bits;
    struct ctf_field field = {
        .name = told->name,
        .bytes = (uint16_t)(bits / 8),
        .count = (uint16_t)told->count,
        .value = (uint8_t)(is_text ? TSDL_LETTER : told->value),
        .length_of = find_length(events, first, told->length),
    };

    if (events->field_count == CTF_FIELD_CAPACITY)
        return;
    if (bits % 8 != 0 || bits > CTF_EVENT_LIMIT * 8 ||
        told->count > (is_text ? 1 : CTF_EVENT_LIMIT) ||
        (told->length.length > 0) != (field.length_of > 0) ||
        events->field_count - first >= CTF_EVENT_FIELDS)
        field.count = UINT16_MAX; /* and the event with it */
    events->fields[events->field_count++] = field;
}

void ctf_events_add(struct ctf_events *events, struct text_view name,
                    uint64_t id)
{
    unsigned first = first_new(events);
    bool is_known = id <= UINT16_MAX && events->count < CTF_EVENT_CAPACITY &&
                    events->field_count < CTF_FIELD_CAPACITY;

    for (unsigned i = first; i < events->field_count; i++)
        is_known &= events->fields[i].count != UINT16_MAX;
    if (is_known)
        events->items[events->count++] = (struct ctf_event){
            .id = (uint16_t)id,
            .first_field = (uint16_t)first,
            .field_count = (uint16_t)(events->field_count - first),
            .name = name,
        };
    else
        events->field_count = first;
}

const struct ctf_event *ctf_events_find(const struct ctf_events *events,
                                        uint16_t id)
{
    for (unsigned i = 0; i < events->count; i++) {
        if (events->items[i].id == id)
            return &events->items[i];
    }
    return NULL;
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
