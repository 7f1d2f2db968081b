/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_trace_stream.c - any bytes, through events and their lines
 *
 * Besides not crashing:
 *
 *   F1  splitting the bytes into pieces changes no event of an intact trace; in
 *       a damaged one it may, since a reader does not wait for more bytes
 *   F2  events and skipped pieces have no more bytes than the input
 *   F3  lines of text read back with equal values, except for promoted blocks,
 *       which have no lines
 *   F4  a trace compared with itself has no growth
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/text/mem_trace_text.h"
#include "format/text/zpl_text.h"
#include "tool/commands/trace/decode_lines.h"
#include "tool/model/calls/calls.h"
#include "tool/model/compare/compare.h"
#include "tool/model/trace/trace_figures.h"
#include "tool/model/trace/trace_reader.h"
#include "tool/render/render.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct sum {
    uint64_t events, hash;
    struct trace_counts counts;
};

static void add(struct sum *sum, uint64_t value)
{
    sum->hash = (sum->hash ^ value) * UINT64_C(0x100000001B3);
}

/* Results of decode and report. */
struct views {
    struct decode_lines lines;
    struct regions regions;
    struct call_accounts calls;
};

static void compare_with_itself(const struct regions *regions)
{
    struct region_comparison comparison;

    region_comparison_open(&comparison, regions, regions);
    assert(comparison.count == regions->count);
    assert(comparison.growth.used == 0 && comparison.growth.peak == 0);
    region_comparison_close(&comparison);
}

static void draw(struct views *views, FILE *out)
{
    char line[REGION_LINE_SIZE];

    regions_finish(&views->regions);
    compare_with_itself(&views->regions);
    for (size_t i = 0; i < views->regions.count; i++)
        region_line(line, &views->regions.items[i], &views->regions,
                    REGION_LINE_MOST);
    region_svg_write(out, &views->regions, "a title");
    regions_close(&views->regions);
    call_accounts_close(&views->calls);
    decode_lines_close(&views->lines);
}

static void take_region(struct sum *sum, const struct zpl_event *event,
                        struct views *views)
{
    char line[ZPL_TEXT_LONGEST];
    struct zpl_event again;

    assert(event->memory_region < ZPL_REGION_COUNT);
    assert(zpl_text_read(line, zpl_text_write(line, event), &again) ==
           ZPL_TEXT_READ);
    assert(again.memory_addr == event->memory_addr);
    assert(again.used == event->used && again.unused == event->unused);
    assert(again.for_thread_id == event->for_thread_id);
    add(sum, event->time_ns);
    add(sum, event->memory_addr);
    add(sum, event->used);
    add(sum, event->memory_region);
    regions_add(&views->regions, event);
}

static void write_and_read(const struct mem_trace_event *event)
{
    struct mem_trace_reader *reader = malloc(sizeof *reader);
    char line[MEM_TRACE_TEXT_MAX];
    size_t size = mem_trace_text_write(line, event);
    struct mem_trace_event again;

    assert(reader != NULL);
    assert((size == 0) == (event->op == MEM_TRACE_PROMOTE));
    mem_trace_reader_open(reader);
    byte_stream_feed(&reader->in, line, size);
    assert(size == 0 || mem_trace_reader_next(reader, &again));
    if (size == 0)
        again = *event;
    assert(again.op == event->op && again.result == event->result);
    assert(again.caller == event->caller && again.pointer == event->pointer);
    assert(again.count == event->count && again.size == event->size);
    free(reader);
}

static void take_call(struct sum *sum, const struct mem_trace_event *event,
                      struct views *views)
{
    write_and_read(event);
    add(sum, event->result);
    add(sum, event->pointer);
    add(sum, event->size);
    call_accounts_add(&views->calls, event);
    assert(views->calls.sample_interval != 0 ||
           call_accounts_live_blocks(&views->calls) ==
               views->calls.blocks.count);
}

/* Check that another event's fields are contiguous in its bytes. */
static void take_other(struct sum *sum, const struct trace_other *other)
{
    struct ctf_walk walk;
    struct ctf_value value;
    size_t size = 0;

    if (other->event == NULL)
        return;
    walk =
        ctf_walk_begin(other->events, other->event, other->bytes, other->size);
    while (ctf_walk_next(&walk, &value)) {
        assert(value.bytes == other->bytes + size);
        size += value.size;
        for (size_t i = 0; i < value.size; i++)
            add(sum, value.bytes[i]);
    }
    assert(walk.is_whole && size == other->size);
}

static void take(struct sum *sum, const struct trace_event *event,
                 struct views *views)
{
    if (event->kind == TRACE_EVENT_OTHER) {
        take_other(sum, &event->other);
        return;
    }
    sum->events++;
    if (event->kind == TRACE_EVENT_CALL)
        take_call(sum, &event->call, views);
    else
        take_region(sum, &event->region, views);
    decode_lines_add(&views->lines, event, "a \"name\"\n\xc2\x9b\xff");
}

static struct sum read_in_pieces(const uint8_t *data, size_t size, size_t piece,
                                 struct views *views)
{
    struct trace_stream *stream = trace_stream_create(NULL);
    struct sum sum = { .hash = 1 };
    struct trace_event event;

    assert(stream != NULL);
    for (size_t i = 0; i < size; i += piece) {
        trace_stream_feed(stream, data + i,
                          size - i < piece ? size - i : piece);
        while (trace_stream_next(stream, &event))
            take(&sum, &event, views);
    }
    trace_stream_end(stream);
    while (trace_stream_next(stream, &event))
        take(&sum, &event, views);
    trace_stream_count(stream, &sum.counts);
    trace_stream_destroy(stream);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct views *views = calloc(1, sizeof *views);
    FILE *out = fopen("/dev/null", "w");
    struct sum whole, pieces;

    assert(views != NULL && out != NULL);
    decode_lines_open(&views->lines, out, false);
    whole = read_in_pieces(data, size, size == 0 ? 1 : size, views);
    draw(views, out);
    decode_lines_open(&views->lines, out, true);
    views->calls.sample_interval = UINT64_C(1) << size % 64;
    pieces = read_in_pieces(data, size, 7, views);
    draw(views, out);
    if (whole.counts.skipped.bytes == 0 && pieces.counts.skipped.bytes == 0 &&
        whole.events > 0 && pieces.events > 0)
        assert(pieces.events == whole.events && pieces.hash == whole.hash);
    assert(whole.counts.bytes == size && whole.counts.skipped.bytes <= size);
    assert(whole.events == whole.counts.events);
    fclose(out);
    free(views);
    return 0;
}
