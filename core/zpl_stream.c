/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_stream.c - the one stream of ZPL events, in CTF or in lines
 *
 * Lines need no head, so they are packed as a bare stream's events are: the
 * writer hands on whole ones and counts those that nobody took.
 *
 * Everything here happens under the port's lock, the clock included: the order
 * of the events is the order of their times.
 */
#include "core/zpl_stream.h"

#include "format/ctf_writer.h"
#include "format/zpl_text.h"
#include "tally/error.h"
#include "tally/port.h"

static struct ctf_writer writer;
static bool is_text;
static uint64_t events;
static uint64_t discarded_before; /* by streams that were replaced */
static uint64_t packets_before;

_Static_assert((int)TALLY_ZPL_BUFFER_SMALLEST >= (int)CTF_WRITER_SMALLEST &&
                   (int)TALLY_ZPL_BUFFER_SMALLEST >= (int)ZPL_TEXT_LONGEST,
               "an event fits into the smallest buffer");

static bool wants_text(const struct tally_zpl_stream *stream)
{
    if (stream->format == TALLY_ZPL_CONFIGURED)
        return TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT);
    return stream->format == TALLY_ZPL_PLAINTEXT;
}

int tally_zpl_open(const struct tally_zpl_stream *stream)
{
    struct ctf_layout layout = {
        .version = stream->layout == 0 ? CONFIG_ZPL_CTF_LAYOUT : stream->layout,
        .address_bytes = sizeof(uintptr_t),
    };
    uint32_t key;

    if (stream->buffer == NULL ||
        stream->capacity < TALLY_ZPL_BUFFER_SMALLEST ||
        stream->format > TALLY_ZPL_PLAINTEXT || layout.version > 3)
        return TALLY_E_INVALID;
    key = tally_port_lock();
    ctf_writer_flush(&writer);
    discarded_before += writer.discarded;
    packets_before += writer.sequence;
    is_text = wants_text(stream);
    layout.has_packets = !is_text && !stream->is_bare && layout.version != 3;
    ctf_writer_open(&writer, &layout, stream->buffer, stream->capacity,
                    stream->sink);
    tally_port_unlock(key);
    return TALLY_OK;
}

static void write_line(const struct zpl_event *event)
{
    if (writer.capacity - writer.used < ZPL_TEXT_LONGEST)
        ctf_writer_flush(&writer);
    writer.used +=
        (uint32_t)zpl_text_write((char *)writer.buffer + writer.used, event);
    writer.pending++;
}

void zpl_emit_memory_for_thread_event(enum zpl_memory_region memory_region,
                                      uintptr_t memory_addr, uint32_t used,
                                      uint32_t unused, uint32_t for_thread_id)
{
    struct zpl_event event = {
        .memory_addr = memory_addr,
        .used = used,
        .unused = unused,
        .for_thread_id = for_thread_id,
        .memory_region = (uint8_t)memory_region,
    };
    uint32_t key = tally_port_lock();

    events++;
    event.time_ns = tally_port_time_ns();
    if (writer.buffer == NULL)
        discarded_before++;
    else if (is_text)
        write_line(&event);
    else
        ctf_writer_event(&writer, &event);
    tally_port_unlock(key);
}

void zpl_emit_memory_event(enum zpl_memory_region memory_region,
                           uintptr_t memory_addr, uint32_t used,
                           uint32_t unused)
{
    zpl_emit_memory_for_thread_event(memory_region, memory_addr, used, unused,
                                     0);
}

const char *
zpl_memory_region_enum_to_string(enum zpl_memory_region memory_region)
{
    const char *name = zpl_text_region(memory_region);

    return name == NULL ? "<unknown>" : name;
}

void tally_zpl_flush(void)
{
    uint32_t key = tally_port_lock();

    ctf_writer_flush(&writer);
    tally_port_unlock(key);
}

void zpl_stream_set_profiler_us(uint32_t profiler_us)
{
    uint32_t key = tally_port_lock();

    writer.profiler_us = profiler_us;
    tally_port_unlock(key);
}

void zpl_stream_figures(struct tally_zpl_figures *figures)
{
    uint32_t key = tally_port_lock();

    figures->events = events;
    figures->discarded = discarded_before + writer.discarded;
    figures->packets = packets_before + writer.sequence;
    tally_port_unlock(key);
}
