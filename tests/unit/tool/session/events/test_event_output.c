/* SPDX-License-Identifier: Apache-2.0 */
/* test_event_output.c - events in files and folders, and lost events */
#include "tool/session/events/events.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/events/events_stream.h"

static char folder[] = "/tmp/test_event_output.XXXXXX";
static char name[PATH_MAX];
static struct event_output output;
static struct session_failure failure;
static char bytes[1 << 20];

static int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : chdir(folder);
}

static int leave_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 ? rmdir(folder) : -1;
}

static struct mem_trace_event malloc_of(uint64_t size)
{
    return (struct mem_trace_event){ .time_ns = size,
                                     .result = 0x20003240,
                                     .caller = 0x600d,
                                     .size = size,
                                     .thread = 9 };
}

static void add(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct mem_trace_event event = malloc_of(50);

        event_output_add(&output, &event);
    }
}

/* With sampling: a stack of three, and then a promotion. */
static void add_stacks(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct mem_trace_event event = { .caller = 0x600d,
                                         .thread = 9,
                                         .op = MEM_TRACE_FRAME };

        for (event.count = 3; event.count > 0; event.count--)
            event_output_add(&output, &event);
        add(1);
        event.op = MEM_TRACE_PROMOTE;
        event.pointer = 0x20003240;
        event_output_add(&output, &event);
    }
}

static size_t read_file(const char *path)
{
    int fd = open(path, O_RDONLY);
    ssize_t got = read(fd, bytes, sizeof bytes - 1);

    assert_true(got >= 0);
    bytes[got] = '\0';
    close(fd);
    return (size_t)got;
}

static void text_is_lines(void **state)
{
    (void)state;
    assert_int_equal(
        event_output_open(&output, EVENT_FORM_TEXT, "text", &failure), 0);
    event_output_describe(&output, 7, "/bin/program", 0);
    add(2);
    event_output_lose(&output, 3);
    event_output_close(&output);
    read_file("text");
    assert_string_equal(bytes, "#m:0x20003240;0x600d-50\n"
                               "#m:0x20003240;0x600d-50\n"
                               "#lost:3\n");
    assert_int_equal(output.events, 2);
    assert_int_equal(output.lost, 3);
    assert_int_equal(output.error, 0);
    unlink("text");
}

static void a_folder_has_metadata_and_a_stream(void **state)
{
    static struct events_reader reader;
    struct mem_trace_event event;
    size_t size;

    (void)state;
    assert_int_equal(
        event_output_open(&output, EVENT_FORM_CTF, "folder", &failure), 0);
    event_output_describe(&output, 7, "/bin/program", 0);
    add(2);
    event_output_lose(&output, 3);
    event_output_close(&output);
    read_file("folder/metadata");
    assert_non_null(strstr(bytes, "program = \"/bin/program\";"));
    assert_non_null(strstr(bytes, "vpid = 7;"));
    size = read_file("folder/stream");
    events_reader_open(&reader);
    byte_stream_feed(&reader.in, bytes, size);
    byte_stream_end(&reader.in);
    while (events_reader_next(&reader, &event))
        assert_true(event.size == 50);
    assert_int_equal(reader.events, 2);
    assert_int_equal(reader.discarded, 3);
    assert_int_equal(reader.packet.process, 7);
    unlink("folder/metadata");
    unlink("folder/stream");
    rmdir("folder");
}

static void nothing_is_overwritten(void **state)
{
    int fd = open("there", O_WRONLY | O_CREAT, 0666);

    (void)state;
    assert_true(write(fd, "kept", 4) == 4);
    close(fd);
    assert_int_equal(
        event_output_open(&output, EVENT_FORM_TEXT, "there", &failure), -1);
    assert_non_null(strstr(failure.text, "there: File exists"));
    assert_int_equal(
        event_output_open(&output, EVENT_FORM_CTF, "there", &failure), -1);
    assert_int_equal(read_file("there"), 4);
    unlink("there");
}

