/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata_reader.c - what a metadata file says of the stream beside it
 *
 * One pass over the tokens. What is not understood is stepped over, statement
 * by statement.
 */
#include "format/ctf/ctf_metadata_reader.h"

#include <string.h>

#include "format/ctf/ctf_packet.h"
#include "tally/zpl_event.h"

enum { THREAD_SWITCHED_IN = 0x11 }; /* the id of Zephyr's event */

enum { MOST_TOLD = 8, SECOND = 1000000000 };

/* The fields of a struct, in their order; more than MOST_TOLD are counted. */
struct told {
    struct tsdl_field fields[MOST_TOLD];
    unsigned count;
    uint32_t bits;
    struct ctf_events *events; /* to which they go, too; or NULL */
};

enum part { PACKET_HEADER, PACKET_CONTEXT, EVENT_HEADER, ZPL_FIELDS, PARTS };

struct reading {
    struct tsdl_types types;
    struct told parts[PARTS];
    bool has_zpl, is_strange; /* something is there that is not understood */
    uint64_t zpl_id;
    uint64_t clock_offset, clock_seconds;
    unsigned clocks;
    struct ctf_metadata_facts *facts;
};

static void keep_field(void *context, const struct tsdl_field *field)
{
    struct told *told = context;

    if (told->count < MOST_TOLD)
        told->fields[told->count] = *field;
    told->count++;
    if (told->events != NULL)
        ctf_events_take(told->events, field);
}

/* := TYPE, and its fields. */
static void read_assigned(struct reading *reading, struct told *told)
{
    struct tsdl_field_listener listener = { keep_field, told };

    told->count = 0;
    if (tsdl_take(&reading->types.token, ":="))
        told->bits = tsdl_read_type(&reading->types, &listener);
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
        read_assigned(reading, &reading->parts[PACKET_HEADER]);
    else if (tsdl_take(token, "byte_order") && tsdl_take(token, "="))
        reading->is_strange |= !tsdl_is(token, "le");
}

static void in_stream(struct reading *reading)
{
    if (tsdl_take(&reading->types.token, "packet.context"))
        read_assigned(reading, &reading->parts[PACKET_CONTEXT]);
    else if (tsdl_take(&reading->types.token, "event.header"))
        read_assigned(reading, &reading->parts[EVENT_HEADER]);
    else if (tsdl_take(&reading->types.token, "event.context"))
        reading->is_strange = true;
}

static void in_clock(struct reading *reading)
{
    if (tsdl_take(&reading->types.token, "freq"))
        read_number(reading, &reading->facts->clock_hertz);
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

static void read_event(struct reading *reading)
{
    struct ctf_events *events = &reading->facts->others;
    struct tsdl_token *token = &reading->types.token;
    struct told told = { .events = events };
    struct text_view name = { 0 };
    bool is_left_out = false;
    uint64_t id = 0;

    tsdl_take(token, "{");
    while (token->kind != TSDL_END && !tsdl_take(token, "}")) {
        if (tsdl_take(token, "name") && tsdl_take(token, "="))
            name = tsdl_text(token);
        else if (tsdl_take(token, "id"))
            read_number(reading, &id);
        else if (tsdl_take(token, "fields"))
            read_assigned(reading, &told);
        else if (tsdl_take(token, "context"))
            is_left_out = true;
        end_statement(token);
    }
    if (text_is(name, "zpl_memory")) {
        reading->has_zpl = true;
        reading->zpl_id = id;
        reading->parts[ZPL_FIELDS] = told;
        reading->is_strange |= is_left_out;
        is_left_out = true;
    }
    ctf_events_add(events, name, is_left_out ? UINT64_MAX : id);
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
        else if (tsdl_take(token, "clock") && ++reading->clocks > 0)
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

/* Whether an enum's labels have the values that they have in
   zpl_memory_region. */
static bool are_regions(struct tsdl_token token)
{
#define LABEL(name, value, text) #name,
    static const char *const names[] = { ZPL_MEMORY_REGION_LIST(LABEL) };
    uint64_t value = 0;

    tsdl_take(&token, "{");
    for (; token.kind != TSDL_END && !tsdl_is(&token, "}"); value++) {
        struct text_view label = tsdl_text(&token);

        tsdl_next(&token);
        if (tsdl_take(&token, "=")) {
            if (!tsdl_number(&token, &value))
                return false;
            tsdl_next(&token);
        }
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (text_is(label, names[i]) != (value == i))
                return false;
        }
        if (!tsdl_take(&token, ",") && !tsdl_is(&token, "}"))
            return false;
    }
    return true;
}

static bool is_same(const struct told *told, const struct told *wanted,
                    const char *end)
{
    bool is_same = told->count == wanted->count && told->bits == wanted->bits;

    for (unsigned i = 0; is_same && i < wanted->count; i++) {
        const struct tsdl_field *field = &told->fields[i];
        const struct tsdl_field *other = &wanted->fields[i];

        is_same = field->bits == other->bits &&
                  text_is_same(field->name, other->name) &&
                  (field->labels == NULL || other->labels == NULL ||
                   field->labels == other->labels ||
                   are_regions(tsdl_begin(field->labels,
                                          (size_t)(end - field->labels))));
    }
    return is_same;
}

/* Whether it is as Tally itself describes that layout. */
static bool is_layout(struct reading *reading, const struct ctf_layout *layout)
{
    const struct ctf_surroundings nothing = { 0 };
    struct ctf_metadata_facts facts = { 0 };
    struct reading own = { .facts = &facts };
    char text[CTF_METADATA_CAPACITY];
    bool is_known = true;

    own.types.token = tsdl_begin(
        text, ctf_metadata_write(text, sizeof text, layout, &nothing));
    read_all(&own);
    if (!reading->has_zpl) {
        /* Zephyr's metadata do not know that ZPL is there. */
        reading->parts[ZPL_FIELDS] = own.parts[ZPL_FIELDS];
        reading->zpl_id = own.zpl_id;
        is_known = ctf_events_find(&reading->facts->others,
                                   (uint16_t)own.zpl_id) == NULL;
    }
    for (unsigned i = 0; i < PARTS; i++)
        is_known &= is_same(&reading->parts[i], &own.parts[i],
                            reading->types.token.end);
    return is_known && reading->zpl_id == own.zpl_id;
}

/* False when it is none that a reader knows. */
static bool find_layout(struct reading *reading)
{
    struct ctf_layout *layout = &reading->facts->layout;

    if (!reading->has_zpl &&
        ctf_events_find(&reading->facts->others, THREAD_SWITCHED_IN) == NULL)
        return false;
    for (unsigned i = 0; i < 12; i++) {
        *layout = (struct ctf_layout){ (uint8_t)(1 + i / 4), i % 4 < 2 ? 4 : 8,
                                       i % 2 > 0 };
        if (is_layout(reading, layout))
            return true;
    }
    return false;
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
    if (facts->clock_hertz == 0)
        facts->clock_hertz = SECOND;
    if (facts->clock_hertz == SECOND)
        facts->clock_zero_ns =
            reading.clock_offset + reading.clock_seconds * SECOND;
    return !reading.is_strange && reading.clocks <= 1 &&
           facts->clock_hertz <= SECOND && find_layout(&reading);
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
                           struct text_view *name)
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
