/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_trace_stream_mixed.c - output of a board over its life: events in each
 * layout, lines of text, prompts, banners and logs, in any order
 *
 * A model creates streams and knows their events by serial numbers. The reader
 * must return all of them, in order, and nothing else; all other bytes are
 * skipped.
 */
#include "tool/model/trace/trace_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/bytes.h"
#include "format/ctf/ctf_stream.h"
#include "format/ctf/zpl_event.h"
#include "format/text/zpl_text.h"
#include "tests/fakes/random_sequence.h"

enum { CAPACITY = 1 << 18, MOST_EVENTS = 4096, WHOLE = 5000 };

struct wire {
    struct random_sequence random;
    unsigned char bytes[CAPACITY];
    size_t size;
    size_t noise; /* bytes that belong to no event */
    size_t open;  /* ... and begin an unfinished line */
    struct zpl_event events[MOST_EVENTS];
    size_t count;
    uint64_t time_ns;
    bool has_others;
};

static void put(struct wire *wire, const void *bytes, size_t size)
{
    assert_true(size <= CAPACITY - wire->size);
    memcpy(wire->bytes + wire->size, bytes, size);
    wire->size += size;
}

static struct zpl_event next_event(struct wire *wire)
{
    uint32_t number = (uint32_t)wire->count;
    struct zpl_event event = {
        .time_ns = wire->time_ns,
        .memory_addr = 0x20001000 + number % 4 * 256,
        .used = number,
        .unused = WHOLE - number,
        .for_thread_id = number % 4 == ZPL_STACK ? 0x20010310 : 0,
        .memory_region = (uint8_t)(number % 4),
    };

    assert_true(wire->count < MOST_EVENTS);
    wire->events[wire->count++] = event;
    return event;
}

static void pass_time(struct wire *wire)
{
    wire->time_ns += 1000 + random_below(&wire->random, 3000000);
}

/* Write console output without a line that names an event. */
static void put_noise(struct wire *wire)
{
    static const char *const lines[] = {
        "*** Booting Zephyr OS build v4.2.0 ***\r\n",
        "[00:00:01.234,000] <inf> main: hello world\r\n",
        "uart:~$ ",
        "\033[1;32muart:~$ \033[m",
        "\033[1;31m[00:00:07.001,000] <err> net: no route (-113)\033[0m\r\n",
        "E: failed (-12)\r\n",
        "x\n",
        "\r\n",
        "temperature 25.5 C, humidity 40 %\n",
        "uart:~$ kernel uptime\r\n\tUptime: 123456 ms\r\n\033[8D\033[J",
    };
    const char *line =
        lines[random_below(&wire->random, sizeof lines / sizeof lines[0])];

    put(wire, line, strlen(line));
    wire->noise += strlen(line);
    if (strchr(line, '\n') != NULL)
        wire->open = 0;
    wire->open +=
        strlen(strrchr(line, '\n') == NULL ? line : strrchr(line, '\n') + 1);
}

/* Write one of Zephyr's own events, by its table. */
static void put_other(struct wire *wire, const struct ctf_layout *layout)
{
    static const struct {
        unsigned char id, size;
    } kinds[] = { { 0x10, 24 }, { 0x11, 24 }, { 0x1b, 0 }, { 0x1c, 0 },
                  { 0x1e, 0 },  { 0x24, 8 },  { 0x26, 12 } };
    unsigned kind = random_below(&wire->random, sizeof kinds / sizeof kinds[0]);
    unsigned char bytes[14 + 24] = { 0 }, *out = bytes;

    if (layout->version == 3) {
        out = put_word_le(out, 0, 2);
        out = put_word_le(out, (14u + kinds[kind].size) * 8, 2);
    }
    out = put_word_le(out, wire->time_ns, layout->version == 3 ? 8 : 4);
    out = put_word_le(out, kinds[kind].id, layout->version == 1 ? 1 : 2);
    if (kinds[kind].size > 0)
        put_word_le(out, 0x20010310, 4);
    if (kinds[kind].size == 24)
        memcpy(out + 4, "main", 4);
    put(wire, bytes, (size_t)(out - bytes) + kinds[kind].size);
    pass_time(wire);
}

static void put_bare(struct wire *wire, unsigned events, unsigned lines)
{
    struct ctf_layout layout = {
        .version = (uint8_t)(1 + random_below(&wire->random, 3)),
        .address_bytes = random_below(&wire->random, 3) == 0 ? 8 : 4,
    };
    unsigned char bytes[CTF_EVENT_LARGEST];

    for (unsigned i = 0; i < events; i++) {
        struct zpl_event event = next_event(wire);

        if (i >= 3 && random_below(&wire->random, events) < lines)
            put_noise(wire);
        zpl_wire_write(bytes, &layout, &event, event.time_ns);
        put(wire, bytes, ctf_layout_event_bytes(&layout));
        pass_time(wire);
        while (i >= 3 && i + 3 < events && wire->has_others &&
               random_below(&wire->random, 2) == 0)
            put_other(wire, &layout);
    }
}

static bool take_packet(void *context, const void *bytes, size_t size)
{
    put(context, bytes, size);
    return true;
}

static void put_packets(struct wire *wire, unsigned events)
{
    struct ctf_layout layout = { 1, 4, true, NULL };
    struct ctf_writer writer;
    unsigned char buffer[512];

    ctf_writer_open(
        &writer, &layout, buffer, sizeof buffer,
        (struct tally_zpl_sink){ .write = take_packet, .context = wire });
    for (unsigned i = 0; i < events; i++) {
        struct zpl_event event = next_event(wire);

        ctf_writer_event(&writer, &event);
        pass_time(wire);
    }
    ctf_writer_flush(&writer);
}

