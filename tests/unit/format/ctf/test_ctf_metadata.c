/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_ctf_metadata.c - Tally's metadata, and those of other writers
 *
 * This file is long because each part of the metadata may be another.
 */
#include "format/ctf/ctf_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/ctf/ctf_input.h"

static const struct ctf_layout layouts[] = {
    { 1, 4, false, NULL }, { 1, 8, false, NULL }, { 2, 4, false, NULL },
    { 2, 8, false, NULL }, { 3, 4, false, NULL }, { 3, 8, false, NULL },
    { 1, 4, true, NULL },  { 1, 8, true, NULL },  { 2, 4, true, NULL },
    { 2, 8, true, NULL },  { 4, 4, false, NULL }, { 4, 8, false, NULL },
};

static void every_layout_is_read_back(void **state)
{
    const struct ctf_surroundings surroundings = { 0 };

    (void)state;
    for (unsigned i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        char text[CTF_METADATA_CAPACITY];
        size_t size =
            ctf_metadata_write(text, sizeof text, &layouts[i], &surroundings);
        struct ctf_metadata_facts facts;

        assert_in_range(size, 1, sizeof text);
        assert_true(ctf_metadata_read(text, size, &facts));
        assert_memory_equal(&facts.layout, &layouts[i], sizeof layouts[i]);
        assert_null(strstr(text, "offset"));
        assert_int_equal(facts.program.length, 0);
    }
}

static void surroundings_are_read_back(void **state)
{
    static const struct ctf_name names[] = {
        { "main", 77, CTF_NAMED_THREAD },
        { "pool", 0x7f0012345678, CTF_NAMED_REGION },
        { "a \"quoted\"\n\\name", 4294967295, CTF_NAMED_THREAD },
        { NULL, 0, CTF_NAMED_THREAD },
    };
    const struct ctf_surroundings surroundings = {
        .clock_zero_ns = UINT64_C(1700000000123456789),
        .program = "/usr/bin/program",
        .load_address = 0x555555554000,
        .names = names,
    };
    char text[CTF_METADATA_CAPACITY];
    size_t size =
        ctf_metadata_write(text, sizeof text, &layouts[7], &surroundings);
    struct ctf_metadata_facts facts;
    struct text_view name;
    size_t position = 0;
    enum ctf_named what;
    uint64_t number;

    (void)state;
    assert_true(ctf_metadata_read(text, size, &facts));
    assert_non_null(strstr(text, "offset = 0x17979cfe3d85cd15;"));
    assert_int_equal(facts.program.length, 16);
    assert_memory_equal(facts.program.bytes, "/usr/bin/program", 16);
    assert_true(facts.load_address == 0x555555554000);
    assert_int_equal(
        ctf_metadata_next_name(text, size, &position, &what, &number, &name),
        1);
    assert_int_equal(what, CTF_NAMED_THREAD);
    assert_true(number == 77);
    assert_int_equal(name.length, 4);
    assert_memory_equal(name.bytes, "main", 4);
    assert_int_equal(
        ctf_metadata_next_name(text, size, &position, &what, &number, &name),
        1);
    assert_int_equal(what, CTF_NAMED_REGION);
    assert_true(number == 0x7f0012345678);
    assert_int_equal(name.length, 4);
    assert_memory_equal(name.bytes, "pool", 4);
    assert_int_equal(
        ctf_metadata_next_name(text, size, &position, &what, &number, &name),
        1);
    assert_int_equal(what, CTF_NAMED_THREAD);
    assert_true(number == UINT32_MAX);
    assert_int_equal(name.length, 12);
    assert_memory_equal(name.bytes, "a quotedname", 12);
    assert_int_equal(
        ctf_metadata_next_name(text, size, &position, &what, &number, &name),
        0);
}

static void what_does_not_fit_is_left_out(void **state)
{
    const struct ctf_surroundings surroundings = { 0 };
    char text[100];
    size_t size;

    (void)state;
    memset(text, 'x', sizeof text);
    size = ctf_metadata_write(text, 99, &layouts[0], &surroundings);
    assert_true(size > 99);
    assert_int_equal(text[99], 'x');
    assert_int_equal(ctf_metadata_write(NULL, 0, &layouts[0], &surroundings),
                     size);
}

