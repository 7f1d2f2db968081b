/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata_reader.c - what a metadata file says of the stream beside it
 *
 * One pass over the tokens. What is not understood is stepped over, statement by
 * statement.
 */
#include "format/ctf_metadata_reader.h"

#include <string.h>

#include "format/ctf_packet.h"
#include "tally/zpl_event.h"

enum { THREAD_SWITCHED_IN = 0x11 }; /* the id of Zephyr's event */

struct reading {
    struct tsdl_types types;
    uint32_t header_bits, id_bits, time_bits; /* of an event's header */
    uint32_t packet_bits;                     /* of a packet's head */
    uint32_t context_bits;                    /* of its context: any stream's */
    uint32_t address_bits;                    /* of zpl_memory's address */
    bool has_magic, has_zpl, is_big_endian;
    uint64_t zpl_id;
    uint32_t zpl_bits; /* of its fields */
    uint64_t clock_offset, clock_seconds, clock_frequency;
    struct ctf_metadata_facts *facts;
};

static void take_header_field(void *context, const struct tsdl_field *field)
{
    struct reading *reading = context;

    if (ctf_text_is(field->name, "id"))
        reading->id_bits = field->bits;
    else if (ctf_text_is(field->name, "timestamp"))
        reading->time_bits = field->bits;
}

static void take_packet_field(void *context, const struct tsdl_field *field)
{
    struct reading *reading = context;

    if (ctf_text_is(field->name, "magic"))
        reading->has_magic = true;
}

/* X := TYPE; with `tell` for its fields. Not to be had: 0. */
static uint32_t read_assigned(struct reading *reading,
                              void (*tell)(void *context,
                                           const struct tsdl_field *field),
                              void *context)
{
    struct tsdl_field_listener listener = { tell, context };

    if (!tsdl_take(&reading->types.token, ":="))
        return 0;
    return tsdl_read_type(&reading->types, tell == NULL ? NULL : &listener);
}

/* To behind the next semicolon of a block, or to the block's end. */
static void end_statement(struct tsdl_token *token)
{
    while (token->kind != TSDL_END && !tsdl_is(token, ";") &&
           !tsdl_is(token, "}")) {
        if (tsdl_is(token, "{"))
            tsdl_skip_block(token);
        else
            tsdl_next(token);
    }
    tsdl_take(token, ";");
}

static void read_number(struct reading *reading, uint64_t *value)
{
    if (tsdl_take(&reading->types.token, "="))
        tsdl_number(&reading->types.token, value);
}

static void in_trace(struct reading *reading)
{
    struct tsdl_token *token = &reading->types.token;

    if (tsdl_take(token, "packet.header"))
        reading->packet_bits =
            read_assigned(reading, take_packet_field, reading);
    else if (tsdl_take(token, "byte_order") && tsdl_take(token, "="))
        reading->is_big_endian = !tsdl_is(token, "le");
}

static void in_stream(struct reading *reading)
{
    if (tsdl_take(&reading->types.token, "packet.context"))
        reading->context_bits = read_assigned(reading, NULL, NULL);
    else if (tsdl_take(&reading->types.token, "event.header"))
        reading->header_bits =
            read_assigned(reading, take_header_field, reading);
}

static void in_clock(struct reading *reading)
{
    if (tsdl_take(&reading->types.token, "freq"))
        read_number(reading, &reading->clock_frequency);
    else if (tsdl_take(&reading->types.token, "offset"))
        read_number(reading, &reading->clock_offset);
    else if (tsdl_take(&reading->types.token, "offset_s"))
        read_number(reading, &reading->clock_seconds);
}

static void in_environment(struct reading *reading)
{
    struct tsdl_token *token = &reading->types.token;

    if (tsdl_take(token, "program") && tsdl_take(token, "="))
        reading->facts->program = tsdl_text(token);
    else if (tsdl_take(token, "load_address"))
        read_number(reading, &reading->facts->load_address);
    else if (tsdl_take(token, "sample_interval"))
        read_number(reading, &reading->facts->sample_interval);
}

/* Statements of a block, up to its end. */
static void read_block(struct reading *reading,
                       void (*statement)(struct reading *reading))
{
    struct tsdl_token *token = &reading->types.token;

    tsdl_take(token, "{");
    while (token->kind != TSDL_END && !tsdl_take(token, "}")) {
        if (statement != NULL)
            statement(reading);
        end_statement(token);
    }
}

/* Of Zephyr, whose metadata do not know that ZPL is there. */
static void assume_zpl(struct reading *reading)
{
    reading->zpl_id = reading->time_bits == 64 ? ZPL_MEMORY_EVENT_ID_3
                                               : ZPL_MEMORY_EVENT_ID_1;
    reading->has_zpl = ctf_events_find(&reading->facts->others,
                                       (uint16_t)reading->zpl_id) == NULL;
    reading->address_bits = 32;
    reading->zpl_bits = 32 + 13 * 8;
}

static void take_zpl(struct reading *reading, uint64_t id, uint32_t bits)
{
    const struct ctf_events *events = &reading->facts->others;

    reading->has_zpl = true;
    reading->zpl_id = id;
    reading->zpl_bits = bits;
    for (unsigned i = 0; i < events->field_count; i++) {
        if (ctf_text_is(events->fields[i].name, "memory_addr"))
            reading->address_bits = events->fields[i].bytes * 8U;
    }
}

