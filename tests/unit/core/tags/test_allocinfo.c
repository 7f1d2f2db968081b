/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_allocinfo.c - the exact text, and reading it back
 *
 * The tags are a shared object made by hand; the program has none here. Each
 * test runs in a child of its own.
 */
#include "tally/allocinfo.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/tags/alloc_tag.h"
#include "format/text/allocinfo_text.h"
#include "tally/tagged.h"
#include "tests/fakes/run_alone.h"

enum { TAGS = 3, MANY = 4000 };

static struct tally_tag_object object;
static struct alloc_tag tags[TAGS] = {
    { "src/a.c", "first", NULL, 10, 0, 0, 0 },
    { "src/b.c", "second", NULL, 200, 0, 0, 0 },
    { "src/b.c", "third", NULL, 3000, 0, 0, 0 },
};

struct text {
    char bytes[400000];
    size_t size;
    unsigned pieces;
    int result;
};

static int collect(const char *piece, size_t size, void *context)
{
    struct text *text = context;

    assert_true(size <= sizeof text->bytes - 1 - text->size);
    memcpy(text->bytes + text->size, piece, size);
    text->size += size;
    text->bytes[text->size] = '\0';
    text->pieces++;
    return text->result;
}

static void enter(struct alloc_tag *first, size_t count)
{
    fake_port_set_module("plugin");
    tally_tags_enter(&object, first, first + count);
    fake_port_set_module(NULL);
}

/* The rows of Tally's own memory are in module "tally". */
static const struct allocinfo_options *of_plugin(struct allocinfo_options more)
{
    static struct allocinfo_options options;

    options = more;
    options.wanted |= ALLOCINFO_WANT_MODULE;
    options.module = "plugin";
    return &options;
}

static void assert_text(struct allocinfo_options options, const char *expected)
{
    static struct text text;

    text = (struct text){ 0 };
    assert_int_equal(allocinfo_write_to(collect, &text, of_plugin(options)), 0);
    assert_string_equal(text.bytes, expected);
}

static void version_1_has_the_kernels_bytes(void **state)
{
    (void)state;
    enter(tags, TAGS);
    tally_tag_malloc(&tags[0], 4096);
    tally_tag_malloc(&tags[2], 1);
    tally_tag_malloc(&tags[2], 0);
    assert_text((struct allocinfo_options){ 0 },
                "allocinfo - version: 1.0\n"
                "#     <size>  <calls> <tag info>\n"
                "        4096        1 src/a.c:10 [plugin] func:first \n"
                "           0        0 src/b.c:200 [plugin] func:second \n"
                "           1        2 src/b.c:3000 [plugin] func:third \n");
}

static void version_2_marks_rows(void **state)
{
    void *block;

    (void)state;
    enter(tags, TAGS);
    block = tally_tag_malloc(&tags[0], 50);
    tally_tag_malloc(&tags[0], 7);
    tally_tag_free(block);
    alloc_tag_lose(&tags[0]);
    assert_text((struct allocinfo_options){ .version = 2, .has_totals = true },
                "allocinfo - version: 2.0\n"
                "#     <size>  <calls> <tag info>\n"
                "           7        1 src/a.c:10 [plugin] func:first "
                "accurate:no total_calls:2 total_bytes:57 \n"
                "           0        0 src/b.c:200 [plugin] func:second "
                "total_calls:0 total_bytes:0 \n"
                "           0        0 src/b.c:3000 [plugin] func:third "
                "total_calls:0 total_bytes:0 \n");
    /* Peaks are not kept here: the values are current ones. */
    assert_text((struct allocinfo_options){ .version = 2,
                                            .has_peaks = true,
                                            .wanted = ALLOCINFO_WANT_LINE,
                                            .line = 10 },
                "allocinfo - version: 2.0\n"
                "#     <size>  <calls> <tag info>\n"
                "           7        1 src/a.c:10 [plugin] func:first "
                "accurate:no peak_seen:7 \n");
    tally_tags_leave(&object);
    assert_text((struct allocinfo_options){ .version = 2 },
                "allocinfo - version: 2.0\n"
                "#     <size>  <calls> <tag info>\n"
                "           7        1 src/a.c:10 [plugin] func:first "
                "accurate:no unloaded:yes \n");
}

