/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_zpl_stream.c - any bytes, as CTF, as metadata, and as text
 *
 * If an input contains a NUL-terminated metadata text, the stream follows it.
 * Besides not crashing:
 *
 *   F1  all bytes are accounted for, fed in any pieces
 *   F2  an event reads back from its bytes, unless the layout has another
 *       shape, and from its line
 *   F3  such a layout from metadata reads back from our own metadata
 *   F4  the fields of another event cover all of it
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/ctf/ctf_input.h"
#include "format/ctf/ctf_stream.h"
#include "format/ctf/zpl_event.h"
#include "format/text/zpl_text.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void assert_same(const struct zpl_event *a, const struct zpl_event *b)
{
    assert(a->memory_region == b->memory_region);
    assert(a->memory_addr == b->memory_addr);
    assert(a->used == b->used && a->unused == b->unused);
    assert(a->for_thread_id == b->for_thread_id);
}

static void write_and_read_again(const struct zpl_event *event,
                                 const struct ctf_layout *layout)
{
    unsigned char bytes[CTF_EVENT_LARGEST];
    char line[ZPL_TEXT_LONGEST];
    struct zpl_event again;

    if (layout->shape == NULL) {
        zpl_wire_write(bytes, layout, event, event->time_ns);
        assert(zpl_wire_read(bytes, layout, &again));
        assert_same(event, &again);
    }
    assert(zpl_text_read(line, zpl_text_write(line, event), &again) ==
           ZPL_TEXT_READ);
    assert_same(event, &again);
}

static void walk(const struct ctf_reader *reader)
{
    struct ctf_walk walk = ctf_walk_begin(reader->others, reader->other_event,
                                          reader->other, reader->other_size);
    struct ctf_value value;
    size_t size = 0;

    while (ctf_walk_next(&walk, &value))
        size += value.size;
    assert(walk.is_whole && size == reader->other_size);
}

static void read_ctf(const uint8_t *data, size_t size, size_t piece,
                     const struct ctf_metadata_facts *facts)
{
    static struct ctf_reader reader;
    struct zpl_event event;
    size_t done = 0;

    ctf_reader_open(&reader, facts);
    reader.tells_others = piece > 7;
    do {
        size_t length = size - done < piece ? size - done : piece;
        size_t taken = byte_stream_feed(&reader.in, data + done, length);

        assert(taken > 0 || length == 0);
        done += taken;
        if (done == size)
            byte_stream_end(&reader.in);
        while (ctf_reader_next(&reader, &event)) {
            if (reader.other == NULL)
                write_and_read_again(&event, &reader.layout);
            else if (reader.other_event != NULL)
                walk(&reader);
        }
    } while (done < size);
    assert(reader.in.offset == size && reader.in.skipped.bytes <= size);
    assert((reader.in.skipped.bytes == 0) == (reader.in.skipped.places == 0));
    assert(reader.in.skipped.places <= reader.in.skipped.bytes);
}

static void read_text(const uint8_t *data, size_t size)
{
    static const struct ctf_layout layout = { 1, 8, false, NULL };
    static struct zpl_text_reader reader;
    struct zpl_event event;

    zpl_text_reader_open(&reader);
    for (size_t done = 0; done < size;) {
        done += byte_stream_feed(&reader.in, data + done, size - done);
        while (zpl_text_reader_next(&reader, &event)) {
            if (event.memory_region != ZPL_STACK)
                event.for_thread_id = 0;
            write_and_read_again(&event, &layout);
        }
    }
    byte_stream_end(&reader.in);
    while (zpl_text_reader_next(&reader, &event))
        ;
    assert(reader.in.offset == size);
}

/* Return the bytes of metadata at the start of `data`. */
static size_t read_metadata(const char *text, size_t size,
                            struct ctf_metadata_facts *facts)
{
    const struct ctf_surroundings surroundings = { 0 };
    struct ctf_metadata_facts again;
    char own[CTF_METADATA_CAPACITY];
    size_t position = 0, length;
    struct text_view name;
    enum ctf_named what;
    uint64_t number;

    while (ctf_metadata_next_name(text, size, &position, &what, &number,
                                  &name) > 0)
        assert(position <= size);
    if (!ctf_metadata_read(text, size, facts))
        return 0;
    if (facts->layout.shape != NULL)
        return strnlen(text, size);
    length = ctf_metadata_write(own, sizeof own, &facts->layout, &surroundings);
    assert(ctf_metadata_read(own, length, &again));
    assert(again.layout.version == facts->layout.version &&
           again.layout.address_bytes == facts->layout.address_bytes &&
           again.layout.has_packets == facts->layout.has_packets);
    return strnlen(text, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The copy ends at the end of its heap block, so that ASan detects
       overruns. */
    unsigned char *copy = malloc(size == 0 ? 1 : size);
    struct ctf_metadata_facts facts;
    size_t metadata;

    assert(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    metadata = read_metadata((const char *)copy, size, &facts);
    if (metadata > 0)
        read_ctf(copy + metadata, size - metadata, SIZE_MAX, &facts);
    read_ctf(copy, size, SIZE_MAX, NULL);
    read_ctf(copy, size, 7, NULL);
    read_text(copy, size);
    free(copy);
    return 0;
}
