/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_trace_seeded.c - streams of all layouts, with and without metadata,
 * undamaged and damaged
 *
 * A model writes rounds of regions in any shape that compilers make of the
 * event, among Zephyr's own events, with pauses. Of an undamaged stream all
 * events come back. Damage loses, adds or cuts off bytes: it may cost events,
 * but makes no region.
 *
 * This file is long because one model writes the streams of all cases.
 *
 *     test_trace_seeded [STREAMS [SEED]]     default: 400 from 0 on
 */
#include "tool/model/trace/trace_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/bytes.h"
#include "format/ctf/ctf_stream.h"
#include "tests/fakes/random_sequence.h"

enum { CAPACITY = 1 << 16, MOST_EVENTS = 1024, REGIONS = 6 };

static unsigned streams = 400, base = 0;

/* Seeds of streams that were read wrongly once; they always run. */
static const unsigned hard[] = { 2934,  3647,  6962,  7188,  7222, 8378,
                                 15326, 17362, 27786, 33324, 68996 };

enum { HARD = sizeof hard / sizeof hard[0] };

static unsigned seed_of(unsigned number)
{
    return number < streams ? base + number : hard[number - streams];
}

/* Kinds of streams, which may be combined. */
enum {
    LETTERS = 1, /* some events are letters alone */
    KERNEL = 2,  /* with the header of newer kernels */
};

/* Numbers of the natural layouts of newer kernels. Other kinds skip them, so
   that old seeds give the same streams. */
enum { OF_KERNEL = 6, COUNT_OF_KERNEL = 2 };

struct wire {
    struct random_sequence random;
    struct ctf_layout layout;
    uint64_t time_ns;
    unsigned kind;
    struct zpl_event regions[REGIONS];
    struct zpl_event events[MOST_EVENTS];
    size_t starts[MOST_EVENTS]; /* bytes before each event */
    bool ends[CAPACITY]; /* an event, of any kind, ends before this byte */
    size_t count, size;
    unsigned char bytes[CAPACITY];
};

static void put(struct wire *wire, const void *bytes, size_t size)
{
    assert_true(size <= CAPACITY - wire->size);
    memcpy(wire->bytes + wire->size, bytes, size);
    wire->size += size;
    wire->ends[wire->size] = true;
}

static unsigned below(struct wire *wire, unsigned limit)
{
    return (unsigned)random_below(&wire->random, limit);
}

static void put_field(unsigned char *out, struct zpl_field field,
                      uint64_t value)
{
    unsigned char bytes[8];

    put_word_le(bytes, value, 8);
    memcpy(out + field.at, bytes, field.bytes);
}

/* Bytes between fields are what was in memory. */
static void put_shape(struct wire *wire, const struct zpl_event *event)
{
    const struct zpl_shape *shape = wire->layout.shape;
    unsigned char out[64];

    for (unsigned i = 0; i < sizeof out; i++)
        out[i] = (unsigned char)below(wire, 256);
    if (wire->layout.version == 3)
        put_word_le(put_word_le(out, 0, 2), shape->bytes * 8u, 2);
    put_field(out, shape->timestamp, event->time_ns);
    put_field(out, shape->id, shape->event_id);
    put_field(out, shape->memory_region, event->memory_region);
    put_field(out, shape->memory_addr, event->memory_addr);
    put_field(out, shape->used, event->used);
    put_field(out, shape->unused, event->unused);
    put_field(out, shape->for_thread_id, event->for_thread_id);
    put(wire, out, shape->bytes);
}

static void put_memory(struct wire *wire, unsigned region)
{
    unsigned char bytes[CTF_EVENT_LARGEST];
    struct zpl_event event = wire->regions[region];

    event.time_ns = wire->time_ns;
    event.used = below(wire, event.unused);
    event.unused -= event.used;
    wire->starts[wire->count] = wire->size;
    wire->events[wire->count++] = event;
    if (wire->layout.shape != NULL) {
        put_shape(wire, &event);
        return;
    }
    zpl_wire_write(bytes, &wire->layout, &event, event.time_ns);
    put(wire, bytes, ctf_layout_event_bytes(&wire->layout));
}

