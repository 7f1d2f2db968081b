/* SPDX-License-Identifier: Apache-2.0 */
/* test_zpl_names.c - names of threads in streams without packets */
#include "tally/zpl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/ctf/ctf_input.h"
#include "tally/error.h"
#include "tally/port.h"
#include "tests/fakes/fake_port.h"
#include "tests/fakes/fake_sink.h"

static const struct tally_port_region regions[] = {
    { 0x10000, 3000, 5192, "main", 77, ZPL_STACK },
    { 0x20000, 4096, 0, NULL, 78, ZPL_STACK },
    { 0x30000, 1000, 24, "a heap", 0, ZPL_HEAP },
};
enum { REGIONS = sizeof regions / sizeof regions[0] };

static unsigned char buffer[TALLY_ZPL_BUFFER_SMALLEST];

static int create(void **state)
{
    *state = fake_sink_create();
    fake_port_set_regions(regions, REGIONS);
    zpl_memory_profiling_set(true);
    return 0;
}

static int destroy(void **state)
{
    tally_zpl_open(&(struct tally_zpl_stream){ .buffer = buffer,
                                               .capacity = sizeof buffer });
    fake_sink_destroy(*state);
    return 0;
}

/* Send this many rounds to an empty sink, and count the names. */
static unsigned names_of(struct fake_sink *sink, unsigned rounds,
                         struct tally_zpl_stream stream)
{
    struct ctf_reader *reader = malloc(sizeof *reader);
    struct zpl_event event;
    unsigned names = 0;

    sink->size = 0;
    stream.sink = fake_sink(sink);
    stream.buffer = buffer;
    stream.capacity = sizeof buffer;
    assert_int_equal(tally_zpl_open(&stream), TALLY_OK);
    for (unsigned i = 0; i < rounds; i++)
        tally_zpl_round();
    assert_non_null(reader);
    ctf_reader_open(reader, NULL);
    assert_int_equal(byte_stream_feed(&reader->in, sink->bytes, sink->size),
                     sink->size);
    byte_stream_end(&reader->in);
    reader->tells_others = true;
    while (ctf_reader_next(reader, &event)) {
        if (reader->other == NULL)
            continue;
        names++;
        assert_int_equal(reader->other_event->id, 26);
        assert_int_equal(reader->other_size, 24);
        assert_memory_equal(reader->other, "\x4d\0\0\0main", 9);
    }
    assert_int_equal(reader->in.skipped.bytes, 0);
    assert_int_equal(reader->events, rounds * REGIONS);
    free(reader);
    return names;
}

static void bare_streams_name_threads(void **state)
{
    const struct tally_zpl_stream bare = { .format = TALLY_ZPL_CTF,
                                           .is_bare = true };
    struct tally_zpl_figures before, after;

    tally_zpl_figures_get(&before);
    assert_int_equal(names_of(*state, 40, bare), 7); /* 0 1 2 4 8 16 32 */
    tally_zpl_figures_get(&after);
    assert_int_equal(after.events - before.events, 40 * REGIONS + 7);
    assert_int_equal(after.regions, REGIONS);
    assert_int_equal(names_of(*state, 1, bare), 1); /* a stream begins anew */
}

static void each_layout_has_names(void **state)
{
    assert_int_equal(names_of(*state, 2,
                              (struct tally_zpl_stream){
                                  .format = TALLY_ZPL_CTF,
                                  .layout = 2,
                                  .is_bare = true,
                              }),
                     2);
    assert_int_equal(names_of(*state, 2,
                              (struct tally_zpl_stream){
                                  .format = TALLY_ZPL_CTF, .layout = 3 }),
                     2);
}

static void names_can_be_left_out(void **state)
{
    assert_int_equal(names_of(*state, 1,
                              (struct tally_zpl_stream){
                                  .format = TALLY_ZPL_CTF,
                                  .is_bare = true,
                                  .without_names = true,
                              }),
                     0);
}

static void packets_have_none(void **state)
{
    assert_int_equal(
        names_of(*state, 2,
                 (struct tally_zpl_stream){ .format = TALLY_ZPL_CTF }),
        0);
}

static void text_has_none(void **state)
{
    static const char expected[] = "zpl_memory_event stack (0x10000) 3000B "
                                   "5192B 77\n"
                                   "zpl_memory_event stack (0x20000) 4096B 0B "
                                   "78\n"
                                   "zpl_memory_event heap (0x30000) 1000B 24B "
                                   "0\n";
    struct fake_sink *sink = *state;

    assert_int_equal(tally_zpl_open(&(struct tally_zpl_stream){
                         .sink = fake_sink(sink),
                         .buffer = buffer,
                         .capacity = sizeof buffer,
                         .format = TALLY_ZPL_PLAINTEXT,
                         .is_bare = true,
                     }),
                     TALLY_OK);
    tally_zpl_round();
    assert_int_equal(sink->size, sizeof expected - 1);
    assert_memory_equal(sink->bytes, expected, sizeof expected - 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bare_streams_name_threads),
        TEST(each_layout_has_names),
        TEST(names_can_be_left_out),
        TEST(packets_have_none),
        TEST(text_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
