/* SPDX-License-Identifier: Apache-2.0 */
/* test_mem_trace_reader.c - each form by value, and lines among other text */
#include "format/text/mem_trace_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char sample[] = "#m:0x20003240;0x600d-50\n"
                             "#r:0x20003300;0x6011-0x20003240;80\n"
                             "#c:0x20003400;0x6021-25;10\n"
                             "#f:0x0;0x602f-0x20003240\n";

static const struct mem_trace_event events[] = {
    { .op = MEM_TRACE_MALLOC,
      .result = 0x20003240,
      .caller = 0x600d,
      .size = 50 },
    { .op = MEM_TRACE_REALLOC,
      .result = 0x20003300,
      .caller = 0x6011,
      .pointer = 0x20003240,
      .size = 80 },
    { .op = MEM_TRACE_CALLOC,
      .result = 0x20003400,
      .caller = 0x6021,
      .count = 25,
      .size = 10 },
    { .op = MEM_TRACE_FREE, .caller = 0x602f, .pointer = 0x20003240 },
};

enum { SAMPLE_EVENTS = sizeof events / sizeof events[0] };

static void assert_same(const struct mem_trace_event *event,
                        const struct mem_trace_event *expected)
{
    assert_int_equal(event->op, expected->op);
    assert_int_equal(event->result, expected->result);
    assert_int_equal(event->caller, expected->caller);
    assert_int_equal(event->pointer, expected->pointer);
    assert_int_equal(event->count, expected->count);
    assert_int_equal(event->size, expected->size);
    assert_int_equal(event->thread, 0);
    assert_int_equal(event->time_ns, 0);
    assert_false(event->has_time);
    assert_int_equal(event->is_after_boot, expected->is_after_boot);
}

static int open_reader(void **state)
{
    struct mem_trace_reader *reader = malloc(sizeof *reader);

    if (reader == NULL)
        return -1;
    mem_trace_reader_open(reader);
    *state = reader;
    return 0;
}

static int close_reader(void **state)
{
    free(*state);
    return 0;
}

/* Feed a text at once. */
static void feed_all(struct mem_trace_reader *reader, const char *bytes,
                     size_t size)
{
    assert_int_equal(byte_stream_feed(&reader->in, bytes, size), size);
    byte_stream_end(&reader->in);
}

static void feed_text(struct mem_trace_reader *reader, const char *text)
{
    feed_all(reader, text, strlen(text));
}

static void assert_next(struct mem_trace_reader *reader,
                        const struct mem_trace_event *expected)
{
    struct mem_trace_event event;

    assert_true(mem_trace_reader_next(reader, &event));
    assert_same(&event, expected);
}

static void assert_over(struct mem_trace_reader *reader, uint64_t places,
                        uint64_t bytes, uint64_t first)
{
    struct mem_trace_event event;

    assert_false(mem_trace_reader_next(reader, &event));
    assert_int_equal(reader->in.skipped.places, places);
    assert_int_equal(reader->in.skipped.bytes, bytes);
    assert_int_equal(reader->in.skipped.first, first);
}

static void what_is_missing_is_said(void **state)
{
    struct mem_trace_reader *reader = *state;

    feed_text(reader, "#lost:7\n#f:0x0;0x602f-0x20003240\n#lost:no\n #lost:1\n"
                      "#lost:2x\n#lost:3\n#lost:4");
    assert_next(reader, &events[3]);
    assert_over(reader, 0, 0, 0);
    assert_int_equal(reader->lost, 10);
}

static void samples_say_so_and_have_frames(void **state)
{
    struct mem_trace_reader *reader = *state;

    feed_text(reader, " #sampled:1\n#sampled:x\n#sampled:65536\n#sampled:7\n"
                      "#s:0x0;0x6051-12\n#s:0x0;0x6051\n");
    assert_next(reader, &(struct mem_trace_event){ .op = MEM_TRACE_FRAME,
                                                   .caller = 0x6051,
                                                   .count = 12 });
    assert_over(reader, 1, strlen("#s:0x0;0x6051\n"), 66);
    assert_true(reader->sample_interval == 65536);
}

static void more_cannot_be_missing(void **state)
{
    struct mem_trace_reader *reader = *state;

    feed_text(reader, "#lost:18446744073709551615\n#lost:1\n");
    assert_over(reader, 0, 0, 0);
    assert_true(reader->lost == UINT64_MAX);
}

static void each_form_is_read(void **state)
{
    struct mem_trace_reader *reader = *state;

    feed_text(reader, sample);
    for (size_t i = 0; i < SAMPLE_EVENTS; i++)
        assert_next(reader, &events[i]);
    assert_over(reader, 0, 0, 0);
    assert_int_equal(reader->events, SAMPLE_EVENTS);
}