static unsigned char letter(struct wire *wire)
{
    return (unsigned char)(' ' + below(wire, 0x7f - ' '));
}

/* Advance the time until its low 4 bytes are letters, as a console's output
   is; the highest of them stays so for a while. */
static void advance_to_letters(struct wire *wire)
{
    uint32_t letters = (uint32_t)wire->time_ns;

    if (letters >> 24 >= ' ' && letters >> 24 < 0x7f)
        return;
    for (unsigned i = 0; i < 4; i++)
        letters = letters << 8 | letter(wire);
    wire->time_ns += (uint32_t)(letters - (uint32_t)wire->time_ns);
}

/* Write one of Zephyr's own events. */
static void put_other(struct wire *wire)
{
    static const struct {
        unsigned char id, size;
    } kinds[] = { { 0x10, 24 }, { 0x11, 24 }, { 0x1b, 0 }, { 0x1c, 0 },
                  { 0x1e, 0 },  { 0x24, 8 },  { 0x26, 12 } };
    unsigned kind = below(wire, sizeof kinds / sizeof kinds[0]);
    unsigned size = kinds[kind].size, version = wire->layout.version;
    unsigned char bytes[14 + 24] = { 0 }, *out = bytes;
    bool is_text = wire->kind & LETTERS && below(wire, 8) == 0;

    if (is_text)
        advance_to_letters(wire);
    if (version == 3) {
        out = put_word_le(out, 0, 2);
        out = put_word_le(out, (14u + size) * 8, 2);
    }
    out = put_word_le(out, wire->time_ns, version >= 3 ? 8 : 4);
    out = put_word_le(out, kinds[kind].id, version == 1 ? 1 : 2);
    if (size > 0)
        put_word_le(out, 0x20010310 + below(wire, 4) * 0x100, 4);
    if (size == 24)
        memcpy(out + 4, "main", 4);
    for (unsigned i = 0; is_text && i < size; i++)
        out[i] = letter(wire);
    put(wire, bytes, (size_t)(out - bytes) + size);
}

static void make_regions(struct wire *wire)
{
    for (unsigned i = 0; i < REGIONS; i++) {
        uint32_t address = 0x20000000 + i * 0x1000 + below(wire, 256) * 8;

        wire->regions[i] = (struct zpl_event){
            .memory_addr = address,
            .unused = 256 + below(wire, 1 << 14),
            .for_thread_id = i < 2 ? address + 0x400 : 0,
            .memory_region = (uint8_t)(i < 2 ? ZPL_STACK : i % 3 + 1),
        };
    }
}

static struct ctf_layout choose_layout(struct wire *wire, unsigned kind)
{
    unsigned count = 0, number;

    while (zpl_natural_layout(count).version != 0)
        count++;
    number = below(wire, count - COUNT_OF_KERNEL);
    if (kind & KERNEL)
        number = OF_KERNEL + number % COUNT_OF_KERNEL;
    else if (number >= OF_KERNEL)
        number += COUNT_OF_KERNEL;
    return zpl_natural_layout(number);
}

static struct wire *make_wire_of(uint64_t seed, unsigned kind)
{
    struct wire *wire = calloc(1, sizeof *wire);
    unsigned rounds, others;

    assert_non_null(wire);
    wire->random = (struct random_sequence){ seed };
    for (unsigned i = 0; i < 8; i++)
        random_next(&wire->random);
    wire->layout = choose_layout(wire, kind);
    rounds = 2 + below(wire, 30);
    others = below(wire, 4);
    wire->time_ns = random_next(&wire->random) >> 20;
    make_regions(wire);
    if (others > 0 && below(wire, 4) == 0) {
        put_other(wire); /* before the clock is set */
        wire->time_ns -= 1 << 20;
    }
    wire->kind = kind;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < REGIONS; i++) {
            for (unsigned k = others == 0 ? 0 : below(wire, 2 * others); k > 0;
                 k--) {
                put_other(wire);
                wire->time_ns += below(wire, 100000);
            }
            put_memory(wire, i);
            wire->time_ns += below(wire, 100000);
        }
        wire->time_ns += below(wire, 2) * UINT64_C(1000000000);
    }
    return wire;
}

