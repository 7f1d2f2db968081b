/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata.c - what tells CTF readers how the stream beside it lies
 *
 * Every field comes from the lists that also make the bytes. The specification
 * is CTF 1.8.3, section 7 (TSDL).
 */
#include "format/ctf_metadata.h"

#include "format/ctf_packet.h"
#include "tally/zpl_event.h"

struct text {
    char *out;
    size_t capacity;
    size_t length; /* also of what was left out */
};

static void put(struct text *text, const char *piece)
{
    for (; *piece != '\0'; piece++) {
        if (text->length < text->capacity)
            text->out[text->length] = *piece;
        text->length++;
    }
}

/* The value's decimal digits. */
static void put_number(struct text *text, uint32_t value)
{
    char digits[11] = { 0 };
    size_t first = sizeof digits - 1;

    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    put(text, digits + first);
}

static void put_hexadecimal(struct text *text, uint64_t value)
{
    put(text, "0x");
    for (unsigned shift = 64; shift > 0;) {
        char digit[2] = { 0 };

        shift -= 4;
        digit[0] = "0123456789abcdef"[value >> shift & 15];
        put(text, digit);
    }
}

/* A string literal; what would end it or not print is left out. */
static void put_literal(struct text *text, const char *value)
{
    put(text, "\"");
    for (; *value != '\0'; value++) {
        char piece[2] = { *value, '\0' };

        if ((unsigned char)*value >= ' ' && *value != '"' && *value != '\\')
            put(text, piece);
    }
    put(text, "\"");
}

/* TSDL for each kind of field. */
#define TYPE_u8      "uint8_t"
#define TYPE_u16     "uint16_t"
#define TYPE_u32     "uint32_t"
#define TYPE_time32  "time32_t"
#define TYPE_time64  "time64_t"
#define TYPE_region  "enum zpl_memory_region"
#define TYPE_address "address_t"

#define FIELD(kind, name, ...) "\t" TYPE_##kind " " #name ";\n"

/* The fields of one layout: a packet's header and context, an event's header. */
struct parts {
    const char *packet_header;
    const char *packet_context;
    const char *event_header;
    uint32_t event_id;
};

static const char payload[] = ZPL_MEMORY_PAYLOAD_LIST(FIELD);

#define FIELDS_OF_HEADER  CTF_PACKET_HEADER_LIST(FIELD)
#define FIELDS_OF_CONTEXT CTF_PACKET_CONTEXT_LIST(FIELD)

/* By version; layout 3 brings its own packets: the id, then the size. */
static const struct parts parts[] = {
    [1] = { FIELDS_OF_HEADER, FIELDS_OF_CONTEXT,
            ZPL_MEMORY_HEADER_LIST_1(FIELD), ZPL_MEMORY_EVENT_ID_1 },
    [2] = { FIELDS_OF_HEADER, FIELDS_OF_CONTEXT,
            ZPL_MEMORY_HEADER_LIST_2(FIELD), ZPL_MEMORY_EVENT_ID_2 },
    [3] = { FIELD(u16, stream_id), FIELD(u16, packet_size),
            ZPL_MEMORY_HEADER_LIST_3(FIELD), ZPL_MEMORY_EVENT_ID_3 },
};

static void put_struct(struct text *text, const char *name, const char *fields)
{
    put(text, name);
    put(text, " := struct {\n");
    put(text, fields);
    put(text, "};\n");
}

static void put_environment(struct text *text,
                            const struct ctf_surroundings *surroundings)
{
    put(text, "env {\n\ttracer_name = \"tally\";\n");
    if (surroundings->program != NULL) {
        put(text, "\tprogram = ");
        put_literal(text, surroundings->program);
        put(text, ";\n\tload_address = \"");
        put_hexadecimal(text, surroundings->load_address);
        put(text, "\";\n");
    }
    for (const struct ctf_name *name = surroundings->names;
         name != NULL && name->name != NULL; name++) {
        if (name->what == CTF_NAMED_THREAD) {
            put(text, "\tthread_");
            put_number(text, (uint32_t)name->number);
        } else {
            put(text, "\tregion_");
            put_hexadecimal(text, name->number);
        }
        put(text, " = ");
        put_literal(text, name->name);
        put(text, ";\n");
    }
    put(text, "};\n\n");
}

static void put_clock(struct text *text,
                      const struct ctf_surroundings *surroundings)
{
    put(text, "clock {\n\tname = monotonic;\n\tfreq = 1000000000;\n");
    if (surroundings->clock_zero_ns != 0) {
        put(text, "\toffset = ");
        put_hexadecimal(text, surroundings->clock_zero_ns);
        put(text, ";\n\tabsolute = true;\n");
    }
    put(text, "};\n\n");
}

static void put_types(struct text *text, const struct ctf_layout *layout)
{
    static const char *const words[] = { "8", "16", "32", "64" };

    for (unsigned i = 0; i < 4; i++) {
        put(text, "typealias integer { size = ");
        put(text, words[i]);
        put(text, "; align = 8; signed = false; } := uint");
        put(text, words[i]);
        put(text, "_t;\n");
    }
    for (unsigned i = 2; i < 4; i++) {
        put(text, "typealias integer { size = ");
        put(text, words[i]);
        put(text, "; align = 8; signed = false; "
                  "map = clock.monotonic.value; } := time");
        put(text, words[i]);
        put(text, "_t;\n");
    }
    put(text, "typealias integer { size = ");
    put(text, words[layout->address_bytes == 8 ? 3 : 2]);
    put(text, "; align = 8; signed = false; base = hex; } := address_t;\n\n"
              "enum zpl_memory_region : uint8_t {\n");
#define ENUMERATOR(name, value, region) "\t" #name " = " #value ",\n"
    put(text, ZPL_MEMORY_REGION_LIST(ENUMERATOR) "};\n\n");
}

size_t ctf_metadata_write(char *out, size_t capacity,
                          const struct ctf_layout *layout,
                          const struct ctf_surroundings *surroundings)
{
    struct text text = { out, capacity, 0 };
    const struct parts *part = &parts[layout->version];
    bool has_head = layout->has_packets || layout->version == 3;
    uint32_t stream_id = layout->has_packets ? ctf_layout_stream_id(layout) : 0;

    put(&text, "/* CTF 1.8 */\n\n");
    put_types(&text, layout);
    put(&text, "trace {\nmajor = 1;\nminor = 8;\nbyte_order = le;\n");
    if (has_head)
        put_struct(&text, "packet.header", part->packet_header);
    put(&text, "};\n\n");
    put_environment(&text, surroundings);
    put_clock(&text, surroundings);
    put(&text, "stream {\n");
    if (has_head) {
        put(&text, "id = ");
        put_number(&text, stream_id);
        put(&text, ";\n");
        put_struct(&text, "packet.context", part->packet_context);
    }
    put_struct(&text, "event.header", part->event_header);
    put(&text, "};\n\nevent {\nname = \"zpl_memory\";\nid = ");
    put_number(&text, part->event_id);
    put(&text, ";\n");
    if (has_head) {
        put(&text, "stream_id = ");
        put_number(&text, stream_id);
        put(&text, ";\n");
    }
    put_struct(&text, "fields", payload);
    put(&text, "};\n");
    return text.length;
}
