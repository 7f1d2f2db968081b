/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_mem_trace_reader.c - any bytes, as lines with events
 *
 * Besides not crashing:
 *
 *   M1  splitting the bytes into pieces changes nothing
 *   M2  events and skipped pieces do not overlap
 *   M3  fields that a function does not have are 0
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "format/text/mem_trace_text.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SHORTEST = 8 }; /* "#f:0;0-0" */

static uint64_t add(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001B3);
}

static uint64_t take_all(struct mem_trace_reader *reader, uint64_t hash)
{
    struct mem_trace_event event;
    uint64_t offset = reader->event_offset;

    while (mem_trace_reader_next(reader, &event)) {
        assert(event.op < MEM_TRACE_OP_COUNT || event.op == MEM_TRACE_FRAME);
        assert(event.op == MEM_TRACE_CALLOC || event.op == MEM_TRACE_FRAME ||
               event.count == 0);
        assert(event.op != MEM_TRACE_FRAME || event.size == 0);
        assert(event.op == MEM_TRACE_REALLOC || event.op == MEM_TRACE_FREE ||
               event.pointer == 0);
        assert(event.op != MEM_TRACE_FREE || event.size == 0);
        assert(event.thread == 0 && event.time_ns == 0 && !event.has_time);
        assert(reader->events == 1 || reader->event_offset > offset);
        offset = reader->event_offset;
        hash = add(add(hash, event.op), event.result);
        hash = add(add(hash, event.caller), event.pointer);
        hash = add(add(hash, event.count), event.size);
        hash = add(hash, offset);
    }
    return hash;
}

static uint64_t read_in_pieces(struct mem_trace_reader *reader,
                               const uint8_t *data, size_t size, size_t piece)
{
    uint64_t hash = 1;

    mem_trace_reader_open(reader);
    for (size_t done = 0; done < size;) {
        size_t left = size - done < piece ? size - done : piece;

        done += byte_stream_feed(&reader->in, data + done, left);
        hash = take_all(reader, hash);
    }
    byte_stream_end(&reader->in);
    return take_all(reader, hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mem_trace_reader *whole = malloc(sizeof *whole);
    struct mem_trace_reader *pieces = malloc(sizeof *pieces);

    assert(whole != NULL && pieces != NULL);
    assert(read_in_pieces(whole, data, size, size == 0 ? 1 : size) ==
           read_in_pieces(pieces, data, size, 7));
    assert(whole->events == pieces->events);
    assert(whole->in.skipped.bytes == pieces->in.skipped.bytes);
    assert(whole->in.skipped.places == pieces->in.skipped.places);
    assert(whole->in.skipped.first == pieces->in.skipped.first);
    assert(whole->in.skipped.bytes <= size && whole->in.offset == size);
    assert(whole->events <= size / SHORTEST);
    free(pieces);
    free(whole);
    return 0;
}