static struct wire *make_wire(uint64_t seed)
{
    return make_wire_of(seed, 0);
}

static bool is_known(const struct wire *wire, const struct zpl_event *event)
{
    for (unsigned i = 0; i < REGIONS; i++) {
        const struct zpl_event *region = &wire->regions[i];

        if (event->memory_addr == region->memory_addr &&
            event->memory_region == region->memory_region)
            return true;
    }
    return false;
}

struct outcome {
    size_t events, wrong, invented;
    uint64_t skipped;
};

static void take(const struct wire *wire, struct trace_stream *stream,
                 struct outcome *outcome)
{
    struct trace_event event;

    while (trace_stream_next(stream, &event)) {
        const struct zpl_event *wanted = &wire->events[outcome->events];

        if (event.kind != TRACE_EVENT_REGION)
            continue;
        outcome->invented += !is_known(wire, &event.region);
        outcome->wrong += outcome->events >= wire->count ||
                          event.region.memory_addr != wanted->memory_addr ||
                          event.region.memory_region != wanted->memory_region ||
                          event.region.used != wanted->used ||
                          event.region.unused != wanted->unused;
        outcome->events++;
    }
}

static struct outcome read_wire(struct wire *wire, bool has_metadata)
{
    static char text[CTF_METADATA_CAPACITY + ZEPHYR_METADATA_CAPACITY];
    static struct ctf_metadata_facts facts;
    const struct ctf_surroundings nothing = { 0 };
    size_t size = ctf_metadata_write(text, CTF_METADATA_CAPACITY, &wire->layout,
                                     &nothing);
    size_t piece = below(wire, 2) == 0 ? CAPACITY : 1 + below(wire, 5000);
    struct outcome outcome = { 0 };
    struct trace_stream *stream;
    struct trace_counts counts;

    size += zephyr_metadata_write(text + size, ZEPHYR_METADATA_CAPACITY,
                                  &wire->layout);
    assert_true(ctf_metadata_read(text, size, &facts));
    stream = trace_stream_create(has_metadata ? &facts : NULL);
    for (size_t done = 0; done < wire->size; done += piece) {
        size_t left = wire->size - done;

        trace_stream_feed(stream, wire->bytes + done,
                          left < piece ? left : piece);
        take(wire, stream, &outcome);
    }
    trace_stream_end(stream);
    take(wire, stream, &outcome);
    trace_stream_count(stream, &counts);
    outcome.skipped = counts.skipped.bytes;
    trace_stream_destroy(stream);
    return outcome;
}

static void expect_whole(unsigned seed, unsigned kind)
{
    struct wire *wire = make_wire_of(seed, kind);
    struct outcome outcome = read_wire(wire, seed % 2 == 1);

    if (outcome.events != wire->count || outcome.wrong > 0 ||
        outcome.skipped > 0)
        fail_msg("stream %u: %zu of %zu events, %zu wrong, %zu skipped", seed,
                 outcome.events, wire->count, outcome.wrong,
                 (size_t)outcome.skipped);
    free(wire);
}

static void undamaged_streams_are_whole(void **state)
{
    (void)state;
    for (unsigned i = 0; i < streams + HARD; i++)
        expect_whole(seed_of(i), 0);
}

/* The output of a console is letters, and so may events be. */
static void letters_are_events(void **state)
{
    (void)state;
    for (unsigned i = 0; i < streams; i++)
        expect_whole(seed_of(i), LETTERS);
}

