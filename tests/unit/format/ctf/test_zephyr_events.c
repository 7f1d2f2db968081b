/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_zephyr_events.c - tables of Zephyr's and Zephelin's events, against
 * captures
 *
 * data/scopes.raw is from a Cortex-M3 with a clock of 12 MHz, data/
 * interrupts.raw from a native board of 32 bits: starts of undamaged streams
 * of Zephyr 3.4 with Zephelin of September 2025. A wrong size of any event
 * leads the walk astray, to an unknown id or to a time that steps back.
 */
#include "format/ctf/ctf_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/bytes.h"
#include "format/ctf/ctf_stream.h"

static const struct zpl_shape bare = { .memory_region.bytes = 1 };

static const struct ctf_layout layouts[] = {
    { .version = 1, .address_bytes = 4 },
    { .version = 2, .address_bytes = 4 },
    { .version = 3, .address_bytes = 4 },
    { .version = 5, .address_bytes = 4, .shape = &bare },
    { .version = 4, .address_bytes = 4 },
};

enum { HEAD = 5 }; /* bytes of Zephyr's header: time, id */

struct capture {
    unsigned char bytes[2048];
    size_t size;
};

static void read_capture(struct capture *capture, const char *name)
{
    char path[4096];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/tests/unit/format/ctf/data/%s",
                   getenv("TALLY_SOURCE_DIR"), name);
    file = fopen(path, "rb");
    assert_non_null(file);
    capture->size = fread(capture->bytes, 1, sizeof capture->bytes, file);
    (void)fclose(file);
}

/* Walk over the capture; return the number of events named `name`. The last
   one's fields are in *found. */
static unsigned walk(const struct capture *capture, size_t memory_bytes,
                     const char *name, struct ctf_walk *found,
                     uint32_t *found_time)
{
    const struct ctf_events *events = zephyr_events(&layouts[0]);
    unsigned count = 0;
    uint32_t last = 0;
    size_t at = 0;

    while (at < capture->size) {
        const unsigned char *fields = capture->bytes + at + HEAD;
        size_t left = capture->size - at - HEAD, size = memory_bytes;
        uint32_t time = read_u32le(capture->bytes + at);

        assert_true(time >= last);
        last = time;
        if (fields[-1] != 0xee) {
            const struct ctf_event *event =
                ctf_events_find(events, 0, fields[-1]);

            assert_non_null(event);
            size = ctf_event_bytes(events, event, fields, left);
            if (text_is(event->name, name)) {
                count++;
                *found = ctf_walk_begin(events, event, fields, left);
                *found_time = time;
            }
        }
        assert_in_range(size, 0, left);
        at += HEAD + size;
    }
    return count;
}

static const unsigned char *field_of(struct ctf_walk walk, const char *name)
{
    struct ctf_value value;

    while (ctf_walk_next(&walk, &value)) {
        if (text_is(value.field->name, name))
            return value.bytes;
    }
    fail_msg("no field %s", name);
    return NULL;
}

static void captures_have_these_events_alone(void **state)
{
    static const struct {
        const char *name;
        unsigned scopes, interrupts; /* in each capture */
    } expected[] = {
        { "idle", 3, 2 },
        { "isr_enter", 0, 2 },
        { "isr_exit", 0, 2 },
        { "named_event", 2, 2 },
        { "semaphore_give_enter", 2, 0 },
        { "semaphore_give_exit", 2, 0 },
        { "thread_create", 2, 0 },
        { "thread_info", 3, 1 },
        { "thread_name_set", 1, 0 },
        { "thread_switched_in", 10, 6 },
        { "thread_switched_out", 10, 6 },
        { "timer_init", 1, 0 },
        { "timer_start", 4, 0 },
        { "zpl_scope_enter", 2, 0 },
        { "zpl_scope_exit", 2, 0 },
    };
    static struct capture scopes, interrupts;
    struct ctf_walk found;
    uint32_t time;

    (void)state;
    read_capture(&scopes, "scopes.raw");
    read_capture(&interrupts, "interrupts.raw");
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_int_equal(walk(&scopes, 17, expected[i].name, &found, &time),
                         expected[i].scopes);
        assert_int_equal(walk(&interrupts, 20, expected[i].name, &found, &time),
                         expected[i].interrupts);
    }
}

/* The time in an event's header is that of its cycles, at 12 MHz. */
static void scopes_have_the_cycles_of_their_times(void **state)
{
    static const char *const names[] = { "zpl_scope_enter", "zpl_scope_exit" };
    static struct capture capture;

    (void)state;
    read_capture(&capture, "scopes.raw");
    for (unsigned i = 0; i < 2; i++) {
        struct ctf_walk scope, running;
        uint32_t time, before;

        assert_int_equal(walk(&capture, 17, names[i], &scope, &time), 2);
        assert_string_equal(field_of(scope, "scope_name"), "level");
        assert_int_equal(
            read_u32le(field_of(scope, "cycles")) * UINT64_C(1000) / 12, time);
        walk(&capture, 17, "thread_info", &running, &before);
        assert_string_equal(field_of(running, "name"), "main");
        assert_int_equal(read_u32le(field_of(scope, "thread_id")),
                         read_u32le(field_of(running, "thread_id")));
    }
}