static void what_is_discarded_is_gone(void **state)
{
    (void)state;
    for (int form = EVENT_FORM_TEXT; form <= EVENT_FORM_CTF; form++) {
        assert_int_equal(
            event_output_open(&output, (enum event_form)form, "gone", &failure),
            0);
        event_output_discard(&output);
        assert_int_equal(access("gone", F_OK), -1);
    }
    assert_int_equal(
        event_output_open(&output, EVENT_FORM_TEXT, "/dev/null", &failure), 0);
    event_output_discard(&output);
    assert_int_equal(access("/dev/null", F_OK), 0);
}

static void limit_files(rlim_t size)
{
    struct rlimit limit;

    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = size;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* A disk that is full after 100,000 bytes. */
static void a_full_disk_leaves_whole_lines(void **state)
{
    const size_t line = strlen("#m:0x20003240;0x600d-50\n");
    char said[32];
    size_t size, lines;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(
        event_output_open(&output, EVENT_FORM_TEXT, "text", &failure), 0);
    limit_files(100000);
    add(20000);
    event_output_close(&output);
    limit_files(RLIM_INFINITY);
    size = read_file("text");
    assert_int_equal(output.error, EFBIG);
    /* Two lines made room for the one that states the loss. */
    lines = 100000 / line - 2;
    assert_int_equal(output.events, lines);
    assert_int_equal(output.lost, 20000 - lines);
    snprintf(said, sizeof said, "#lost:%zu\n", 20000 - lines);
    assert_int_equal(size, lines * line + strlen(said));
    assert_memory_equal(bytes + lines * line, said, strlen(said));
    unlink("text");
}

static void a_full_disk_leaves_whole_packets(void **state)
{
    (void)state;
    snprintf(name, sizeof name, "%s/folder", folder);
    assert_int_equal(event_output_open(&output, EVENT_FORM_CTF, name, &failure),
                     0);
    limit_files(200000);
    add(40000);
    event_output_close(&output);
    limit_files(RLIM_INFINITY);
    assert_int_equal(output.error, EFBIG);
    assert_int_equal(output.events + output.lost, 40000);
    assert_in_range(read_file("folder/stream"), 12 * output.events,
                    12 * output.events + 200);
    unlink("folder/stream");
    rmdir("folder");
}

static unsigned count_calls(const char *text)
{
    unsigned count = 0;

    for (; (text = strstr(text, "#m:")) != NULL; text++)
        count++;
    return count;
}

/* Events that accompany a call are counted neither as lost nor as present. */
static void calls_alone_are_counted(void **state)
{
    const char *last;

    (void)state;
    for (rlim_t limit = 50000; limit < 50120; limit++) {
        assert_int_equal(
            event_output_open(&output, EVENT_FORM_TEXT, "text", &failure), 0);
        event_output_describe(&output, 7, "/bin/program", 4096);
        limit_files(limit);
        add_stacks(5000);
        event_output_close(&output);
        limit_files(RLIM_INFINITY);
        read_file("text");
        assert_int_equal(output.events, count_calls(bytes));
        assert_int_equal(output.events + output.lost, 5000);
        last = strstr(bytes, "#lost:");
        assert_non_null(last);
        assert_int_equal(strtoull(last + strlen("#lost:"), NULL, 10),
                         output.lost);
        unlink("text");
    }
    snprintf(name, sizeof name, "%s/folder", folder);
    assert_int_equal(event_output_open(&output, EVENT_FORM_CTF, name, &failure),
                     0);
    limit_files(200000);
    add_stacks(10000);
    event_output_close(&output);
    limit_files(RLIM_INFINITY);
    assert_in_range(output.events, 1, 9999);
    assert_int_equal(output.events + output.lost, 10000);
    unlink("folder/stream");
    unlink("folder/metadata");
    rmdir("folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_lines),
        cmocka_unit_test(a_folder_has_metadata_and_a_stream),
        cmocka_unit_test(nothing_is_overwritten),
        cmocka_unit_test(what_is_discarded_is_gone),
        cmocka_unit_test(a_full_disk_leaves_whole_lines),
        cmocka_unit_test(a_full_disk_leaves_whole_packets),
        cmocka_unit_test(calls_alone_are_counted),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