/* Return the bytes that are skipped in a stream, fed in pieces. */
static uint64_t count_skipped(const unsigned char *bytes, size_t size,
                              size_t piece)
{
    struct trace_stream *stream = trace_stream_create(NULL);
    struct trace_counts counts;
    struct trace_event event;

    for (size_t done = 0; done < size; done += piece) {
        trace_stream_feed(stream, bytes + done,
                          size - done < piece ? size - done : piece);
        while (trace_stream_next(stream, &event))
            continue;
    }
    trace_stream_end(stream);
    while (trace_stream_next(stream, &event))
        continue;
    trace_stream_count(stream, &counts);
    trace_stream_destroy(stream);
    return counts.skipped.bytes;
}

/* Rows of events of letters are the same events in pieces of any size, and all
   are events up to 8 in a row. */
static void pieces_of_letters_make_no_difference(void **state)
{
    static unsigned char bytes[CAPACITY];

    (void)state;
    for (unsigned row = 1; row <= 400; row += row < 20 ? 1 : 380) {
        struct wire *wire = make_wire(0);
        size_t size = 0;
        uint64_t skipped;

        wire->layout = zpl_natural_layout(0);
        wire->size = wire->count = 0;
        wire->time_ns = 0x41414141;
        for (unsigned i = 0; i < 12; i++) {
            put_memory(wire, i % REGIONS);
            for (unsigned k = 0; k < row; k++) {
                put(wire, "AAAA$ABCDEFGH", 13);
                wire->time_ns++;
            }
        }
        put_memory(wire, 0);
        size = wire->size;
        memcpy(bytes, wire->bytes, size);
        skipped = count_skipped(bytes, size, size);
        if (row <= 8)
            assert_int_equal(skipped, 0);
        assert_int_equal(count_skipped(bytes, size, 1), skipped);
        assert_int_equal(count_skipped(bytes, size, 1000), skipped);
        free(wire);
    }
}

static void newer_kernels_are_read(void **state)
{
    (void)state;
    assert_int_equal(zpl_natural_layout(OF_KERNEL).version, 4);
    for (unsigned i = 0; i < streams; i++)
        expect_whole(seed_of(i), KERNEL);
}

/* Return the size of the event that begins at `at`, by the tables; 0: none. */
static size_t size_at(const struct wire *wire, size_t at)
{
    const unsigned char *bytes = wire->bytes + at;
    size_t head = ctf_layout_head_bytes(&wire->layout), left = wire->size - at;
    const struct ctf_events *events = zephyr_events(&wire->layout);
    const struct ctf_event *event;
    struct zpl_event memory;
    uint64_t id;

    if (left < head)
        return 0;
    id = zpl_wire_id(bytes, &wire->layout);
    if (id == zpl_memory_id(&wire->layout))
        return left >= ctf_layout_event_bytes(&wire->layout) &&
                       zpl_wire_read(bytes, &wire->layout, &memory)
                   ? ctf_layout_event_bytes(&wire->layout)
                   : 0;
    if (wire->layout.version == 3)
        return read_u16le(bytes + 2) / 8;
    event = ctf_events_find(events, 0, id);
    return event == NULL ? 0
                         : head + ctf_event_bytes(events, event, bytes + head,
                                                  left - head);
}

/* Return true if the bytes around `at` are all events again, to the start of
   one that was written. */
static bool fits(const struct wire *wire, size_t at)
{
    enum { BEFORE = 300 }; /* bytes */

    for (size_t start = at > BEFORE ? at - BEFORE : 0; start < at; start++) {
        size_t next = start, size = 1;

        while (wire->ends[start] && size > 0 && next < wire->size &&
               (next < at || !wire->ends[next])) {
            size = size_at(wire, next);
            next += size;
        }
        if (wire->ends[start] && size > 0 && next <= wire->size)
            return true;
    }
    return false;
}

/*
 * Lose bytes, add some, or cut the end off. Return the place. If the bytes
 * there fit together as events, the stream is undamaged: no reader can tell.
 */