/* The relevant parts of a kernel's own metadata, in other words. */
static const char foreign[] =
    "/* CTF 1.8 */ // and a comment\n"
    "typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
    "typealias integer { size = 0x20; align = 8; } := u32;\n"
    "typealias integer { size = 8; encoding = ASCII; } := letter;\n"
    "typealias floating_point { exp_dig = 8; mant_dig = 24; } := single;\n"
    "struct event_header { u32 timestamp; u8 id; };\n"
    "trace { major = 1; minor = 8; byte_order = le; };\n"
    "stream { event.header := struct event_header; };\n"
    "event { name = thread_switched_out; id = 0x10;\n"
    "  fields := struct { u32 thread_id; letter name[20]; }; };\n"
    "event { name = isr_enter; id = 0x1B; };\n"
    "event { name = wide; id = 3; fields := struct {\n"
    "  integer { size = 32; align = 32; } a; }; };\n"
    "event { name = big; id = 4; fields := struct {\n"
    "  integer { size = 32; align = 8; byte_order = be; } a; }; };\n"
    "event { name = text; id = 2; fields := struct {\n"
    "  string { encoding = UTF8; } s; string t; u32 a; u8 b; }; };\n"
    "event { name = texts; id = 5; fields := struct { string s[2]; }; };\n"
    "event { name = deep; id = 0x20; fields := struct {\n"
    "  single f; enum : u8 { A, B = 3 } e;\n"
    "  struct { u32 a; u8 b[2][3]; } s; } align(8); };\n"
    "event { name = said; id = 0x62; fields := struct {\n"
    "  u8 a; u8 count; letter text[count]; u8 end; }; };\n"
    "event { name = unsaid; id = 0x63; fields := struct {\n"
    "  letter text[count]; u8 count; }; };\n"
    "enum zpl_memory_region : u8 { ZPL_STACK = 0, ZPL_HEAP, };\n"
    "event { name = zpl_memory; id = 0xEE; fields := struct {\n"
    "  enum zpl_memory_region memory_region; u32 memory_addr; u32 used;\n"
    "  u32 unused; u32 for_thread_id; }; };\n";

static void other_events_are_found_with_their_fields(void **state)
{
    static const struct {
        uint16_t id;
        unsigned fields;
        size_t bytes; /* with a count of 3 if a count is needed */
    } expected[] = { { 0x10, 2, 24 },
                     { 0x1b, 0, 0 },
                     { 0x02, 4, 9 },
                     { 0x20, 3, 15 },
                     { 0x62, 4, 6 } };
    static const unsigned char bytes[64] = { 1, 3 };
    struct ctf_metadata_facts facts;

    (void)state;
    assert_true(ctf_metadata_read(foreign, sizeof foreign - 1, &facts));
    assert_int_equal(facts.layout.version, 1);
    assert_int_equal(facts.layout.address_bytes, 4);
    assert_false(facts.layout.has_packets);
    assert_int_equal(facts.others.count, 5);
    for (unsigned i = 0; i < 5; i++) {
        const struct ctf_event *event = &facts.others.items[i];

        assert_int_equal(event->id, expected[i].id);
        assert_int_equal(event->field_count, expected[i].fields);
        for (size_t size = 0; size < sizeof bytes; size++)
            assert_int_equal(ctf_event_bytes(&facts.others, event, bytes, size),
                             size < expected[i].bytes ? size + 1
                                                      : expected[i].bytes);
    }
    assert_true(text_is(facts.others.items[4].name, "said"));
    assert_null(ctf_events_find(&facts.others, 0, 0xee));
}

/* Zephyr's own metadata do not mention ZPL, which is then at its usual id. */
static void zephyr_alone_is_enough(void **state)
{
    static const char more[] =
        "event { name = thread_switched_in; id = 0x11; fields := struct {\n"
        "  u32 thread_id; letter name[20]; }; };\n";
    char text[sizeof foreign + sizeof more];
    struct ctf_metadata_facts facts;
    char *zpl;

    (void)state;
    memcpy(text, foreign, sizeof foreign);
    zpl = strstr(text, "event { name = zpl_memory");
    assert_non_null(zpl);
    memcpy(zpl, more, sizeof more);
    assert_true(ctf_metadata_read(text, strlen(text), &facts));
    assert_int_equal(facts.layout.version, 1);
    assert_int_equal(facts.layout.address_bytes, 4);
    assert_int_equal(facts.others.count, 6);
}

/* Each context in its own stream, as in Zephelin's folder. */
static void contexts_of_two_streams_are_not_one(void **state)
{
    const struct ctf_surroundings surroundings = { 0 };
    static const char second[] = "stream { id = 1; event.header := struct {\n"
                                 "uint64_t timestamp; uint16_t id; };\n"
                                 "packet.context := struct {\n"
                                 "uint16_t packet_size; }; };\n";
    char text[CTF_METADATA_CAPACITY + sizeof second];
    size_t size = ctf_metadata_write(text, CTF_METADATA_CAPACITY, &layouts[4],
                                     &surroundings);
    struct ctf_metadata_facts facts;

    (void)state;
    memcpy(text + size, second, sizeof second - 1);
    assert_true(ctf_metadata_read(text, size + sizeof second - 1, &facts));
    assert_int_equal(facts.layout.version, 3);
}

