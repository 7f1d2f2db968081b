/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_stream.c - the one stream of ZPL events, in CTF or in lines
 *
 * Lines need no head, so they are packed as a bare stream's events are: the
 * writer hands on whole ones and counts those that no sink took.
 *
 * Everything here happens under a lock, the clock included: the order of the
 * events is the order of their times. On hosts the lock is two words of our
 * own, for the port's costs as much as the rest; on firmware it is the port's,
 * for interrupts emit as well.
 */
#include "core/zpl/zpl_stream.h"

#include "format/ctf/ctf_writer.h"
#include "format/text/zpl_text.h"
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

#if __STDC_HOSTED__
enum { SPINS = 100, NAP_NS = 100000 };

static uint32_t is_held;
static uint32_t is_wanted; /* a thread sleeps */

/*
 * A thread that finds it held tries for as long as an event takes, then sleeps.
 * A wake may be missed, for is_wanted is read without a barrier, which would
 * cost more than all the rest; the sleep is short.
 */
static __attribute__((noinline)) void lock_slowly(void)
{
    for (unsigned i = 0; i < SPINS; i++) {
        if (__atomic_load_n(&is_held, __ATOMIC_RELAXED) == 0 &&
            __atomic_exchange_n(&is_held, 1, __ATOMIC_ACQUIRE) == 0)
            return;
    }
    while (__atomic_exchange_n(&is_held, 1, __ATOMIC_ACQUIRE) != 0) {
        __atomic_store_n(&is_wanted, 1, __ATOMIC_RELAXED);
        tally_port_wait(&is_held, 1, tally_port_time_ns() + NAP_NS);
    }
}

static uint32_t lock(void)
{
    if (__atomic_exchange_n(&is_held, 1, __ATOMIC_ACQUIRE) != 0)
        lock_slowly();
    return 0;
}

static void unlock(uint32_t key)
{
    (void)key;
    __atomic_store_n(&is_held, 0, __ATOMIC_RELEASE);
    if (__atomic_load_n(&is_wanted, __ATOMIC_RELAXED) != 0) {
        __atomic_store_n(&is_wanted, 0, __ATOMIC_RELAXED);
        tally_port_wake(&is_held);
    }
}

void zpl_stream_forked(void)
{
    is_held = 0;
    writer = (struct ctf_writer){ 0 };
}
#else
#define lock()      tally_port_lock()
#define unlock(key) tally_port_unlock(key)
#endif

static bool wants_text(const struct tally_zpl_stream *stream)
{
    if (stream->format == TALLY_ZPL_CONFIGURED)
        return TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_PLAINTEXT) ||
               !TALLY_CONFIG(CONFIG_ZPL_TRACE_FORMAT_CTF);
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
    key = lock();
    ctf_writer_flush(&writer);
    discarded_before += writer.discarded;
    packets_before += writer.sequence;
    is_text = wants_text(stream);
    layout.has_packets = !is_text && !stream->is_bare && layout.version != 3;
    ctf_writer_open(&writer, &layout, stream->buffer, stream->capacity,
                    stream->sink);
    unlock(key);
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
    /* Field by field: to clear it first is half of all the work on firmware. */
    struct zpl_event event;
    uint32_t key = lock();

    events++;
    event.time_ns = tally_port_time_ns();
    event.memory_addr = memory_addr;
    event.used = used;
    event.unused = unused;
    event.for_thread_id = for_thread_id;
    event.memory_region = (uint8_t)memory_region;
    if (writer.buffer == NULL)
        discarded_before++;
    else if (is_text)
        write_line(&event);
    else
        ctf_writer_event(&writer, &event);
    unlock(key);
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
    uint32_t key = lock();

    ctf_writer_flush(&writer);
    unlock(key);
}

void zpl_stream_set_profiler_us(uint32_t profiler_us)
{
    uint32_t key = lock();

    writer.profiler_us = profiler_us;
    unlock(key);
}

void zpl_stream_figures(struct tally_zpl_figures *figures)
{
    uint32_t key = lock();

    figures->events = events;
    figures->discarded = discarded_before + writer.discarded;
    figures->packets = packets_before + writer.sequence;
    unlock(key);
}

void zpl_stream_describe(void *packet, uint32_t size)
{
    uint32_t key = lock();

    if (writer.buffer != NULL && writer.layout.has_packets)
        ctf_writer_describe(&writer, packet, size, tally_port_time_ns());
    unlock(key);
}