static void read_event(struct reading *reading)
{
    struct ctf_events *events = &reading->facts->others;
    struct tsdl_token *token = &reading->types.token;
    struct ctf_text name = { 0 };
    uint64_t id = 0;
    uint32_t bits = 0;

    tsdl_take(token, "{");
    while (token->kind != TSDL_END && !tsdl_take(token, "}")) {
        if (tsdl_take(token, "name") && tsdl_take(token, "="))
            name = tsdl_text(token);
        else if (tsdl_take(token, "id"))
            read_number(reading, &id);
        else if (tsdl_take(token, "fields"))
            bits = read_assigned(reading, ctf_events_take, events);
        end_statement(token);
    }
    if (ctf_text_is(name, "zpl_memory")) {
        take_zpl(reading, id, bits);
        id = UINT64_MAX;
    }
    ctf_events_add(events, name, id);
}

static void read_declaration(struct reading *reading)
{
    struct tsdl_token *token = &reading->types.token;
    bool is_typedef = tsdl_is(token, "typedef");
    uint32_t bits;

    tsdl_next(token);
    bits = tsdl_read_type(&reading->types, NULL);
    if (is_typedef || tsdl_take(token, ":="))
        tsdl_declare(&reading->types, tsdl_text(token), bits, NULL);
    end_statement(token);
}

static void read_all(struct reading *reading)
{
    struct tsdl_token *token = &reading->types.token;

    while (token->kind != TSDL_END) {
        if (tsdl_is(token, "typealias") || tsdl_is(token, "typedef"))
            read_declaration(reading);
        else if (tsdl_is(token, "struct") || tsdl_is(token, "enum"))
            tsdl_read_type(&reading->types, NULL);
        else if (tsdl_take(token, "trace"))
            read_block(reading, in_trace);
        else if (tsdl_take(token, "stream"))
            read_block(reading, in_stream);
        else if (tsdl_take(token, "clock"))
            read_block(reading, in_clock);
        else if (tsdl_take(token, "env"))
            read_block(reading, in_environment);
        else if (tsdl_take(token, "event"))
            read_event(reading);
        else if (tsdl_is(token, "{"))
            tsdl_skip_block(token);
        else
            tsdl_next(token);
    }
}

/* False when it is none that a reader knows. */
static bool find_layout(const struct reading *reading,
                        struct ctf_layout *layout)
{
    *layout = (struct ctf_layout){
        .address_bytes = (uint8_t)(reading->address_bits / 8),
        .has_packets = reading->has_magic,
    };
    if (reading->id_bits == 8 && reading->time_bits == 32)
        layout->version = 1;
    else if (reading->id_bits == 16 && reading->time_bits == 32)
        layout->version = 2;
    else if (reading->id_bits == 16 && reading->time_bits == 64)
        layout->version = 3;
    else
        return false;
    if (reading->is_big_endian)
        return false;
    if (layout->version == 3 || layout->has_packets
            ? reading->packet_bits + reading->context_bits !=
                  (layout->version == 3 ? 32 : CTF_PACKET_HEAD * 8)
            : reading->packet_bits + reading->context_bits != 0)
        return false;
    return (reading->address_bits == 32 || reading->address_bits == 64) &&
           reading->zpl_bits == reading->address_bits + 13 * 8 &&
           reading->zpl_id == (layout->version == 3 ? ZPL_MEMORY_EVENT_ID_3
                                                    : ZPL_MEMORY_EVENT_ID_1);
}

bool ctf_metadata_read(const char *text, size_t size,
                       struct ctf_metadata_facts *facts)
{
    struct reading reading = {
        .types = { .token = tsdl_begin(text, size) },
        .facts = facts,
    };

    memset(facts, 0, sizeof *facts);
    read_all(&reading);
    if (!reading.has_zpl &&
        ctf_events_find(&facts->others, THREAD_SWITCHED_IN) != NULL)
        assume_zpl(&reading);
    if (!reading.has_zpl || !find_layout(&reading, &facts->layout))
        return false;
    if (reading.clock_frequency == 0 ||
        reading.clock_frequency == UINT64_C(1000000000))
        facts->clock_zero_ns =
            reading.clock_offset + reading.clock_seconds * UINT64_C(1000000000);
    return true;
}

/* Whether it is a name's key, thread_77 or region_0x1000. */
static bool read_key(const struct tsdl_token *token, enum ctf_named *what,
                     uint64_t *number)
{
    static const char prefixes[][8] = { "thread_", "region_" };
    enum { LENGTH = sizeof prefixes[0] - 1 };
    struct tsdl_token digits = *token;

    if (token->kind != TSDL_WORD || token->length <= LENGTH)
        return false;
    *what = memcmp(token->start, prefixes[0], LENGTH) == 0 ? CTF_NAMED_THREAD
                                                           : CTF_NAMED_REGION;
    digits.start += LENGTH;
    digits.length -= LENGTH;
    return memcmp(token->start, prefixes[*what], LENGTH) == 0 &&
           tsdl_number(&digits, number) &&
           (*what == CTF_NAMED_REGION || *number <= UINT32_MAX);
}

int ctf_metadata_next_name(const char *text, size_t size, size_t *position,
                           enum ctf_named *what, uint64_t *number,
                           struct ctf_text *name)
{
    struct tsdl_token token = tsdl_begin(text + *position, size - *position);

    while (token.kind != TSDL_END) {
        bool is_key = read_key(&token, what, number);

        tsdl_next(&token);
        if (!is_key || !tsdl_take(&token, "=") || token.kind != TSDL_STRING)
            continue;
        *name = tsdl_text(&token);
        *position = (size_t)(token.next - text);
        return 1;
    }
    *position = size;
    return 0;
}
