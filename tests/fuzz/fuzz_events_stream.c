/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_events_stream.c - any bytes, as a stream of events
 *
 * Besides not crashing:
 *
 *   F1  all bytes are accounted for, fed in any pieces
 *   F2  the events are equal, fed in any pieces
 *   F3  an event reads back from the bytes that we write for it
 *
 * A fuzzer does not guess sums, so everything that looks like a packet gets a
 * valid sum.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/bytes.h"
#include "format/ctf/ctf_stream.h"
#include "format/events/events_stream.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct events_reader reader, again;
static struct events_writer writer;

static bool take(void *context, const void *bytes, size_t size)
{
    (void)context;
    events_reader_open(&again);
    assert(byte_stream_feed(&again.in, bytes, size) == size);
    return true;
}

static uint64_t add(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t add_event(uint64_t sum, const struct mem_trace_event *event)
{
    sum = add(add(sum, event->time_ns), event->thread);
    sum = add(add(sum, event->op), event->result);
    sum = add(add(sum, event->caller), event->pointer);
    return add(add(sum, event->count), event->size);
}

/* Write a packet for each event; open the writer again when time goes back. */
static void write_and_read_again(const struct mem_trace_event *event)
{
    static unsigned char buffer[EVENTS_WRITER_SMALLEST];
    static uint64_t before_ns = UINT64_MAX;
    struct mem_trace_event read;

    if (event->time_ns < before_ns)
        events_writer_open(&writer, 1, buffer, sizeof buffer,
                           (struct tally_zpl_sink){ take, NULL });
    before_ns = event->time_ns;
    events_writer_add(&writer, event);
    events_writer_flush(&writer);
    assert(events_reader_next(&again, &read));
    assert(add_event(0, event) == add_event(0, &read));
}

static uint64_t read_stream(const uint8_t *data, size_t size, size_t piece)
{
    struct mem_trace_event event;
    uint64_t sum = 0;
    size_t done = 0;

    events_reader_open(&reader);
    do {
        size_t length = size - done < piece ? size - done : piece;
        size_t taken = byte_stream_feed(&reader.in, data + done, length);

        assert(taken > 0 || length == 0);
        done += taken;
        if (done == size)
            byte_stream_end(&reader.in);
        while (events_reader_next(&reader, &event)) {
            sum = add_event(sum, &event);
            if (piece == SIZE_MAX && reader.events < 100)
                write_and_read_again(&event);
        }
    } while (done < size);
    assert(reader.in.offset == size && reader.in.skipped.bytes <= size);
    assert((reader.in.skipped.bytes == 0) == (reader.in.skipped.places == 0));
    return add(add(sum, reader.events), reader.in.skipped.bytes);
}

static void mend_sums(uint8_t *bytes, size_t size)
{
    struct events_packet packet;

    for (size_t at = 0; at + EVENTS_PACKET_HEAD <= size; at++) {
        if (!events_packet_read(bytes + at, &packet) ||
            packet.packet_size / 8 > size - at)
            continue;
        at += packet.packet_size / 8;
        put_word_le(bytes + at - EVENTS_PACKET_TRAILER,
                    ctf_packet_sum(bytes + at - packet.packet_size / 8,
                                   packet.packet_size / 8),
                    EVENTS_PACKET_TRAILER);
        at--;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The copy ends at the end of its heap block, so that ASan detects
       overruns. */
    unsigned char *copy = calloc(size == 0 ? 1 : size, 1);

    assert(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    assert(read_stream(copy, size, SIZE_MAX) == read_stream(copy, size, 7));
    mend_sums(copy, size);
    assert(read_stream(copy, size, SIZE_MAX) == read_stream(copy, size, 7));
    free(copy);
    return 0;
}