/* The layout of streams may follow the events; a stream of more than 16 bits
   is no other one. */
static void streams_may_be_declared_last(void **state)
{
    static const char events[] =
        "typealias integer { size = 16; align = 8; } := u16;\n"
        "event { name = one; id = 7; stream_id = 1; };\n"
        "event { name = far; id = 8; stream_id = 65537; };\n";
    static const char streams[] =
        "trace { packet.header := struct { u16 stream_id; }; };\n"
        "stream { packet.context := struct { u16 packet_size; }; };\n";
    char text[sizeof foreign + sizeof events + sizeof streams];
    struct ctf_metadata_facts facts;

    (void)state;
    snprintf(text, sizeof text, "%s%s%s", events, foreign, streams);
    assert_true(ctf_metadata_read(text, strlen(text), &facts));
    assert_int_equal(facts.layout.version, 3);
    assert_non_null(ctf_events_find(&facts.others, 1, 7));
    assert_null(ctf_events_find(&facts.others, 0, 7));
    assert_null(ctf_events_find(&facts.others, 1, 8));
    snprintf(text, sizeof text, "%s%s", events, foreign);
    assert_true(ctf_metadata_read(text, strlen(text), &facts));
    assert_int_equal(facts.layout.version, 1);
    assert_non_null(ctf_events_find(&facts.others, 0, 7));
}

static void metadata_cut_anywhere_is_refused(void **state)
{
    struct ctf_metadata_facts facts;

    (void)state;
    for (size_t size = 0; size < sizeof foreign - 20; size++)
        assert_false(ctf_metadata_read(foreign, size, &facts));
}

static void brackets_in_strings_are_none(void **state)
{
    static const char text[] = "env { a = \"}\"; b \"}\" };\n"
                               "event { name = \"{\"; \"}\" };\n"
                               "trace { \"}\" };\n";
    char whole[sizeof text + sizeof foreign];
    struct ctf_metadata_facts facts;

    (void)state;
    assert_false(ctf_metadata_read(text, sizeof text - 1, &facts));
    memcpy(whole, text, sizeof text - 1);
    memcpy(whole + sizeof text - 1, foreign, sizeof foreign);
    assert_true(ctf_metadata_read(whole, strlen(whole), &facts));
    assert_int_equal(facts.layout.version, 1);
}

static void another_layout_is_refused(void **state)
{
    static const char *const changes[][2] = {
        { "zpl_memory;", "zpl_mem; " },
        { "u32 used;", "u32 usage" },
        { "u32 used;", "letter used;" },
        { "u32 timestamp;", "u8  timestamp;" },
        { "ZPL_STACK = 0, ZPL_HEAP,", "ZPL_HEAP = 0, ZPL_STACK," },
        { "ZPL_STACK = 0", "ZPL_STACK = 1" },
        { "ZPL_HEAP, }", "ZPL_HEAP=4}" },
        { "STACK = 0, ZPL_HEAP", "STACK = 0 ... 1, A " },
        { "struct event_header; }", "struct { u32 id; };  }" },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char text[sizeof foreign];
        struct ctf_metadata_facts facts;
        char *place;

        memcpy(text, foreign, sizeof text);
        place = strstr(text, changes[i][0]);
        assert_non_null(place);
        memcpy(place, changes[i][1], strlen(changes[i][1]));
        assert_false(ctf_metadata_read(text, sizeof text - 1, &facts));
    }
}

/* Declared sizes and orders are those of the stream. */
static void other_shapes_are_taken(void **state)
{
    static const struct {
        const char *from, *to;
        struct zpl_shape shape;
    } changes[] = {
#define REST { 10, 4 }, { 14, 4 }, { 18, 4 }
        { "u8 id; }",
          "u32 id;}",
          { 8,
            25,
            0xee,
            { 0, 4 },
            { 4, 4 },
            { 8, 1 },
            { 9, 4 },
            { 13, 4 },
            { 17, 4 },
            { 21, 4 } } },
        { "id = 0xEE",
          "id = 0xEF",
          { 5, 22, 0xef, { 0, 4 }, { 4, 1 }, { 5, 1 }, { 6, 4 }, REST } },
        { "u32 used;",
          "u8  used;",
          { 5,
            19,
            0xee,
            { 0, 4 },
            { 4, 1 },
            { 5, 1 },
            { 6, 4 },
            { 10, 1 },
            { 11, 4 },
            { 15, 4 } } },
        { "memory_addr; u32 used;",
          "used; u32 memory_addr;",
          { 5,
            22,
            0xee,
            { 0, 4 },
            { 4, 1 },
            { 5, 1 },
            { 10, 4 },
            { 6, 4 },
            { 14, 4 },
            { 18, 4 } } },
        { "u32 timestamp; u8 id;",
          "u8 id; u32 timestamp;",
          { 5, 22, 0xee, { 1, 4 }, { 0, 1 }, { 5, 1 }, { 6, 4 }, REST } },
        { "zpl_memory_region : u8",
          "zpl_memory_region: u32",
          { 5,
            25,
            0xee,
            { 0, 4 },
            { 4, 1 },
            { 5, 4 },
            { 9, 4 },
            { 13, 4 },
            { 17, 4 },
            { 21, 4 } } },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char text[sizeof foreign];
        struct ctf_metadata_facts facts;

        memcpy(text, foreign, sizeof text);
        memcpy(strstr(text, changes[i].from), changes[i].to,
               strlen(changes[i].to));
        assert_true(ctf_metadata_read(text, sizeof text - 1, &facts));
        assert_ptr_equal(facts.layout.shape, &facts.shape);
        assert_int_equal(facts.layout.version, 1);
        assert_memory_equal(&facts.shape, &changes[i].shape,
                            sizeof facts.shape);
    }
}