static size_t damage(struct wire *wire)
{
    size_t at = below(wire, (unsigned)wire->size);
    size_t size = 1 + below(wire, 60), left = wire->size - at;

    size = size > left ? left : size;
    switch (below(wire, 4)) {
    case 0:
        wire->size = at;
        break;
    case 1:
        memmove(wire->ends + at + size, wire->ends + at, left);
        memset(wire->ends + at, false, size);
        memmove(wire->bytes + at + size, wire->bytes + at, left);
        for (size_t i = 0; i < size; i++)
            wire->bytes[at + i] = (unsigned char)below(wire, 256);
        wire->size += size;
        break;
    default:
        memmove(wire->ends + at, wire->ends + at + size, left - size);
        memmove(wire->bytes + at, wire->bytes + at + size, left - size);
        wire->size -= size;
    }
    return at;
}

/* Damage the stream so that it can be seen. */
static void spoil(struct wire *wire)
{
    static struct wire before;
    size_t at;

    for (before = *wire; at = damage(wire), fits(wire, at);) {
        before.random = wire->random;
        *wire = before;
    }
}

static void expect_no_region(unsigned count, unsigned kind)
{
    size_t events = 0, read = 0, invented = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned seed = seed_of(i);
        struct wire *wire = make_wire_of(seed, kind);
        struct outcome outcome;

        for (unsigned k = 1 + below(wire, 2); k > 0 && wire->size > 0; k--)
            spoil(wire);
        outcome = read_wire(wire, seed % 2 == 1);
        if (outcome.invented > 0)
            print_message("stream %u: %zu invented\n", seed, outcome.invented);
        invented += outcome.invented;
        while (wire->count > 0 && wire->starts[wire->count - 1] >= wire->size)
            wire->count--;
        events += wire->count;
        read += outcome.events;
        free(wire);
    }
    assert_true(read >= events - events / 20);
    assert_int_equal(invented, 0);
}

static void damage_makes_no_region(void **state)
{
    (void)state;
    expect_no_region(streams + HARD, 0);
    expect_no_region(streams, KERNEL);
}

/* Add a few bytes behind each four events of a stream with none of Zephyr's. */
static void litter(struct wire *wire)
{
    static unsigned char bytes[CAPACITY];
    size_t size = 0;

    for (size_t i = 0; i < wire->count; i++) {
        size_t length = ctf_layout_event_bytes(&wire->layout);

        memcpy(bytes + size, wire->bytes + wire->starts[i], length);
        size += length;
        for (unsigned k = i % 4 == 3 ? 1 + below(wire, 5) : 0; k > 0; k--)
            bytes[size++] = (unsigned char)below(wire, 256);
    }
    memcpy(wire->bytes, bytes, size);
    wire->size = size;
}

/* Bytes that are an event, of another kind, by chance are taken for it. */
static void litter_is_skipped(void **state)
{
    size_t events = 0, read = 0, all = 0, taken = 0;

    (void)state;
    for (unsigned i = 0; i < streams + HARD; i++) {
        unsigned seed = seed_of(i);
        struct wire *wire = make_wire(seed);
        size_t length = ctf_layout_event_bytes(&wire->layout);
        struct outcome outcome;

        if (wire->size == wire->count * length) {
            litter(wire);
            outcome = read_wire(wire, seed % 2 == 1);
            assert_int_equal(outcome.invented, 0);
            events += wire->count;
            read += outcome.events;
            all += wire->size;
            taken += wire->size - outcome.events * length - outcome.skipped;
        }
        free(wire);
    }
    print_message("%zu of %zu events; %zu of %zu bytes taken\n", read, events,
                  taken, all);
    assert_true(read >= events - events / 100);
    assert_true(taken <= all / 1000);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undamaged_streams_are_whole),
        cmocka_unit_test(letters_are_events),
        cmocka_unit_test(pieces_of_letters_make_no_difference),
        cmocka_unit_test(newer_kernels_are_read),
        cmocka_unit_test(damage_makes_no_region),
        cmocka_unit_test(litter_is_skipped),
    };

    if (argc > 1)
        streams = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2)
        base = (unsigned)strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