/* The reader of metadata takes the same from the TSDL text. */
static void tables_are_those_of_their_text(void **state)
{
    static char text[CTF_METADATA_CAPACITY + ZEPHYR_METADATA_CAPACITY];
    static struct ctf_metadata_facts facts;
    const struct ctf_surroundings surroundings = { 0 };
    unsigned count;

    (void)state;
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const struct ctf_events *table = zephyr_events(&layouts[i]);
        size_t size = ctf_metadata_write(text, CTF_METADATA_CAPACITY,
                                         &layouts[i], &surroundings);

        size += zephyr_metadata_write(text + size, ZEPHYR_METADATA_CAPACITY,
                                      &layouts[i]);
        assert_in_range(size, 1, sizeof text);
        assert_true(ctf_metadata_read(text, size, &facts));
        count = 0;
        for (unsigned k = 0; k < table->count; k++) {
            const struct ctf_event *event = &table->items[k];
            const struct ctf_event *other =
                ctf_events_find(&facts.others, event->stream_id, event->id);

            if (ctf_events_find(table, event->stream_id, event->id) != event)
                continue; /* of another layout */
            assert_non_null(other);
            count++;
            assert_true(text_is_same(event->name, other->name));
            assert_int_equal(event->field_count, other->field_count);
            for (unsigned f = 0; f < event->field_count; f++) {
                const struct ctf_field *a =
                    &table->fields[event->first_field + f];
                const struct ctf_field *b =
                    &facts.others.fields[other->first_field + f];

                assert_true(text_is_same(a->name, b->name));
                assert_int_equal(a->bytes, b->bytes);
                assert_int_equal(a->count, b->count);
                assert_int_equal(a->value, b->value);
                assert_int_equal(a->length_of, b->length_of);
            }
        }
        assert_int_equal(facts.others.count, count);
    }
}

/* Events that no capture at hand has, as their programs send them. */
static void sizes_are_those_sent(void **state)
{
    static const struct {
        uint16_t id;
        unsigned layout;  /* index in `layouts` */
        size_t length_at; /* offset of an u16 with the length; 0: none */
        size_t length, bytes;
    } structs[] = {
        { 0x1f, 0, 0, 0, 4 },    { 0x20, 1, 0, 0, 4 }, /* calls */
        { 0x2d, 0, 0, 0, 4 },    { 0x2d, 1, 0, 0, 8 }, /* unlock_exit */
        { 0x32, 0, 0, 0, 8 },    { 0x69, 0, 0, 0, 12 },
        { 0x87, 2, 0, 0, 4 },    { 0xff, 2, 0, 0, 12 },
        { 0xe9, 2, 0, 0, 25 },   { 0xee, 2, 0, 0, 4 },
        { 0xa0, 0, 8, 20, 38 },  { 0xa1, 0, 8, 20, 38 }, /* TFLM */
        { 0xb0, 0, 5, 60, 67 },  { 0xb1, 0, 5, 60, 67 }, /* TVM */
        { 0xc0, 0, 0, 0, 2 },                            /* CPU load */
        { 0xd0, 0, 0, 0, 4 },    { 0xd1, 0, 0, 0, 4 },   /* inference */
        { 0x100, 2, 9, 20, 39 }, { 0x101, 2, 9, 20, 39 },
        { 0x102, 2, 6, 60, 68 }, { 0x103, 2, 6, 60, 68 },
        { 0x104, 2, 0, 0, 9 },   { 0x105, 2, 0, 0, 9 },
        { 0x107, 2, 0, 0, 3 },   { 0x109, 2, 5, 31, 46 },
        { 0x10a, 2, 5, 31, 46 }, /* scopes */
        { 0x87, 1, 0, 0, 4 },    { 0xff, 1, 0, 0, 12 },
        { 0xee, 3, 0, 0, 4 },    { 0x109, 3, 5, 31, 46 },
        { 0xee, 4, 0, 0, 4 },    { 0x104, 4, 0, 0, 25 }, /* Zephyr 4.5 */
        { 0x106, 4, 0, 0, 4 },   { 0x150, 4, 0, 0, 20 },
        { 0x185, 4, 0, 0, 8 },
    };

    (void)state;
    /* These ids of packets mean something else in the kernel's stream. */
    for (unsigned id = 0x100; id < 0x104; id++)
        assert_null(ctf_events_find(zephyr_events(&layouts[2]), 0, id));
    assert_null(ctf_events_find(zephyr_events(&layouts[3]), 0, 0x106));
    assert_null(ctf_events_find(zephyr_events(&layouts[4]), 0, 0x1ee));
    for (size_t i = 0; i < sizeof structs / sizeof structs[0]; i++) {
        const struct ctf_events *events =
            zephyr_events(&layouts[structs[i].layout]);
        unsigned stream = structs[i].layout == 2 && structs[i].id >= 0x100 &&
                          structs[i].id < 0x104;
        unsigned char bytes[128] = { 0 };

        bytes[structs[i].length_at] = (unsigned char)structs[i].length;
        assert_int_equal(
            ctf_event_bytes(events,
                            ctf_events_find(events, stream, structs[i].id),
                            bytes, sizeof bytes),
            structs[i].bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captures_have_these_events_alone),
        cmocka_unit_test(scopes_have_the_cycles_of_their_times),
        cmocka_unit_test(tables_are_those_of_their_text),
        cmocka_unit_test(sizes_are_those_sent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
