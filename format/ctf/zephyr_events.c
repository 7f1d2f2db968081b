/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zephyr_events.c - events of Zephyr's and Zephelin's own tracing
 *
 * The events are TSDL files in this folder. A stream adds its id to each event;
 * the TSDL reader builds the table from the text.
 */
#include "format/ctf/ctf_input.h"

#include "format/ctf/ctf_stream.h"
#include "format/text_out.h"

/* Zephelin's stream for the events of TFLM and TVM. */
static const char second_stream[] =
    "stream {\nid = 1;\npacket.context := struct { uint16_t packet_size; };\n"
    "event.header := struct { time64_t timestamp; uint16_t id; };\n};\n\n";

/* Write the file, with `stream` before the fields of each event: the only lines
   that begin with "f". */
static void put_events(struct text_out *text, const char *tsdl,
                       const char *stream)
{
    for (size_t size; *tsdl != '\0'; tsdl += size) {
        if (*tsdl == 'f')
            text_put(text, stream);
        for (size = 1; tsdl[size - 1] != '\n'; size++)
            continue;
        text_put_bytes(text, tsdl, size);
    }
}

size_t zephyr_metadata_write(char *out, size_t capacity,
                             const struct ctf_layout *layout)
{
    struct text_out text = { out, capacity, 0 };
    const char *stream = layout->version == 3 ? "stream_id = 0;\n" : "";

    put_events(&text, zephyr_tsdl, stream);
    if (layout->version == 1)
        put_events(&text, zephelin_1_tsdl, stream);
    if (layout->version < 3)
        return text.length;
    put_events(&text, zephelin_3_tsdl, stream);
    text_put(&text, second_stream);
    put_events(&text, zephelin_3_tsdl, "stream_id = 1;\n");
    return text.length;
}

const struct ctf_events *zephyr_events(const struct ctf_layout *layout)
{
    static struct {
        struct ctf_metadata_facts facts;
        char text[ZEPHYR_METADATA_CAPACITY];
    } made[3];
    const struct ctf_surroundings surroundings = { 0 };
    struct ctf_layout bare = { layout->version, 4, false };
    char *text = made[layout->version - 1].text;
    size_t size;

    if (text[0] == '\0') {
        size = ctf_metadata_write(text, ZEPHYR_METADATA_CAPACITY, &bare,
                                  &surroundings);
        size += zephyr_metadata_write(text + size,
                                      ZEPHYR_METADATA_CAPACITY - size, &bare);
        ctf_metadata_read(text, size, &made[layout->version - 1].facts);
    }
    return &made[layout->version - 1].facts.others;
}