/* What compilers make of the struct is described and read back. */
static void natural_layouts_are_read_back(void **state)
{
    struct ctf_layout layout;

    (void)state;
    for (unsigned i = 0; zpl_natural_layout(i).version != 0; i++) {
        const struct ctf_surroundings surroundings = { 0 };
        char text[CTF_METADATA_CAPACITY];
        struct ctf_metadata_facts facts;
        size_t size;

        layout = zpl_natural_layout(i);
        size = ctf_metadata_write(text, sizeof text, &layout, &surroundings);
        assert_true(ctf_metadata_read(text, size, &facts));
        assert_int_equal(facts.layout.shape == NULL, layout.shape == NULL);
        if (layout.shape != NULL)
            assert_memory_equal(&facts.shape, layout.shape, sizeof facts.shape);
    }
}

/* Attributes around the fields that are not skipped. */
static void more_than_the_fields_is_refused(void **state)
{
    static const char *const more[] = {
        "stream { event.context := struct { u32 cpu; }; };\n",
        "trace { packet.header := struct { u32 other; }; };\n",
        "stream { packet.context := struct { u32 other; }; };\n",
        "clock { name = a; freq = 1000; }; clock { name = b; freq = 10; };\n",
        "clock { name = a; freq = 1000000001; };\n",
        "event { context := struct { u32 cpu; }; name = zpl_memory; id = "
        "0xEE;\n"
        "  fields := struct { u8 memory_region; u32 memory_addr; u32 used;\n"
        "  u32 unused; u32 for_thread_id; }; };\n",
    };

    (void)state;
    for (unsigned i = 0; i < sizeof more / sizeof more[0]; i++) {
        char text[sizeof foreign + 256] = { 0 };
        struct ctf_metadata_facts facts;

        memcpy(text, foreign, sizeof foreign);
        strcat(text, more[i]);
        assert_false(ctf_metadata_read(text, strlen(text), &facts));
    }
}

static void a_clock_counts_in_its_own_ticks(void **state)
{
    static const struct {
        const char *clock;
        uint64_t hertz;
    } expected[] = {
        { "", 1000000000 },
        { "clock { freq = 1000000000; offset_s = 2; offset = 3; };",
          1000000000 },
        { "clock { offset = 500000; };", 1000000000 },
        { "clock { freq = 32768; offset_s = 2; };", 32768 },
    };

    (void)state;
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char text[sizeof foreign + 80] = { 0 };
        struct ctf_metadata_facts facts;

        memcpy(text, foreign, sizeof foreign);
        strcat(text, expected[i].clock);
        assert_true(ctf_metadata_read(text, strlen(text), &facts));
        assert_true(facts.clock_hertz == expected[i].hertz);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_is_read_back),
        cmocka_unit_test(surroundings_are_read_back),
        cmocka_unit_test(what_does_not_fit_is_left_out),
        cmocka_unit_test(other_events_are_found_with_their_fields),
        cmocka_unit_test(zephyr_alone_is_enough),
        cmocka_unit_test(contexts_of_two_streams_are_not_one),
        cmocka_unit_test(streams_may_be_declared_last),
        cmocka_unit_test(metadata_cut_anywhere_is_refused),
        cmocka_unit_test(brackets_in_strings_are_none),
        cmocka_unit_test(another_layout_is_refused),
        cmocka_unit_test(other_shapes_are_taken),
        cmocka_unit_test(natural_layouts_are_read_back),
        cmocka_unit_test(more_than_the_fields_is_refused),
        cmocka_unit_test(a_clock_counts_in_its_own_ticks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