static void bytes_may_come_one_by_one(void **state)
{
    struct mem_trace_reader *reader = *state;
    struct mem_trace_event event;
    size_t count = 0;

    for (size_t i = 0; i + 1 < sizeof sample; i++) {
        assert_int_equal(byte_stream_feed(&reader->in, sample + i, 1), 1);
        while (mem_trace_reader_next(reader, &event))
            assert_same(&event, &events[count++]);
    }
    assert_int_equal(count, SAMPLE_EVENTS);
}

static void the_last_line_may_lack_its_newline(void **state)
{
    struct mem_trace_reader *reader = *state;
    struct mem_trace_event event;

    assert_int_equal(byte_stream_feed(&reader->in, sample, 23), 23);
    assert_false(mem_trace_reader_next(reader, &event));
    byte_stream_end(&reader->in);
    assert_next(reader, &events[0]);
    assert_over(reader, 0, 0, 0);
}

static void pointers_are_read_as_any_library_prints_them(void **state)
{
    static const char text[] = "#m:(nil);0x600D-50\n"
                               "#m:20003240;600D-50\n"
                               "#m:0X0000000020003240;0x0000600d-50\n"
                               "#r:0x10;0x2-(nil);3\n"
                               "#f:(nil);0x2-(nil)\n";
    struct mem_trace_reader *reader = *state;
    struct mem_trace_event failed = events[0];

    failed.result = 0;
    feed_text(reader, text);
    assert_next(reader, &failed);
    assert_next(reader, &events[0]);
    assert_next(reader, &events[0]);
    assert_next(reader, &(struct mem_trace_event){ .op = MEM_TRACE_REALLOC,
                                                   .result = 0x10,
                                                   .caller = 2,
                                                   .size = 3 });
    assert_next(reader,
                &(struct mem_trace_event){ .op = MEM_TRACE_FREE, .caller = 2 });
    assert_over(reader, 0, 0, 0);
}

static void the_largest_values_are_read(void **state)
{
    struct mem_trace_reader *reader = *state;

    feed_text(reader, "#c:0xffffffffffffffff;0xffffffffffffffff-"
                      "18446744073709551615;18446744073709551615\n");
    assert_next(reader, &(struct mem_trace_event){ .op = MEM_TRACE_CALLOC,
                                                   .result = UINT64_MAX,
                                                   .caller = UINT64_MAX,
                                                   .count = UINT64_MAX,
                                                   .size = UINT64_MAX });
    assert_over(reader, 0, 0, 0);
}

static void values_that_are_too_large_are_damage(void **state)
{
    struct mem_trace_reader *reader = *state;

    feed_text(reader, "#m:0x10000000000000000;0x2-3\n"
                      "#m:0x1;0x2-18446744073709551616\n");
    assert_over(reader, 2, 29 + 32, 0);
}

static void a_console_may_show_anything_beside(void **state)
{
    static const char text[] =
        "Booting... # 1 of 2; #stack: 0x2-3\r\n"
        "[00:01] app> #m:0x20003240;0x600d-50\r\n"
        "\x1b[32m#r:0x20003300;0x6011-0x20003240;80\x1b[0m\r\n"
        "\0\0\xff#c:0x20003400;0x6021-25;10 #f:0x0;0x602f-0x20003240\t\n"
        "?\nfree: 10; 0x20-30\n#\n##\n#m\n";
    struct mem_trace_reader *reader = *state;

    feed_all(reader, text, sizeof text - 1);
    for (size_t i = 0; i < SAMPLE_EVENTS; i++)
        assert_next(reader, &events[i]);
    assert_over(reader, 0, 0, 0);
}

static void what_is_damaged_is_counted(void **state)
{
    static const char *const texts[] = {
        "#m:0x2000\n",
        "#m:0x20003240\n",
        "#m:0x20003240;0x600d\n",
        "#m:0x20003240;0x600d-\n",
        "#m:0x20003240;0x600d-5x\n",
        "#m:0x20003240;0x600d-0x50\n",
        "#m:0x;0x600d-50\n",
        "#m:;0x600d-50\n",
        "#m: 0x20003240;0x600d-50\n",
        "#m:0x20003240:0x600d-50\n",
        "#m:0x200\00732;0x600d-50\n",
        "#r:0x20003300;0x6011-0x20003240\n",
        "#r:0x20003300;0x6011-;80\n",
        "#c:0x20003400;0x6021-25\n",
        "#c:0x20003400;0x6021-25;\n",
        "#f:0x0;0x602f-\n",
        "#f:0x0;0x602f-0x20003240;80\n",
        "#?:0x20003240;0x600d-50\n",
        "m:0x20003240;0x600d-50\n",
        "3240;0x600d-50\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct mem_trace_reader *reader = malloc(sizeof *reader);

        assert_non_null(reader);
        mem_trace_reader_open(reader);
        feed_text(reader, texts[i]);
        assert_over(reader, 1, strlen(texts[i]), 0);
        free(reader);
    }
}

