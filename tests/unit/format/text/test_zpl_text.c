/* SPDX-License-Identifier: Apache-2.0 */
/* test_zpl_text.c - ZPL's exact sample, and lines among other text */
#include "format/text/zpl_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char sample[] =
    "zpl_memory_event stack (0x20011748) 80B 432B 536936848\n"
    "zpl_memory_event stack (0x20011348) 48B 976B 536936848\n"
    "zpl_memory_event stack (0x20012148) 48B 272B 536937024\n"
    "zpl_memory_event stack (0x20012288) 280B 744B 536937200\n"
    "zpl_memory_event heap (0x20010048) 28B 164B 0\n"
    "zpl_memory_event heap (0x2001005c) 12B 940B 0\n"
    "zpl_memory_event heap (0x200106ac) 0B 47132B 0\n"
    "zpl_memory_event k_heap (0x20010048) 28B 164B 0\n"
    "zpl_memory_event k_heap (0x2001005c) 12B 940B 0\n"
    "zpl_memory_event mem_slab (0x2001002c) 256B 7936B 0\n";

static const struct zpl_event events[] = {
    { ZPL_EVENT_NO_TIME, 0x20011748, 80, 432, 536936848, ZPL_STACK },
    { ZPL_EVENT_NO_TIME, 0x20011348, 48, 976, 536936848, ZPL_STACK },
    { ZPL_EVENT_NO_TIME, 0x20012148, 48, 272, 536937024, ZPL_STACK },
    { ZPL_EVENT_NO_TIME, 0x20012288, 280, 744, 536937200, ZPL_STACK },
    { ZPL_EVENT_NO_TIME, 0x20010048, 28, 164, 0, ZPL_HEAP },
    { ZPL_EVENT_NO_TIME, 0x2001005c, 12, 940, 0, ZPL_HEAP },
    { ZPL_EVENT_NO_TIME, 0x200106ac, 0, 47132, 0, ZPL_HEAP },
    { ZPL_EVENT_NO_TIME, 0x20010048, 28, 164, 0, ZPL_K_HEAP },
    { ZPL_EVENT_NO_TIME, 0x2001005c, 12, 940, 0, ZPL_K_HEAP },
    { ZPL_EVENT_NO_TIME, 0x2001002c, 256, 7936, 0, ZPL_MEM_SLAB },
};

enum { SAMPLE_EVENTS = sizeof events / sizeof events[0] };

static void assert_same(const struct zpl_event *event,
                        const struct zpl_event *expected)
{
    assert_int_equal(event->time_ns, expected->time_ns);
    assert_int_equal(event->memory_region, expected->memory_region);
    assert_int_equal(event->memory_addr, expected->memory_addr);
    assert_int_equal(event->used, expected->used);
    assert_int_equal(event->unused, expected->unused);
    assert_int_equal(event->for_thread_id, expected->for_thread_id);
}

static struct zpl_text_reader *create_reader(void)
{
    struct zpl_text_reader *reader = malloc(sizeof *reader);

    assert_non_null(reader);
    zpl_text_reader_open(reader);
    return reader;
}

static void the_sample_reads_and_writes_to_the_byte(void **state)
{
    struct zpl_text_reader *reader = create_reader();
    char written[sizeof sample + ZPL_TEXT_LONGEST];
    struct zpl_event event;
    size_t size = 0;

    (void)state;
    byte_stream_feed(&reader->in, sample, sizeof sample - 1);
    for (size_t i = 0; i < SAMPLE_EVENTS; i++) {
        assert_true(zpl_text_reader_next(reader, &event));
        assert_same(&event, &events[i]);
        size += zpl_text_write(written + size, &event);
    }
    assert_false(zpl_text_reader_next(reader, &event));
    assert_int_equal(size, sizeof sample - 1);
    assert_memory_equal(written, sample, size);
    assert_int_equal(reader->events, SAMPLE_EVENTS);
    assert_int_equal(reader->in.skipped.places, 0);
    free(reader);
}

static void bytes_may_come_one_by_one(void **state)
{
    struct zpl_text_reader *reader = create_reader();
    struct zpl_event event;
    size_t count = 0;

    (void)state;
    for (size_t i = 0; i + 1 < sizeof sample; i++) {
        assert_int_equal(byte_stream_feed(&reader->in, sample + i, 1), 1);
        while (zpl_text_reader_next(reader, &event))
            assert_same(&event, &events[count++]);
    }
    assert_int_equal(count, SAMPLE_EVENTS);
    free(reader);
}

static enum zpl_text_line read_line(const char *line, struct zpl_event *event)
{
    return zpl_text_read(line, strlen(line), event);
}

static void threads_are_read_in_both_forms(void **state)
{
    struct zpl_event event;

    (void)state;
    assert_int_equal(
        read_line("zpl_memory_event stack (0x10) 1B 2B 0x20010190\n", &event),
        ZPL_TEXT_READ);
    assert_int_equal(event.for_thread_id, 0x20010190);
    assert_int_equal(read_line("zpl_memory_event heap (0) 1B 2B 0x0", &event),
                     ZPL_TEXT_READ);
    assert_int_equal(event.memory_addr, 0);
    assert_int_equal(event.for_thread_id, 0);
}

