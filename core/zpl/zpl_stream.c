/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_stream.c - the stream of ZPL events and the profiler of regions
 *
 * Events are written as CTF or as lines. Lines have no header, so they are
 * buffered like the events of a bare stream: the writer sends whole lines and
 * counts those that no sink accepted.
 *
 * All functions run under a lock, the clock included, so that events are in the
 * order of their times. Hosts use a lock of their own, since the port's lock
 * costs as much as all other work; firmware uses the port's, since interrupts
 * emit events, too.
 *
 * The profiler's switch has the name that ZPL gives it, for debuggers with
 * ZPL's commands. The time of each round is measured and stored in packets.
 */
#include "core/zpl/zpl_stream.h"

#include "core/base/clock.h"
#include "core/base/word_lock.h"
#include "format/ctf/ctf_stream.h"
#include "format/invariant.h"
#include "format/text/zpl_text.h"
#include "tally/error.h"
#include "tally/port.h"

static struct ctf_writer writer;
static bool is_text;
static uint64_t events;
static uint64_t discarded_before; /* discarded by streams that were replaced */
static uint64_t packets_before;
static bool has_names; /* the stream has names of threads between its events */
static uint32_t stream_rounds;
static bool names_are_due;            /* in this round */
static uint32_t profiler_us, rest_ns; /* sum of all rounds */

/* An event fits into the smallest buffer. */
STATIC_ASSERT((int)TALLY_ZPL_BUFFER_SMALLEST >= (int)CTF_WRITER_SMALLEST &&
              (int)TALLY_ZPL_BUFFER_SMALLEST >= (int)ZPL_TEXT_LONGEST);

#if TALLY_HAS(OS)
static uint32_t own_lock;

static uint32_t lock(void)
{
    word_lock_take(&own_lock);
    return 0;
}

static void unlock(uint32_t key)
{
    (void)key;
    word_lock_give(&own_lock);
}

void zpl_stream_forked(void)
{
    own_lock = WORD_LOCK_FREE;
    writer = (struct ctf_writer){ 0 };
}
#else
#define lock()      tally_port_lock()
#define unlock(key) tally_port_unlock(key)
#endif

int tally_zpl_open(const struct tally_zpl_stream *stream)
{
    struct ctf_layout layout = zpl_stream_layout(stream);
    uint32_t key;

    if (stream->buffer == NULL ||
        stream->capacity < TALLY_ZPL_BUFFER_SMALLEST ||
        stream->format > TALLY_ZPL_PLAINTEXT || layout.version > 4)
        return TALLY_E_INVALID;
    key = lock();
    ctf_writer_flush(&writer);
    discarded_before += writer.discarded;
    packets_before += writer.sequence;
    is_text = zpl_stream_is_text(stream);
    has_names = !is_text && !layout.has_packets && !stream->without_names;
    stream_rounds = 0;
    ctf_writer_open(&writer, &layout, stream->buffer, stream->capacity,
                    stream->sink);
    writer.profiler_us = profiler_us;
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
    /* Field by field: clearing it first would be half of all work on
       firmware. */
    struct zpl_event event;
    uint32_t key = lock();

    events++;
    event.time_ns = tally_time_ns();
    event.memory_addr = memory_addr;
    event.used = used;
    event.unused = unused;
    event.for_thread_id = for_thread_id;
    event.memory_region = (uint8_t)memory_region;
    if (writer.buffer == NULL)
        discarded_before++;
    else if (ZPL_FORMAT_IS_FIXED ? ZPL_TEXT_IS_CONFIGURED : is_text)
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

void zpl_stream_describe(void *packet, uint32_t size)
{
    uint32_t key = lock();

    if (writer.buffer != NULL && writer.layout.has_packets)
        ctf_writer_describe(&writer, packet, size, tally_time_ns());
    unlock(key);
}

#define NS_PER_MS UINT64_C(1000000)

/* Debuggers write it while the program is stopped. */
static volatile struct {
    uint32_t memory_profiler;
} debug_configs = { TALLY_CONFIG(CONFIG_ZPL_MEMORY_PROFILING) };

static struct tally_zpl_figures figures;
static uint64_t next_round_ns; /* 0: never polled */

void zpl_memory_profiling_set(bool enable)
{
    debug_configs.memory_profiler = enable;
}

bool tally_zpl_is_on(void)
{
    return debug_configs.memory_profiler != 0;
}

/* Add the time of a round, without a 64-bit division, which firmware lacks. */
static void account(uint64_t taken_ns)
{
    uint32_t ns =
        taken_ns > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)taken_ns;
    uint32_t key = lock();

    figures.rounds++;
    figures.total_ns += taken_ns;
    figures.last_ns = ns;
    if (ns > figures.most_ns)
        figures.most_ns = ns;
    rest_ns += ns;
    profiler_us += rest_ns / 1000;
    rest_ns %= 1000;
    writer.profiler_us = profiler_us;
    unlock(key);
}

static uint32_t region_count; /* regions of this round */

/* Return a size as events have it, capped at UINT32_MAX. */
static uint32_t event_bytes(size_t size)
{
    return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

static void emit_name(const struct tally_port_region *stack)
{
    uint32_t key = lock();

    if (has_names && writer.buffer != NULL) {
        events++;
        ctf_writer_name(&writer, stack->thread, stack->name, tally_time_ns());
    }
    unlock(key);
}

static void emit(void *context, const struct tally_port_region *region)
{
    (void)context;
    if (!ZPL_HAS_NO_NAMES && names_are_due && region->kind == ZPL_STACK &&
        region->name != NULL)
        emit_name(region);
    zpl_emit_memory_for_thread_event(
        region->kind, region->address, event_bytes(region->used),
        event_bytes(region->unused), region->thread);
    region_count++;
}

/* Emit one event for each region in ZPL's order, and count threads whose stacks
   cannot be found. */
static void emit_regions(void)
{
    names_are_due = zpl_stream_names_are_due(stream_rounds++);
    region_count = 0;
    figures.unseen = tally_port_each_region(ZPL_STACK, emit, NULL);
    tally_port_each_region(ZPL_HEAP, emit, NULL);
    tally_port_each_region(ZPL_K_HEAP, emit, NULL);
    tally_port_each_region(ZPL_MEM_SLAB, emit, NULL);
    figures.regions = region_count;
}

void tally_zpl_round(void)
{
    uint64_t begin_ns;

    if (!tally_zpl_is_on()) {
        tally_zpl_flush(); /* events of other sources */
        return;
    }
    begin_ns = tally_time_ns();
    emit_regions();
    tally_zpl_flush();
    account(tally_time_ns() - begin_ns);
}

bool tally_zpl_poll(void)
{
    uint64_t now_ns = tally_time_ns();
    const uint64_t interval_ns =
        CONFIG_ZPL_MEMORY_PROFILING_INTERVAL * NS_PER_MS;

    if (next_round_ns == 0)
        next_round_ns =
            now_ns + CONFIG_ZPL_MEMORY_PROFILING_THREAD_DELAY * NS_PER_MS;
    if (now_ns < next_round_ns)
        return false;
    next_round_ns += interval_ns;
    if (next_round_ns <= now_ns) /* missed rounds are skipped */
        next_round_ns = now_ns + interval_ns;
    tally_zpl_round();
    return true;
}

void tally_zpl_figures_get(struct tally_zpl_figures *out)
{
    uint32_t key = lock();

    *out = figures;
    out->events = events;
    out->discarded = discarded_before + writer.discarded;
    out->packets = packets_before + writer.sequence;
    unlock(key);
}
