/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_metadata.c - write the metadata of an events stream
 *
 * Every field comes from the lists that also generate the bytes. The
 * specification is CTF 1.8.3, section 7 (TSDL); the event header is its example
 * of a compact header.
 */
#include "format/events/events_stream.h"

/* TSDL type of each kind of field */
#define TYPE_u32     "uint32_t"
#define TYPE_u64     "uint64_t"
#define TYPE_time64  "time64_t"
#define TYPE_index   "uint16_t"
#define TYPE_near    "uint32_t"
#define TYPE_far     "uint32_t"
#define TYPE_small   "uint16_t"
#define TYPE_whole   "uint64_t"
#define TYPE_address "address_t"
#define TYPE_tid     "uint32_t"

#define FIELD(kind, name) "\t" TYPE_##kind " " #name ";\n"

/* The name of a distance says which base to add. */
#define MEMBER_index(name)   #name "_index"
#define MEMBER_near(name)    #name "_from_near_base"
#define MEMBER_far(name)     #name "_from_far_base"
#define MEMBER_small(name)   #name
#define MEMBER_whole(name)   #name
#define MEMBER_address(name) #name
#define MEMBER_tid(name)     #name
#define MEMBER(kind, name)   "\t" TYPE_##kind " " MEMBER_##kind(name) ";\n"

#define EVENT(id, name, fields, c, a, n) { id, #name, fields(MEMBER, c, a, n) },

static const struct {
    uint32_t id;
    const char *name, *fields;
} events[] = { EVENTS_EXPLANATION_LIST(EVENT) EVENTS_CALL_LIST(EVENT) };

static const char preface[] =
    "/* CTF 1.8 */\n\n"
    "/*\n"
    " * Calls of allocation functions, as tally record wrote them. "
    "caller_index\n"
    " * and the number of the thread are explained in each packet by the "
    "events\n"
    " * `caller` and `thread`. A distance d from a base of the packet is the\n"
    " * address base + 8 * d, and 0 is NULL. Distances are near or far "
    "according\n"
    " * to the base; what does not fit is wide.\n"
    " */\n\n";

static const char event_header[] =
    "event.header := struct {\n"
    "\tenum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"
    "\tvariant <id> {\n"
    "\t\tstruct { time19_t timestamp; } compact;\n"
    "\t\tstruct { uint8_t id; time64_t timestamp; } extended;\n"
    "\t} v;\n"
    "} align(8);\n";

static void put_types(struct text_out *text)
{
    for (unsigned bits = 8; bits <= 64; bits *= 2)
        tsdl_put_integer(text, bits, 8, "", "uint");
    tsdl_put_integer(text, EVENTS_ID_BITS, 1, "", "uint");
    tsdl_put_integer(text, EVENTS_TIME_BITS, 1, TSDL_TIME, "time");
    tsdl_put_integer(text, 64, 8, TSDL_TIME, "time");
    tsdl_put_address(text, 64);
    tsdl_put(text, "\n");
}

size_t events_metadata_write(char *out, size_t capacity,
                             const struct ctf_surroundings *surroundings)
{
    struct text_out text = { out, capacity, 0 };

    tsdl_put(&text, preface);
    put_types(&text);
    tsdl_put_trace(&text, EVENTS_PACKET_HEADER_LIST(FIELD), surroundings);
    tsdl_put(&text, "stream {\nid = %u;\npacket.context" TSDL_STRUCT,
             EVENTS_STREAM_ID, EVENTS_PACKET_CONTEXT_LIST(FIELD));
    tsdl_put(&text, event_header);
    tsdl_put(&text, "event.context" TSDL_STRUCT "};\n\n",
             "\tuint8_t thread;\n");
    for (unsigned i = 0; i < sizeof events / sizeof events[0]; i++)
        tsdl_put(&text,
                 "event {\nname = \"%s\";\nid = %u;\nstream_id = %u;\n"
                 "fields" TSDL_STRUCT "};\n\n",
                 events[i].name, events[i].id, EVENTS_STREAM_ID,
                 events[i].fields);
    return text.length;
}
