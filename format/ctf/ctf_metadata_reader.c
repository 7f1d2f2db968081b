/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata_reader.c - read the metadata of a CTF stream, in one pass
 *
 * This file is long because one recursive descent reads tokens, types, streams.
 */
#include "format/ctf/ctf_input.h"

enum token_kind {
    TSDL_END,
    TSDL_WORD,   /* a name with dots, such as packet.header, or a number */
    TSDL_STRING, /* text between the quotes, verbatim */
    TSDL_SIGN,
};

/* Position in the text; `text` is the current token. */
struct token {
    const char *next, *end; /* rest of the text */
    struct text_view text;
    enum token_kind kind;
};

static bool is_word(char letter)
{
    return ((letter | 32) >= 'a' && (letter | 32) <= 'z') ||
           (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
}

/* Return the end of a comment that the text begins with, or the text itself. */
static const char *behind_comment(struct cursor text)
{
    const char *closing = cursor_text(&text, "//")   ? "\n"
                          : cursor_text(&text, "/*") ? "*/"
                                                     : "";

    if (*closing != '\0')
        text.next = text_find(text.next, text.end, closing);
    cursor_text(&text, closing);
    return text.next;
}

static void skip_space(struct token *token)
{
    for (const char *before = NULL; before != token->next;) {
        before = token->next;
        while (token->next < token->end && (unsigned char)*token->next <= ' ')
            token->next++;
        token->next =
            behind_comment((struct cursor){ token->next, token->end });
    }
}

static void read_string(struct token *token)
{
    token->kind = TSDL_STRING;
    token->text.bytes = ++token->next;
    while (token->next < token->end && *token->next != '"') {
        if (*token->next == '\\' && token->end - token->next > 1)
            token->next++;
        token->next++;
    }
    token->text.length = (size_t)(token->next - token->text.bytes);
    if (token->next < token->end)
        token->next++;
}

static void next_token(struct token *token)
{
    skip_space(token);
    token->text.bytes = token->next;
    token->text.length = 0;
    token->kind = TSDL_END;
    if (token->next == token->end)
        return;
    if (*token->next == '"') {
        read_string(token);
        return;
    }
    if (is_word(*token->next)) {
        token->kind = TSDL_WORD;
        while (token->next < token->end && is_word(*token->next))
            token->next++;
    } else {
        token->kind = TSDL_SIGN;
        if (*token->next++ == ':' && token->next < token->end &&
            *token->next == '=')
            token->next++;
    }
    token->text.length = (size_t)(token->next - token->text.bytes);
}

static struct token begin(const char *text, size_t size)
{
    struct token token = { .next = text, .end = text + size };

    next_token(&token);
    return token;
}

static bool is(const struct token *token, const char *text)
{
    return token->kind != TSDL_END && token->kind != TSDL_STRING &&
           text_is(token->text, text);
}

static bool take(struct token *token, const char *text)
{
    if (!is(token, text))
        return false;
    next_token(token);
    return true;
}

static bool number_of(const struct token *token, uint64_t *value)
{
    struct cursor digits = cursor_over(token->text);
    unsigned base = 10;

    if (token->text.length > 2 &&
        (cursor_text(&digits, "0x") || cursor_text(&digits, "0X")))
        base = 16;
    else if (token->text.length > 1 && cursor_byte(&digits, '0'))
        base = 8;
    *value = 0;
    return cursor_number(&digits, base, value) && digits.next == digits.end;
}

static void skip_block(struct token *token)
{
    unsigned depth = 0;

    do {
        if (token->kind == TSDL_SIGN && is(token, "{"))
            depth++;
        else if (token->kind == TSDL_SIGN && is(token, "}"))
            depth--;
        next_token(token);
    } while (depth > 0 && token->kind != TSDL_END);
}

enum {
    TSDL_ALIAS_CAPACITY = 128, /* named types; further ones are ignored */
    TSDL_NOT_FIXED = 1 << 20,  /* size in bits of a type of variable size */
};

struct alias {
    struct text_view name;
    uint32_t bits;
    enum tsdl_value value;
    const char *labels; /* as in struct types */
    const char *body;   /* of a struct: start of its fields */
};

struct types {
    struct token token;
    struct alias aliases[TSDL_ALIAS_CAPACITY];
    unsigned alias_count;
    unsigned depth;
    enum tsdl_value value; /* of the type read last */
    const char *labels;    /* ... if it is an enum: start of its labels */
};

/* Field of a struct: `count` items, or as many as another field says. */
struct field {
    struct text_view name;
    uint32_t bits; /* size of an item */
    enum tsdl_value value;
    const char *labels; /* labels of an enum, or NULL */
    uint64_t count;
    struct text_view length; /* name of the field with the count; empty: none */
};

enum { MOST_FIELDS = 16, LARGEST_SHAPE = 256, SECOND = 1000000000 };

/* Fields of a struct, in order; those beyond MOST_FIELDS are only counted. */
struct field_list {
    struct field fields[MOST_FIELDS];
    unsigned count;
    uint32_t bits;
    struct ctf_event_list *events; /* also receives the fields; or NULL */
};

/* Return 1 + the index of the field `name`, from `first` on, or 0. */
static uint8_t find_length(const struct ctf_event_list *events, unsigned first,
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

static unsigned first_new(const struct ctf_event_list *events)
{
    const struct ctf_event *end = &events->items[events->count];

    return events->count == 0 ? 0 : end[-1].first_field + end[-1].field_count;
}

/* Keep a field of an event under construction; a field of unknown type drops
   the event. */
static void take_field(struct ctf_event_list *events,
                       const struct field *declared)
{
    unsigned first = first_new(events);
    bool is_text = declared->value == TSDL_TEXT && declared->length.length == 0;
    uint32_t bits = is_text ? 0 : declared->bits;
    struct ctf_field field = {
        .name = declared->name,
        .bytes = (uint16_t)(bits / 8),
        .count = (uint16_t)declared->count,
        .value = (uint8_t)(is_text ? TSDL_LETTER : declared->value),
        .length_of = find_length(events, first, declared->length),
    };

    if (events->field_count == CTF_FIELD_CAPACITY)
        return;
    if (bits % 8 != 0 || bits > CTF_EVENT_LIMIT * 8 ||
        declared->count > (is_text ? 1 : CTF_EVENT_LIMIT) ||
        (declared->length.length > 0) != (field.length_of > 0) ||
        events->field_count - first >= CTF_EVENT_FIELDS)
        field.count = UINT16_MAX; /* ... and drop the event */
    events->fields[events->field_count++] = field;
}

/* Add an event with the fields kept since the last one. */
static void add_event(struct ctf_event_list *events, struct text_view name,
                      uint64_t stream_id, uint64_t id)
{
    unsigned first = first_new(events);
    bool is_known = (id | stream_id) <= UINT16_MAX &&
                    events->count < CTF_EVENT_CAPACITY &&
                    events->field_count < CTF_FIELD_CAPACITY;

    for (unsigned i = first; i < events->field_count; i++)
        is_known &= events->fields[i].count != UINT16_MAX;
    if (is_known)
        events->items[events->count++] =
            (struct ctf_event){ (uint16_t)id, (uint16_t)stream_id,
                                (uint16_t)first,
                                (uint16_t)(events->field_count - first), name };
    else
        events->field_count = first;
}

enum { DEEPEST = 8 }; /* nesting of structs */

static void declare(struct types *types, struct text_view name, uint32_t bits,
                    const char *body)
{
    if (types->alias_count < TSDL_ALIAS_CAPACITY && name.length > 0)
        types->aliases[types->alias_count++] =
            (struct alias){ name, bits, types->value, types->labels, body };
}

static const struct alias *find(const struct types *types,
                                struct text_view name)
{
    for (unsigned i = types->alias_count; i-- > 0;) {
        const struct alias *alias = &types->aliases[i];

        if (text_is_same(alias->name, name))
            return alias;
    }
    return NULL;
}

static uint32_t bits_of(struct types *types, struct text_view name)
{
    const struct alias *alias = find(types, name);

    types->value = alias == NULL ? TSDL_BYTES : alias->value;
    types->labels = alias == NULL ? NULL : alias->labels;
    return alias == NULL ? TSDL_NOT_FIXED : alias->bits;
}

static uint32_t add_bits(uint32_t sum, uint32_t bits, uint64_t count)
{
    if (sum >= TSDL_NOT_FIXED || bits >= TSDL_NOT_FIXED ||
        count >= TSDL_NOT_FIXED || sum + bits * count >= TSDL_NOT_FIXED)
        return TSDL_NOT_FIXED;
    return (uint32_t)(sum + bits * count);
}

static bool ends_in(struct text_view text, const char ending[4])
{
    return text.length >= 4 &&
           memcmp(text.bytes + text.length - 4, ending, 4) == 0;
}

/* Read `{ size = 32; ... }`; return the sum of all values whose name ends in
   `name`. Attributes of layout are checked as well. */
static uint32_t read_attribute(struct types *types, const char name[4])
{
    struct token *token = &types->token;
    uint32_t sum = 0;

    if (!take(token, "{"))
        return TSDL_NOT_FIXED;
    while (token->kind != TSDL_END && !is(token, "}")) {
        struct token key = *token;
        uint64_t value;

        next_token(token);
        if (!take(token, "="))
            continue;
        if (ends_in(key.text, name) && number_of(token, &value))
            sum = add_bits(sum, 1, value);
        else if ((is(&key, "align") && number_of(token, &value) && value > 8) ||
                 (is(&key, "byte_order") &&
                  (is(token, "be") || is(token, "network"))))
            sum = TSDL_NOT_FIXED;
        else if (is(&key, "signed") && (is(token, "true") || is(token, "1")))
            types->value = TSDL_SIGNED;
        else if (is(&key, "encoding") && !is(token, "none"))
            types->value = TSDL_LETTER;
    }
    take(token, "}");
    return sum;
}

static uint32_t read_type(struct types *types, struct field_list *list);

/* Read `{ TYPE NAME[COUNT]; ... }`; an `align` after it is ignored. */
static uint32_t read_fields(struct types *types, struct field_list *list)
{
    struct token *token = &types->token;
    uint32_t sum = 0;

    if (++types->depth > DEEPEST) {
        types->depth--;
        skip_block(token);
        return TSDL_NOT_FIXED;
    }
    take(token, "{");
    while (token->kind != TSDL_END && !take(token, "}")) {
        struct field field = { .count = 1 };

        field.bits = read_type(types, NULL);
        field.value = types->value;
        field.labels = types->labels;
        field.name = token->text;
        if (token->kind == TSDL_WORD)
            next_token(token);
        while (take(token, "[")) {
            uint64_t more;

            if (token->kind == TSDL_WORD && !number_of(token, &more) &&
                field.length.length == 0)
                field.length = token->text;
            else if (!number_of(token, &more) ||
                     __builtin_mul_overflow(field.count, more, &field.count))
                field.bits = TSDL_NOT_FIXED;
            next_token(token);
            take(token, "]");
        }
        if (!is(token, ";"))
            field.bits = TSDL_NOT_FIXED;
        while (token->kind != TSDL_END && !is(token, ";") && !is(token, "}"))
            next_token(token);
        take(token, ";");
        if (list != NULL && list->count++ < MOST_FIELDS)
            list->fields[list->count - 1] = field;
        if (list != NULL && list->events != NULL)
            take_field(list->events, &field);
        sum = field.length.length > 0 ? TSDL_NOT_FIXED
                                      : add_bits(sum, field.bits, field.count);
    }
    types->depth--;
    return sum;
}

static uint32_t read_enum(struct types *types)
{
    struct token *token = &types->token;
    struct text_view name = { 0 };
    uint32_t bits;

    if (token->kind == TSDL_WORD) {
        name = token->text;
        next_token(token);
    }
    if (!take(token, ":"))
        bits = is(token, "{") ? 32 : bits_of(types, name);
    else
        bits = read_type(types, NULL);
    if (is(token, "{")) {
        types->labels = token->text.bytes;
        skip_block(token);
        declare(types, name, bits, NULL);
    }
    return bits;
}

static uint32_t read_struct(struct types *types, struct field_list *list)
{
    struct token *token = &types->token;
    struct text_view name = { 0 };
    const struct alias *alias;
    const char *body;
    uint32_t bits;

    if (token->kind == TSDL_WORD) {
        name = token->text;
        next_token(token);
    }
    body = token->text.bytes;
    if (is(token, "{")) {
        bits = read_fields(types, list);
        types->value = TSDL_BYTES;
        types->labels = NULL;
        declare(types, name, bits, body);
        return bits;
    }
    alias = find(types, name);
    if (alias != NULL && alias->body != NULL && list != NULL) {
        /* Now the fields are wanted: read them again. */
        struct token behind = *token;

        *token = begin(alias->body, (size_t)(token->end - alias->body));
        read_fields(types, list);
        *token = behind;
    }
    return alias == NULL ? TSDL_NOT_FIXED : alias->bits;
}

/* Read a type, up to the token after it. Names may have several words. */
static uint32_t read_type(struct types *types, struct field_list *list)
{
    struct token *token = &types->token;
    uint32_t bits;

    types->value = TSDL_UNSIGNED;
    types->labels = NULL;
    take(token, "const");
    if (take(token, "struct"))
        return read_struct(types, list);
    if (take(token, "enum"))
        return read_enum(types);
    if (take(token, "integer"))
        return read_attribute(types, "size");
    if (take(token, "floating_point")) {
        bits = read_attribute(types, "_dig");
        types->value = TSDL_FLOAT;
        return bits;
    }
    if (take(token, "string")) {
        types->value = TSDL_TEXT;
        if (is(token, "{"))
            skip_block(token);
        return TSDL_NOT_FIXED;
    }
    if (is(token, "variant") || token->kind != TSDL_WORD) {
        types->value = TSDL_BYTES;
        next_token(token);
        return TSDL_NOT_FIXED;
    }
    bits = bits_of(types, token->text);
    next_token(token);
    return bits;
}

enum { THREAD_SWITCHED_IN = 0x11 }; /* id of Zephyr's event */

enum part { PACKET_HEADER, PACKET_CONTEXT, EVENT_HEADER, ZPL_FIELDS, PARTS };

struct metadata_reader {
    struct types types;
    struct field_list parts[PARTS];
    bool has_zpl, is_strange; /* is_strange: something is unsupported */
    uint64_t zpl_id;
    unsigned clocks;
    struct ctf_metadata_facts *facts;
};

/* Read `:= TYPE` with its fields. */
static void read_assigned(struct metadata_reader *reader,
                          struct field_list *list)
{
    list->count = 0;
    if (take(&reader->types.token, ":="))
        list->bits = read_type(&reader->types, list);
}

/* Skip past the next semicolon, or to the end of the block. */
static void end_statement(struct token *token)
{
    while (token->kind != TSDL_END && !is(token, ";") && !is(token, "}")) {
        if (is(token, "{"))
            skip_block(token);
        else
            next_token(token);
    }
    take(token, ";");
}

static void read_number(struct metadata_reader *reader, uint64_t *value)
{
    if (take(&reader->types.token, "="))
        number_of(&reader->types.token, value);
}

static void in_trace(struct metadata_reader *reader)
{
    struct token *token = &reader->types.token;

    if (take(token, "packet.header"))
        read_assigned(reader, &reader->parts[PACKET_HEADER]);
    else if (take(token, "byte_order") && take(token, "="))
        reader->is_strange |= !is(token, "le");
}

static void in_stream(struct metadata_reader *reader)
{
    if (take(&reader->types.token, "packet.context"))
        read_assigned(reader, &reader->parts[PACKET_CONTEXT]);
    else if (take(&reader->types.token, "event.header"))
        read_assigned(reader, &reader->parts[EVENT_HEADER]);
    else if (take(&reader->types.token, "event.context"))
        reader->is_strange = true;
}

static void in_clock(struct metadata_reader *reader)
{
    if (take(&reader->types.token, "freq"))
        read_number(reader, &reader->facts->clock_hertz);
}

static void in_environment(struct metadata_reader *reader)
{
    struct token *token = &reader->types.token;

    if (take(token, "program") && take(token, "="))
        reader->facts->program = token->text;
    else if (take(token, "load_address"))
        read_number(reader, &reader->facts->load_address);
    else if (take(token, "sample_interval"))
        read_number(reader, &reader->facts->sample_interval);
}

/* Read the statements of a block, up to its end. */
static void read_block(struct metadata_reader *reader,
                       void (*statement)(struct metadata_reader *reader))
{
    struct token *token = &reader->types.token;

    take(token, "{");
    while (token->kind != TSDL_END && !take(token, "}")) {
        statement(reader);
        end_statement(token);
    }
}

static void read_event(struct metadata_reader *reader)
{
    struct ctf_event_list *events = &reader->facts->declared;
    struct token *token = &reader->types.token;
    struct field_list list = { .events = events };
    struct text_view name = { 0 };
    bool is_left_out = false;
    uint64_t id = 0, stream_id = 0;

    take(token, "{");
    while (token->kind != TSDL_END && !take(token, "}")) {
        if (take(token, "name") && take(token, "="))
            name = token->text;
        else if (take(token, "id"))
            read_number(reader, &id);
        else if (take(token, "stream_id"))
            read_number(reader, &stream_id);
        else if (take(token, "fields"))
            read_assigned(reader, &list);
        else if (take(token, "context"))
            is_left_out = true;
        end_statement(token);
    }
    if (text_is(name, "zpl_memory")) {
        reader->has_zpl = true;
        reader->zpl_id = id;
        reader->parts[ZPL_FIELDS] = list;
        reader->is_strange |= is_left_out;
        is_left_out = true;
    }
    add_event(events, name, stream_id, is_left_out ? UINT64_MAX : id);
}

static void read_declaration(struct metadata_reader *reader)
{
    struct token *token = &reader->types.token;
    bool is_typedef = is(token, "typedef");
    uint32_t bits;

    next_token(token);
    bits = read_type(&reader->types, NULL);
    if (is_typedef || take(token, ":="))
        declare(&reader->types, token->text, bits, NULL);
    end_statement(token);
}

static void read_all(struct metadata_reader *reader)
{
    struct token *token = &reader->types.token;

    while (token->kind != TSDL_END) {
        if (is(token, "typealias") || is(token, "typedef"))
            read_declaration(reader);
        else if (is(token, "struct") || is(token, "enum"))
            read_type(&reader->types, NULL);
        else if (take(token, "trace"))
            read_block(reader, in_trace);
        else if (take(token, "stream"))
            read_block(reader, in_stream);
        else if (take(token, "clock") && ++reader->clocks > 0)
            read_block(reader, in_clock);
        else if (take(token, "env"))
            read_block(reader, in_environment);
        else if (take(token, "event"))
            read_event(reader);
        else if (is(token, "{"))
            skip_block(token);
        else
            next_token(token);
    }
}

/* Return true if the enum's labels have the values of zpl_memory_region. */
static bool are_regions(struct token token)
{
#define LABEL(name, value, text) #name,
    static const char *const names[] = { ZPL_MEMORY_REGION_LIST(LABEL) };
    uint64_t value = 0;

    take(&token, "{");
    for (; token.kind != TSDL_END && !is(&token, "}"); value++) {
        struct text_view label = token.text;

        next_token(&token);
        if (take(&token, "=")) {
            if (!number_of(&token, &value))
                return false;
            next_token(&token);
        }
        for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (text_is(label, names[i]) != (value == i))
                return false;
        }
        if (!take(&token, ",") && !is(&token, "}"))
            return false;
    }
    return true;
}

/* Find a field of integers by its name, in a struct that begins at `at`. */
static bool find_place(const struct metadata_reader *reader, enum part part,
                       uint64_t start, const char *name,
                       struct zpl_field *place)
{
    const struct field_list *list = &reader->parts[part];
    const struct field *field = list->fields, *end = field + list->count;
    uint64_t bits = start * 8;

    for (; field < end && !text_is(field->name, name); field++)
        bits += field->bits * field->count;
    if (field == end || bits % 8 != 0 || field->value > TSDL_SIGNED)
        return false;
    *place =
        (struct zpl_field){ (uint16_t)(bits / 8), (uint16_t)(field->bits / 8) };
    return field->count == 1 &&
           (field->bits == 8 || field->bits == 16 || field->bits == 32 ||
            field->bits == 64) &&
           (field->labels == NULL ||
            are_regions(begin(field->labels, (size_t)(reader->types.token.end -
                                                      field->labels))));
}

/* Take the event as it is declared, in a struct that begins at `start`. */
static bool take_shape(struct metadata_reader *reader, uint32_t start)
{
    const struct field_list *fields = &reader->parts[ZPL_FIELDS];
    uint32_t head = start + reader->parts[EVENT_HEADER].bits / 8;
    struct zpl_shape *shape = &reader->facts->shape;

    if (head > LARGEST_SHAPE || fields->bits > LARGEST_SHAPE * 8 ||
        fields->count > MOST_FIELDS ||
        reader->parts[EVENT_HEADER].count > MOST_FIELDS)
        return false;
    *shape = (struct zpl_shape){
        .head = (uint16_t)head,
        .bytes = (uint16_t)(head + fields->bits / 8),
        .event_id = (uint16_t)reader->zpl_id,
    };
#define FIND(kind, name, before, behind) \
    find_place(reader, ZPL_FIELDS, head, #name, &shape->name) &&
    return ZPL_MEMORY_PAYLOAD_LIST(FIND)
               find_place(reader, EVENT_HEADER, start, "id", &shape->id) &&
           find_place(reader, EVENT_HEADER, start, "timestamp",
                      &shape->timestamp) &&
           shape->timestamp.bytes >= 4 && reader->zpl_id <= UINT16_MAX;
}

/* Zephyr's metadata do not mention ZPL: assume its event, at its id. */
static bool assume_event(struct metadata_reader *reader, bool has_envelope)
{
    static const uint32_t header_bits[] = { 40, 48, 80, 80 };
    const struct ctf_events *others = &reader->facts->others;
    uint32_t bits = reader->parts[EVENT_HEADER].bits;
    unsigned number = has_envelope ? 2 : bits == 80 ? 3 : bits == 48;
    struct ctf_layout layout = zpl_natural_layout(2 * number);

    reader->facts->layout = layout;
    return bits == header_bits[number] &&
           ctf_events_find(others, 0, zpl_memory_id(&layout)) == NULL &&
           ctf_events_find(others, 0, THREAD_SWITCHED_IN) != NULL;
}

/* Find the layout; return false if it is unknown. */
static bool find_layout(struct metadata_reader *reader)
{
    struct ctf_metadata_facts *facts = reader->facts;
    uint32_t header = reader->parts[PACKET_HEADER].bits;
    uint32_t context = reader->parts[PACKET_CONTEXT].bits;
    bool has_envelope = header == 16 && context == 16; /* layout 3 */
    bool has_packets = header == 64 && context == 256;

    if (header + context > 0 && !has_envelope && !has_packets)
        return false;
    if (!reader->has_zpl)
        return !has_packets && assume_event(reader, has_envelope);
    if (!take_shape(reader, has_envelope ? 4 : 0))
        return false;
    facts->layout = zpl_layout_of_shape(&facts->shape, has_envelope ? 3 : 1);
    facts->layout.has_packets = has_packets;
    return facts->layout.shape == NULL || !has_packets;
}

bool ctf_metadata_read(const char *text, size_t size,
                       struct ctf_metadata_facts *facts)
{
    struct metadata_reader reader = {
        .types = { .token = begin(text, size) },
        .facts = facts,
    };

    memset(facts, 0, sizeof *facts);
    read_all(&reader);
    facts->others =
        ctf_events_of(&facts->declared, reader.parts[PACKET_HEADER].bits == 16);
    if (facts->clock_hertz == 0)
        facts->clock_hertz = SECOND;
    return !reader.is_strange && reader.clocks <= 1 &&
           facts->clock_hertz <= SECOND && find_layout(&reader);
}

/* Parse the key of a name: thread_77 or region_0x1000. */
static bool read_key(const struct token *token, enum ctf_named *what,
                     uint64_t *number)
{
    static const char prefixes[][8] = { "thread_", "region_" };
    enum { LENGTH = sizeof prefixes[0] - 1 };
    struct token digits = *token;

    if (token->kind != TSDL_WORD || token->text.length <= LENGTH)
        return false;
    *what = memcmp(token->text.bytes, prefixes[0], LENGTH) == 0
                ? CTF_NAMED_THREAD
                : CTF_NAMED_REGION;
    digits.text.bytes += LENGTH;
    digits.text.length -= LENGTH;
    return memcmp(token->text.bytes, prefixes[*what], LENGTH) == 0 &&
           number_of(&digits, number) &&
           (*what == CTF_NAMED_REGION || *number <= UINT32_MAX);
}

int ctf_metadata_next_name(const char *text, size_t size, size_t *position,
                           enum ctf_named *what, uint64_t *number,
                           struct text_view *name)
{
    for (struct token token = begin(text + *position, size - *position);
         token.kind != TSDL_END;) {
        bool is_key = read_key(&token, what, number);

        next_token(&token);
        if (!is_key || !take(&token, "=") || token.kind != TSDL_STRING)
            continue;
        *name = token.text;
        *position = (size_t)(token.next - text);
        return 1;
    }
    *position = size;
    return 0;
}