static void limits_are_read_and_written(void **state)
{
    static const char line[] =
        "zpl_memory_event stack (0xffffffffffffffff) 4294967295B "
        "4294967295B 4294967295\n";
    char written[ZPL_TEXT_LONGEST];
    struct zpl_event event;

    (void)state;
    assert_int_equal(read_line(line, &event), ZPL_TEXT_READ);
    assert_true(event.memory_addr == UINT64_MAX);
    assert_int_equal(zpl_text_write(written, &event), sizeof line - 1);
    assert_memory_equal(written, line, sizeof line - 1);
}

static void other_output_may_stand_before_and_behind(void **state)
{
    struct zpl_event event;

    (void)state;
    assert_int_equal(read_line("[00:01.5] <dbg> zpl_memory_event heap (0x1) "
                               "2B 3B 0\r\n",
                               &event),
                     ZPL_TEXT_READ);
    assert_int_equal(event.used, 2);
    assert_int_equal(
        read_line("zpl_memory_event heap (0x1) 2B 3B 0 \x1b[0m\n", &event),
        ZPL_TEXT_READ);
    assert_int_equal(read_line("uart:~$ help\n", &event), ZPL_TEXT_OTHER);
    assert_int_equal(read_line("zpl_memory_even", &event), ZPL_TEXT_OTHER);
    assert_int_equal(read_line("", &event), ZPL_TEXT_OTHER);
    assert_int_equal(read_line("zpl_memory_event heap (0xzpl_memory_event heap "
                               "(0x1) 2B 3B 0\n",
                               &event),
                     ZPL_TEXT_READ);
}

static void damaged_lines_are_told_from_others(void **state)
{
    static const char *const lines[] = {
        "zpl_memory_event",
        "zpl_memory_event stack",
        "zpl_memory_event <unknown> (0x1) 2B 3B 0",
        "zpl_memory_event heaps (0x1) 2B 3B 0",
        "zpl_memory_event heap (0x) 2B 3B 0",
        "zpl_memory_event heap (0x10000000000000000) 2B 3B 0",
        "zpl_memory_event heap (0x1) 4294967296B 3B 0",
        "zpl_memory_event heap (0x1) 2B 3B -1",
        "zpl_memory_event heap (0x1) 2B 3B 0x",
        "zpl_memory_event heap (0x1) 2B 3B 0z",
        "zpl_memory_event heap (0x1) 2B 3B",
    };
    struct zpl_event event;

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_int_equal(read_line(lines[i], &event), ZPL_TEXT_DAMAGED);
}

static void what_is_skipped_is_counted(void **state)
{
    static const char text[] = "boot\nzpl_memory_event heap (0x1) 2B\n"
                               "zpl_memory_event heap (0x1) 2B 3B 0";
    struct zpl_text_reader *reader = create_reader();
    struct zpl_event event;

    (void)state;
    byte_stream_feed(&reader->in, text, sizeof text - 1);
    assert_false(zpl_text_reader_next(reader, &event));
    byte_stream_end(&reader->in);
    assert_true(zpl_text_reader_next(reader, &event));
    assert_false(zpl_text_reader_next(reader, &event));
    assert_int_equal(reader->in.skipped.places, 1);
    assert_int_equal(reader->in.skipped.bytes, 31);
    assert_int_equal(reader->in.skipped.first, 5);
    free(reader);
}

/* The second line may lack its last digits, and lacks its newline. */
static void lines_that_have_lost_their_ends_are_told_apart(void **state)
{
    static const char text[] = "zpl_memory_event heap (0x1) 2B 3B 0\r"
                               "zpl_memory_event heap (0x2) 2B 3B 5"
                               "zpl_memory_event heap (0x3) 2B 3B 0 "
                               "zpl_memory_event heap (0x4) 2B 3B 0\r\n";
    struct zpl_text_reader *reader = create_reader();
    struct zpl_event event;
    uint64_t addresses = 0;

    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        assert_int_equal(byte_stream_feed(&reader->in, text + i, 1), 1);
        while (zpl_text_reader_next(reader, &event))
            addresses = addresses * 16 + event.memory_addr;
    }
    assert_int_equal(addresses, 0x134);
    assert_int_equal(reader->in.skipped.places, 1);
    assert_int_equal(reader->in.skipped.bytes, 35);
    assert_int_equal(reader->in.skipped.first, 36);
    free(reader);
}

static void a_line_without_end_takes_no_more_memory(void **state)
{
    struct zpl_text_reader *reader = create_reader();
    struct zpl_event event;
    size_t fed = 0;

    (void)state;
    for (unsigned i = 0; i < 300000; i++) {
        size_t taken = byte_stream_feed(&reader->in, "x", 1);

        assert_int_equal(taken, 1);
        fed += taken;
        assert_false(zpl_text_reader_next(reader, &event));
    }
    byte_stream_feed(&reader->in, "\n", 1);
    byte_stream_feed(&reader->in, sample, sizeof sample - 1);
    assert_true(zpl_text_reader_next(reader, &event));
    assert_same(&event, &events[0]);
    assert_int_equal(fed, 300000);
    free(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_reads_and_writes_to_the_byte),
        cmocka_unit_test(bytes_may_come_one_by_one),
        cmocka_unit_test(threads_are_read_in_both_forms),
        cmocka_unit_test(limits_are_read_and_written),
        cmocka_unit_test(other_output_may_stand_before_and_behind),
        cmocka_unit_test(damaged_lines_are_told_from_others),
        cmocka_unit_test(what_is_skipped_is_counted),
        cmocka_unit_test(lines_that_have_lost_their_ends_are_told_apart),
        cmocka_unit_test(a_line_without_end_takes_no_more_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