static void put_text(struct wire *wire, unsigned events)
{
    char line[ZPL_TEXT_LONGEST];

    /* The text before it in its line belongs to it. */
    wire->noise -= wire->open;
    wire->open = 0;
    for (unsigned i = 0; i < events; i++) {
        struct zpl_event event = next_event(wire);

        put(wire, line, zpl_text_write(line, &event));
    }
}

static struct wire *wire_create(uint64_t seed)
{
    struct wire *wire = calloc(1, sizeof *wire);

    assert_non_null(wire);
    wire->random = (struct random_sequence){ seed };
    for (unsigned i = 0; i < 8; i++)
        random_next(&wire->random);
    wire->time_ns = random_next(&wire->random) >> 30;
    wire->has_others = random_below(&wire->random, 3) == 0;
    return wire;
}

static bool is_same(const struct zpl_event *one, const struct zpl_event *other)
{
    return one->memory_addr == other->memory_addr && one->used == other->used &&
           one->unused == other->unused &&
           one->for_thread_id == other->for_thread_id &&
           one->memory_region == other->memory_region;
}

struct outcome {
    size_t events, invented, lost, disordered;
    uint64_t skipped;
};

static void take(const struct wire *wire, struct trace_stream *stream,
                 bool *is_seen, struct outcome *outcome, size_t *last)
{
    struct trace_event event;

    while (trace_stream_next(stream, &event)) {
        size_t number = event.region.used;

        if (event.kind == TRACE_EVENT_OTHER)
            continue;
        outcome->events++;
        if (event.kind != TRACE_EVENT_REGION || number >= wire->count ||
            is_seen[number] || !is_same(&event.region, &wire->events[number])) {
            outcome->invented++;
            continue;
        }
        outcome->disordered += number < *last;
        *last = number;
        is_seen[number] = true;
    }
}

static struct outcome read_wire(struct wire *wire, size_t piece)
{
    struct trace_stream *stream = trace_stream_create(NULL);
    static bool is_seen[MOST_EVENTS];
    struct outcome outcome = { 0 };
    struct trace_counts counts;
    size_t last = 0;

    assert_non_null(stream);
    memset(is_seen, 0, sizeof is_seen);
    for (size_t done = 0; done < wire->size; done += piece) {
        size_t left = wire->size - done;

        trace_stream_feed(stream, wire->bytes + done,
                          left < piece ? left : piece);
        take(wire, stream, is_seen, &outcome, &last);
    }
    trace_stream_end(stream);
    take(wire, stream, is_seen, &outcome, &last);
    for (size_t i = 0; i < wire->count; i++)
        outcome.lost += !is_seen[i];
    trace_stream_count(stream, &counts);
    outcome.skipped = counts.skipped.bytes;
    trace_stream_destroy(stream);
    return outcome;
}

enum what { NOISE, PARTS, ALL };

/*
 * A read may end anywhere, except where another layout begins: an event at the
 * end of the available bytes is accepted without those after it.
 */
static size_t some_piece(struct wire *wire, enum what what)
{
    static const size_t pieces[] = { CAPACITY, CAPACITY, 4096, 71 };

    return what == NOISE ? pieces[random_below(&wire->random, 4)] : CAPACITY;
}

static void put_part(struct wire *wire, enum what what)
{
    unsigned kind = random_below(&wire->random, 4);
    unsigned events = (kind == 3 ? 1 : 4) + random_below(&wire->random, 40);

    if (kind == 2)
        put_packets(wire, events);
    else if (kind == 3)
        put_text(wire, events);
    else
        put_bare(wire, events, what == ALL ? 3 : 0);
}

static struct wire *make_wire(uint64_t seed, enum what what)
{
    struct wire *wire = wire_create(seed * 4 + what);
    unsigned parts = what == NOISE ? 0 : 2 + random_below(&wire->random, 4);

    if (what == NOISE)
        put_bare(wire, 40 + random_below(&wire->random, 200),
                 1 + random_below(&wire->random, 6));
    while (parts-- > 0) {
        put_part(wire, what);
        if (what == PARTS && random_below(&wire->random, 3) == 0)
            wire->time_ns = random_next(&wire->random) >> 30;
    }
    return wire;
}

enum { STREAMS = 400 };

/*
 * An event of Zephyr's own beside a piece of text may be taken for a part of
 * it: those bytes are then skipped, in one stream of ten at most.
 */
static void check(enum what what)
{
    unsigned miscounted = 0;

    for (unsigned seed = 0; seed < STREAMS; seed++) {
        struct wire *wire = make_wire(seed, what);
        struct outcome outcome = read_wire(wire, some_piece(wire, what));

        if (outcome.lost + outcome.invented + outcome.disordered > 0)
            fail_msg("stream %u: %zu events lost, %zu invented, %zu too late",
                     seed, outcome.lost, outcome.invented, outcome.disordered);
        if (!wire->has_others)
            assert_int_equal(outcome.skipped, wire->noise);
        miscounted += outcome.skipped != wire->noise;
        free(wire);
    }
    assert_true(miscounted <= STREAMS / 10);
}

static void a_console_between_events_is_skipped(void **state)
{
    (void)state;
    check(NOISE);
}

static void parts_of_any_layout_follow_each_other(void **state)
{
    (void)state;
    check(PARTS);
}

static void both_come_together(void **state)
{
    (void)state;
    check(ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_console_between_events_is_skipped),
        cmocka_unit_test(parts_of_any_layout_follow_each_other),
        cmocka_unit_test(both_come_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