static void an_event_behind_damage_is_read(void **state)
{
    struct mem_trace_reader *reader = *state;

    feed_text(reader, "ok\n#m:0x20003#m:0x20003240;0x600d-50\n"
                      "#m:0x20003240;0x600d-5#f:0x0;0x602f-0x20003240\n");
    assert_next(reader, &events[0]);
    assert_int_equal(reader->event_offset, 13);
    assert_next(reader, &events[3]);
    assert_over(reader, 2, 10 + 22, 3);
}

/* The text of a boot may follow an event that the reset has cut; the first boot
   begins the log, without a mark. */
static void a_boot_marks_the_next_event(void **state)
{
    static const char text[] =
        "*** Booting Zephyr OS build v3.4.0 ***\n#m:0x20003240;0x600d-50\n"
        "#r:0x200*** Booting Zephyr OS build v3.4.0 ***\r\n*** Booting\n"
        "#m:0x20003240;0x600d-50\n#m:0x20003240;0x600d-50 ** Booting \n"
        "#m:0x20003240;0x600d-50\n\n= System will be rebooted due to a fatal "
        "error =\n= Reboot count(=1) reached maximum, system will halt after "
        "rebooting =\nstarts #m:0x20003240;0x600d-50\n*** Booting ";
    static const bool is_after_boot[] = { false, true, false, false, true };
    struct mem_trace_reader *reader = *state;
    struct mem_trace_event event = events[0];

    feed_text(reader, text);
    for (size_t i = 0; i < sizeof is_after_boot; i++) {
        event.is_after_boot = is_after_boot[i];
        assert_next(reader, &event);
    }
    assert_over(reader, 1,
                strlen("#r:0x200*** Booting Zephyr OS build v3.4.0 "
                       "***\r\n"),
                63);
}

/* A part may end anywhere in the event that crosses its end. */
static void a_line_without_end_is_read_in_parts(void **state)
{
    enum { LINE = 4 * MEM_TRACE_READER_CAPACITY };

    char *line = malloc(LINE);
    struct mem_trace_event event;
    uint64_t count = 0;
    size_t size = 0;

    (void)state;
    assert_non_null(line);
    while (size + 64 < LINE) {
        memcpy(line + size, sample, 23);
        size += 23;
        memset(line + size, ' ', count % 31 + 1);
        size += count++ % 31 + 1;
    }
    for (size_t piece = 1; piece < size; piece = piece * 9 + 1) {
        struct mem_trace_reader *reader = malloc(sizeof *reader);

        assert_non_null(reader);
        mem_trace_reader_open(reader);
        for (size_t done = 0; done < size;) {
            size_t left = size - done < piece ? size - done : piece;

            done += byte_stream_feed(&reader->in, line + done, left);
            while (mem_trace_reader_next(reader, &event))
                assert_same(&event, &events[0]);
        }
        byte_stream_end(&reader->in);
        while (mem_trace_reader_next(reader, &event))
            assert_same(&event, &events[0]);
        assert_over(reader, 0, 0, 0);
        assert_int_equal(reader->events, count);
        free(reader);
    }
    free(line);
}

#define WITH_READER(test) \
    cmocka_unit_test_setup_teardown(test, open_reader, close_reader)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_READER(each_form_is_read),
        WITH_READER(a_boot_marks_the_next_event),
        WITH_READER(what_is_missing_is_said),
        WITH_READER(samples_say_so_and_have_frames),
        WITH_READER(more_cannot_be_missing),
        WITH_READER(bytes_may_come_one_by_one),
        WITH_READER(the_last_line_may_lack_its_newline),
        WITH_READER(pointers_are_read_as_any_library_prints_them),
        WITH_READER(the_largest_values_are_read),
        WITH_READER(values_that_are_too_large_are_damage),
        WITH_READER(a_console_may_show_anything_beside),
        cmocka_unit_test(what_is_damaged_is_counted),
        WITH_READER(an_event_behind_damage_is_read),
        cmocka_unit_test(a_line_without_end_is_read_in_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
