/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf_metadata.c - write the metadata of a ZPL stream
 *
 * Every field comes from the lists that also generate the bytes. The
 * specification is CTF 1.8.3, section 7 (TSDL).
 */
#include "format/ctf/ctf_stream.h"

/* TSDL type of each kind of field */
#define TYPE_u8      "uint8_t"
#define TYPE_u16     "uint16_t"
#define TYPE_u32     "uint32_t"
#define TYPE_time32  "time32_t"
#define TYPE_time64  "time64_t"
#define TYPE_region  "enum zpl_memory_region"
#define TYPE_address "address_t"

#define FIELD(kind, name)                       "\t" TYPE_##kind " " #name ";\n"
#define EVENT_FIELD(kind, name, before, behind) FIELD(kind, name)

/* Fields of one layout: packet header, packet context, event header. */
struct parts {
    const char *packet_header;
    const char *packet_context;
    const char *event_header;
    uint32_t event_id;
};

static const char payload[] = ZPL_MEMORY_PAYLOAD_LIST(EVENT_FIELD);

#define FIELDS_OF_HEADER  CTF_PACKET_HEADER_LIST(FIELD)
#define FIELDS_OF_CONTEXT CTF_PACKET_CONTEXT_LIST(FIELD)

/* By version. Events of layout 3 are packets: stream id, then size. */
static const struct parts parts[] = {
    [1] = { FIELDS_OF_HEADER, FIELDS_OF_CONTEXT,
            ZPL_MEMORY_HEADER_LIST_1(EVENT_FIELD), ZPL_MEMORY_EVENT_ID_1 },
    [2] = { FIELDS_OF_HEADER, FIELDS_OF_CONTEXT,
            ZPL_MEMORY_HEADER_LIST_2(EVENT_FIELD), ZPL_MEMORY_EVENT_ID_2 },
    [3] = { FIELD(u16, stream_id), FIELD(u16, packet_size),
            ZPL_MEMORY_HEADER_LIST_3(EVENT_FIELD), ZPL_MEMORY_EVENT_ID_3 },
    [4] = { NULL, NULL, ZPL_MEMORY_HEADER_LIST_3(EVENT_FIELD),
            ZPL_MEMORY_EVENT_ID_4 },
    [5] = { NULL, NULL, ZPL_MEMORY_HEADER_LIST_3(EVENT_FIELD),
            ZPL_MEMORY_EVENT_ID_3 },
};

static void put_types(struct text_out *text, const struct ctf_layout *layout)
{
    bool is_wide = layout->address_bytes == 8;
    unsigned region =
        layout->shape == NULL ? 1 : layout->shape->memory_region.bytes;

    for (unsigned bits = 8; bits <= 64; bits *= 2)
        tsdl_put_integer(text, bits, 8, "", "uint");
    for (unsigned bits = 32; bits <= 64; bits *= 2)
        tsdl_put_integer(text, bits, 8, TSDL_TIME, "time");
    tsdl_put_address(text, is_wide ? 64 : 32);
    tsdl_put(text, "\nenum zpl_memory_region : uint%u_t {\n", region * 8);
#define ENUMERATOR(name, value, region) "\t" #name " = " #value ",\n"
    tsdl_put(text, ZPL_MEMORY_REGION_LIST(ENUMERATOR) "};\n\n");
}

/* Write bytes that belong to no field, if there are any before `at`. */
static void put_gap(struct text_out *text, unsigned end, unsigned at)
{
    if (at > end)
        tsdl_put(text, "\tuint8_t unused_at_%u[%u];\n", end, at - end);
}

/* Write the fields of a shape in which they have the usual order. */
static void put_shape(struct text_out *text, const struct zpl_shape *shape)
{
    unsigned end = shape->head;

#define SHAPE_FIELD(kind, name, before, behind) \
    put_gap(text, end, shape->name.at);         \
    end = shape->name.at + shape->name.bytes;   \
    tsdl_put(text, FIELD(kind, name));
    ZPL_MEMORY_PAYLOAD_LIST(SHAPE_FIELD)
    put_gap(text, end, shape->bytes);
}

size_t ctf_metadata_write(char *out, size_t capacity,
                          const struct ctf_layout *layout,
                          const struct ctf_surroundings *surroundings)
{
    struct text_out text = { out, capacity, 0 };
    const struct parts *part = &parts[layout->version];
    bool has_head = layout->has_packets || layout->version == 3;
    uint32_t stream_id = layout->has_packets ? ctf_layout_stream_id(layout) : 0;

    tsdl_put(&text, "/* CTF 1.8 */\n\n");
    put_types(&text, layout);
    tsdl_put_trace(&text, has_head ? part->packet_header : NULL, surroundings);
    if (layout->version == 0)
        return text.length;
    tsdl_put(&text, "stream {\n");
    if (has_head)
        tsdl_put(&text, "id = %u;\npacket.context" TSDL_STRUCT, stream_id,
                 part->packet_context);
    tsdl_put(&text, "event.header" TSDL_STRUCT "};\n\n", part->event_header);
    tsdl_put(&text, "event {\nname = \"zpl_memory\";\nid = %u;\n",
             part->event_id);
    if (has_head)
        tsdl_put(&text, "stream_id = %u;\n", stream_id);
    if (layout->shape == NULL) {
        tsdl_put(&text, "fields" TSDL_STRUCT "};\n", payload);
        return text.length;
    }
    tsdl_put(&text, "fields := struct {\n");
    put_shape(&text, layout->shape);
    tsdl_put(&text, "};\n};\n");
    return text.length;
}
