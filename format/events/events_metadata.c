/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events_metadata.c - what tells CTF readers how such a stream lies
 *
 * Every field comes from the lists that also make the bytes. The specification
 * is CTF 1.8.3, section 7 (TSDL); the header is its example of a compact one.
 */
#include "format/events/events_metadata.h"

#include "format/ctf/tsdl_writer.h"
#include "format/events/events_packet.h"
#include "format/events/events_wire.h"

/* TSDL for each kind of field. */
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

/* A distance names its base, so that the name says what to add. */
#define MEMBER_index(name)   #name "_index"
#define MEMBER_near(name)    #name "_from_near_base"
#define MEMBER_far(name)     #name "_from_far_base"
#define MEMBER_small(name)   #name
#define MEMBER_whole(name)   #name
#define MEMBER_address(name) #name
#define MEMBER_tid(name)     #name
#define MEMBER(kind, name)   "\t" TYPE_##kind " " MEMBER_##kind(name) ";\n"

struct event {
    uint32_t id;
    const char *name;
    const char *fields;
};

#define EVENT(id, name, fields) { id, #name, fields(MEMBER) },

static const struct event events[] = { EVENTS_EXPLANATION_LIST(EVENT)
                                           EVENTS_CALL_LIST(EVENT) };

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
    text_put(text, "\n");
}

static void put_environment(struct text_out *text,
                            const struct events_surroundings *surroundings)
{
    text_put(text, "env {\n\ttracer_name = \"tally\";\n");
    tsdl_put_program(text, surroundings->program, surroundings->load_address);
    if (surroundings->process != 0) {
        text_put(text, "\tvpid = ");
        tsdl_put_number(text, surroundings->process);
        text_put(text, ";\n");
    }
    if (surroundings->sample_interval != 0) {
        text_put(text, "\tsample_interval = ");
        tsdl_put_hexadecimal(text, surroundings->sample_interval);
        text_put(text, ";\n");
    }
    text_put(text, "};\n\n");
}

static void put_event(struct text_out *text, const struct event *event)
{
    text_put(text, "event {\nname = \"");
    text_put(text, event->name);
    text_put(text, "\";\nid = ");
    tsdl_put_number(text, event->id);
    text_put(text, ";\nstream_id = ");
    tsdl_put_number(text, EVENTS_STREAM_ID);
    text_put(text, ";\n");
    tsdl_put_struct(text, "fields", event->fields);
    text_put(text, "};\n\n");
}

size_t events_metadata_write(char *out, size_t capacity,
                             const struct events_surroundings *surroundings)
{
    struct text_out text = { out, capacity, 0 };

    text_put(&text, preface);
    put_types(&text);
    text_put(&text, "trace {\nmajor = 1;\nminor = 8;\nbyte_order = le;\n");
    tsdl_put_struct(&text, "packet.header", EVENTS_PACKET_HEADER_LIST(FIELD));
    text_put(&text, "};\n\n");
    put_environment(&text, surroundings);
    tsdl_put_clock(&text, surroundings->clock_zero_ns);
    text_put(&text, "stream {\nid = ");
    tsdl_put_number(&text, EVENTS_STREAM_ID);
    text_put(&text, ";\n");
    tsdl_put_struct(&text, "packet.context", EVENTS_PACKET_CONTEXT_LIST(FIELD));
    text_put(&text, event_header);
    tsdl_put_struct(&text, "event.context", "\tuint8_t thread;\n");
    text_put(&text, "};\n\n");
    for (unsigned i = 0; i < sizeof events / sizeof events[0]; i++)
        put_event(&text, &events[i]);
    return text.length;
}