static void filters_choose_rows(void **state)
{
    (void)state;
    enter(tags, TAGS);
    tally_tag_malloc(&tags[0], 100);
    tally_tag_malloc(&tags[1], 200);
    assert_text((struct allocinfo_options){ .wanted = ALLOCINFO_WANT_FILE |
                                                      ALLOCINFO_WANT_MIN_SIZE,
                                            .file = "src/b.c",
                                            .min_size = 200 },
                ALLOCINFO_HEADER_V1
                "         200        1 src/b.c:200 [plugin] func:second \n");
    assert_text((struct allocinfo_options){ .wanted = ALLOCINFO_WANT_LINE,
                                            .line = 3000 },
                ALLOCINFO_HEADER_V1
                "           0        0 src/b.c:3000 [plugin] func:third \n");
}

static void options_that_contradict_are_refused(void **state)
{
    struct allocinfo_options options = { .version = 3 };

    (void)state;
    assert_int_equal(allocinfo_write_to(collect, NULL, &options), -EINVAL);
    options = (struct allocinfo_options){ .wanted = 1 << 7 };
    assert_int_equal(allocinfo_write_to(collect, NULL, &options), -EINVAL);
    options = (struct allocinfo_options){ .wanted = ALLOCINFO_WANT_MIN_SIZE |
                                                    ALLOCINFO_WANT_MAX_SIZE,
                                          .min_size = 2,
                                          .max_size = 1 };
    assert_int_equal(allocinfo_write_to(collect, NULL, &options), -EINVAL);
}

static void what_tally_holds_has_rows_of_its_own(void **state)
{
    static struct text text;

    (void)state;
    text = (struct text){ 0 };
    tally_tag_malloc(&tags[0], 100);
    assert_int_equal(allocinfo_write_to(collect, &text, NULL), 0);
    assert_non_null(strstr(text.bytes, " core/accounts/hook.c:"));
    assert_non_null(strstr(text.bytes, " [tally] func:open_segment \n"));
}

/* Many pieces, each row complete, in order, accepted by format's reader. */
static void a_long_text_reads_back(void **state)
{
    static struct alloc_tag many[MANY];
    static struct text text;
    struct allocinfo_lines lines;
    struct allocinfo_row row;

    (void)state;
    text = (struct text){ 0 };
    for (uint32_t i = 0; i < MANY; i++)
        many[i] = (struct alloc_tag){ "drivers/net/long/path/of/a/file.c",
                                      "function",
                                      NULL,
                                      i + 1,
                                      0,
                                      0,
                                      0 };
    enter(many, MANY);
    for (uint32_t i = 0; i < MANY; i += 7)
        tally_tag_malloc(&many[i], i);
    assert_int_equal(
        allocinfo_write_to(collect, &text,
                           of_plugin((struct allocinfo_options){ 0 })),
        0);
    assert_true(text.pieces > 10);
    allocinfo_lines_open(&lines, text.bytes, text.size);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(allocinfo_lines_next(&lines, &row), 1);
        assert_int_equal(row.line, i + 1);
        assert_int_equal(row.bytes, i % 7 == 0 ? i : 0);
        assert_int_equal(row.calls, i % 7 == 0);
    }
    assert_int_equal(allocinfo_lines_next(&lines, &row), 0);
    assert_int_equal(lines.version, 1);
}

static void a_name_longer_than_a_piece_keeps_its_end(void **state)
{
    static char name[20000];
    static struct text text;
    struct alloc_tag tag = { name, "f", NULL, 1, 0, 0, 0 };

    (void)state;
    text = (struct text){ 0 };
    memset(name, 'n', sizeof name - 3);
    memcpy(name + sizeof name - 3, ".c", 3);
    enter(&tag, 1);
    assert_int_equal(
        allocinfo_write_to(collect, &text,
                           of_plugin((struct allocinfo_options){ 0 })),
        0);
    assert_non_null(strstr(text.bytes, "        0 nnnnn"));
    assert_non_null(strstr(text.bytes, "nnn.c:1 [plugin] func:f \n"));
    assert_true(text.size < 200);
}

static void a_sink_that_fails_ends_the_writing(void **state)
{
    static struct text text;

    (void)state;
    text = (struct text){ .result = -ENOSPC };
    assert_int_equal(allocinfo_write_to(collect, &text, NULL), -ENOSPC);
    assert_int_equal(text.pieces, 1);
    fake_port_fail_writes(-EPIPE);
    assert_int_equal(allocinfo_write(1), -EPIPE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_1_has_the_kernels_bytes),
        cmocka_unit_test(version_2_marks_rows),
        cmocka_unit_test(filters_choose_rows),
        cmocka_unit_test(options_that_contradict_are_refused),
        cmocka_unit_test(what_tally_holds_has_rows_of_its_own),
        cmocka_unit_test(a_long_text_reads_back),
        cmocka_unit_test(a_name_longer_than_a_piece_keeps_its_end),
        cmocka_unit_test(a_sink_that_fails_ends_the_writing),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
