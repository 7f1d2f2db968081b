/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_tag_objects.c - objects that are loaded and unloaded with live blocks
 *
 * The objects are made by hand, as the loader would; tests/tags has real ones.
 * Each test runs in a child process.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/tags/alloc_tag.h"
#include "tally/tagged.h"
#include "tests/fakes/run_alone.h"

enum { TAGS = 3, ROUNDS = 1000 };

/* A loaded shared object, whose memory is gone after unloading. */
struct loaded {
    struct tally_tag_object object;
    struct alloc_tag tags[TAGS];
    struct tally_used_tag used[2];
    char file[16];
};

static void load(struct loaded *loaded, const char *name, const char *file)
{
    memset(loaded, 0, sizeof *loaded);
    snprintf(loaded->file, sizeof loaded->file, "%s", file);
    for (uint32_t i = 0; i < TAGS; i++)
        loaded->tags[i] =
            (struct alloc_tag){ loaded->file, "load", NULL, i + 1, 0, 0, 0 };
    for (uint32_t i = 0; i < 2; i++) {
        loaded->used[i].tag =
            (struct alloc_tag){ loaded->file,     "use", NULL, 9,
                                ALLOC_TAG_AT_USE, 0,     0 };
        loaded->used[i].object = &loaded->object;
    }
    fake_port_set_module(name);
    tally_tags_enter(&loaded->object, loaded->tags, loaded->tags + TAGS);
    tally_tags_enter(&loaded->object, loaded->tags, loaded->tags + TAGS);
    fake_port_set_module(NULL);
}

static void unload(struct loaded *loaded)
{
    tally_tags_leave(&loaded->object);
    tally_tags_leave(&loaded->object);
    memset(loaded, 0xee, sizeof *loaded);
}

/* All rows of shared objects, as "MODULE:LINE:BYTES:CALLS[u] ". */
static int append(struct alloc_tag *tag, void *context)
{
    struct alloc_tag_counters counters = alloc_tag_read(tag);
    char *text = context;

    if (tag->modname != NULL && (tag->flags & ALLOC_TAG_OWN) == 0)
        sprintf(text + strlen(text), "%s:%u:%llu:%llu%s ", tag->modname,
                tag->lineno, (unsigned long long)counters.bytes,
                (unsigned long long)counters.calls,
                (tag->flags & ALLOC_TAG_UNLOADED) != 0 ? "u" : "");
    return 0;
}

static void assert_rows(const char *expected)
{
    char text[1024] = "";

    alloc_tag_for_each(append, text);
    assert_string_equal(text, expected);
}

static void rows_of_an_object_are_there_from_the_start(void **state)
{
    static struct loaded one, two;

    (void)state;
    load(&one, "one", "a.c");
    load(&two, "two", "b.c");
    assert_rows("one:1:0:0 one:2:0:0 one:3:0:0 "
                "two:1:0:0 two:2:0:0 two:3:0:0 ");
    unload(&one);
    assert_rows("two:1:0:0 two:2:0:0 two:3:0:0 ");
    unload(&two);
    assert_rows("");
}

static void what_is_live_stays_marked_and_goes_on(void **state)
{
    static struct loaded one;
    void *first, *second;

    (void)state;
    load(&one, "one", "a.c");
    first = tally_tag_malloc(&one.tags[1], 100);
    unload(&one);
    assert_rows("one:2:100:1u ");

    load(&one, "one", "a.c");
    assert_rows("one:1:0:0 one:2:100:1 one:3:0:0 ");
    second = tally_tag_malloc(&one.tags[1], 10);
    assert_rows("one:1:0:0 one:2:110:2 one:3:0:0 ");
    unload(&one);
    assert_rows("one:2:110:2u ");
    tally_tag_free(first);
    assert_rows("one:2:10:1u ");
    tally_tag_free(second);
    assert_rows("");
}

static void tags_entered_at_use_stay_too_each_by_itself(void **state)
{
    static struct loaded one;
    void *blocks[3];

    (void)state;
    load(&one, "one", "a.c");
    blocks[0] = tally_tag_malloc(&one.used[0].tag, 100);
    assert_rows("one:1:0:0 one:2:0:0 one:3:0:0 one:9:100:1 ");
    unload(&one);
    assert_rows("one:9:100:1u ");
    load(&one, "one", "a.c");
    assert_rows("one:1:0:0 one:2:0:0 one:3:0:0 ");
    blocks[1] = tally_tag_malloc(&one.used[1].tag, 1);
    blocks[2] = tally_tag_malloc(&one.used[0].tag, 20);
    assert_rows("one:1:0:0 one:2:0:0 one:3:0:0 one:9:101:2 one:9:20:1 ");
    unload(&one);
    assert_rows("one:9:101:2u one:9:20:1u ");
    for (int i = 0; i < 3; i++)
        tally_tag_free(blocks[i]);
    assert_rows("");
}

static void another_content_is_another_object(void **state)
{
    static struct loaded one;
    void *old, *new;

    (void)state;
    load(&one, "one", "a.c");
    old = tally_tag_malloc(&one.tags[0], 5);
    unload(&one);
    load(&one, "one", "b.c");
    new = tally_tag_malloc(&one.tags[0], 7);
    assert_rows("one:1:7:1 one:2:0:0 one:3:0:0 one:1:5:1u ");
    unload(&one);
    assert_rows("one:1:5:1u one:1:7:1u ");
    tally_tag_free(old);
    tally_tag_free(new);
}

static void rounds_of_loading_take_no_more_memory(void **state)
{
    static struct loaded one;
    static void *blocks[ROUNDS];
    size_t after_the_first = 0;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        load(&one, "one", "a.c");
        blocks[i] = tally_tag_malloc(&one.tags[i % TAGS], 8);
        if (i % 2 == 0)
            tally_tag_free(tally_tag_malloc(&one.used[0].tag, 1));
        unload(&one);
        if (i == 10)
            after_the_first = fake_port_pages_out();
    }
    assert_rows("one:1:2672:334u one:2:2664:333u one:3:2664:333u ");
    assert_int_equal(fake_port_pages_out(), after_the_first);
    assert_int_equal(tally_site_count(), TAGS + 1);
    for (int i = 0; i < ROUNDS; i++)
        tally_tag_free(blocks[i]);
    assert_rows("");
}

static void an_object_that_never_allocated_leaves_nothing(void **state)
{
    static struct loaded one;
    size_t before;

    (void)state;
    before = fake_port_pages_out();
    load(&one, "one", "a.c");
    unload(&one);
    assert_int_equal(fake_port_pages_out(), before);
}

static void without_memory_the_rows_are_gone_and_frees_harmless(void **state)
{
    static struct loaded one;
    void *block;

    (void)state;
    load(&one, "one", "a.c");
    block = tally_tag_malloc(&one.tags[0], 5);
    fake_port_fail_from(1);
    unload(&one);
    assert_rows("");
    tally_tag_free(block);
}

/* The charges of a saved tag, and what it says of itself. */
static void assert_saved(const struct alloc_tag *tag, uint32_t line,
                         uint64_t bytes, uint64_t total_calls)
{
    struct alloc_tag_counters counters = alloc_tag_read(tag);

    assert_int_equal(tag->lineno, line);
    assert_string_equal(tag->file, "a.c");
    assert_string_equal(tag->modname, "one");
    assert_int_equal(counters.bytes, bytes);
    assert_int_equal(counters.total_calls, total_calls);
}

static void a_saved_tag_outlives_its_object(void **state)
{
    static struct loaded one;
    struct alloc_tag *saved;
    void *block;

    (void)state;
    load(&one, "one", "a.c");
    saved = alloc_tag_keep(&one.tags[1]);
    assert_ptr_not_equal(saved, &one.tags[1]);
    assert_ptr_equal(alloc_tag_keep(&one.tags[1]), saved);
    assert_ptr_equal(alloc_tag_keep(saved), saved);
    unload(&one);
    assert_saved(saved, 2, 0, 0);
    block = tally_tag_malloc(saved, 100);
    assert_saved(saved, 2, 100, 1);
    assert_rows("one:2:100:1u ");

    load(&one, "one", "a.c");
    assert_ptr_equal(alloc_tag_keep(&one.tags[1]), saved);
    tally_tag_free(tally_tag_malloc(&one.tags[1], 1));
    assert_saved(saved, 2, 100, 2);
    assert_rows("one:1:0:0 one:2:100:1 one:3:0:0 ");
    unload(&one);
    tally_tag_free(block);
    assert_saved(saved, 2, 0, 2);
    assert_rows("");
}

static void a_saved_tag_and_its_original_share_an_account(void **state)
{
    static struct loaded one;
    struct alloc_tag *saved[2];
    uint32_t count;

    (void)state;
    load(&one, "one", "a.c");
    saved[1] = alloc_tag_keep(&one.used[1].tag);
    saved[0] = alloc_tag_keep(&one.used[0].tag);
    count = tally_site_count();
    tally_tag_free(tally_tag_malloc(saved[0], 10));
    tally_tag_free(tally_tag_malloc(&one.used[0].tag, 10));
    tally_tag_free(tally_tag_malloc(&one.used[1].tag, 1));
    tally_tag_free(tally_tag_malloc(saved[1], 1));
    assert_saved(saved[0], 9, 0, 2);
    assert_saved(saved[1], 9, 0, 2);
    unload(&one);

    /* Equal places are told apart by the order of their first use. */
    load(&one, "one", "a.c");
    assert_ptr_equal(alloc_tag_keep(&one.used[1].tag), saved[1]);
    assert_ptr_equal(alloc_tag_keep(&one.used[0].tag), saved[0]);
    unload(&one);
    tally_tag_free(tally_tag_malloc(saved[0], 10));
    assert_saved(saved[0], 9, 0, 3);
    assert_int_equal(tally_site_count(), count);
}

static void without_memory_no_tag_is_saved(void **state)
{
    static struct loaded one;

    (void)state;
    assert_null(alloc_tag_keep(NULL));
    load(&one, "one", "a.c");
    fake_port_fail_from(1);
    assert_null(alloc_tag_keep(&one.tags[0]));
    unload(&one);
}

/* The loader ends the program first, then its libraries. */
static void rows_stay_when_the_program_ends(void **state)
{
    static struct loaded one;
    void *block;

    (void)state;
    load(&one, "one", "a.c");
    block = tally_tag_malloc(&one.tags[1], 100);
    tally_tag_free(tally_tag_malloc(&one.tags[2], 10));
    tally_tags_leave(&tally_tag_object);
    unload(&one);
    assert_rows("one:1:0:0 one:2:100:1 one:3:0:0 ");
    tally_tag_free(block);
    assert_rows("one:1:0:0 one:2:0:0 one:3:0:0 ");
}

/* A walk that releases the lock continues at its position. */
static void a_walk_outlives_unloading(void **state)
{
    static struct loaded one, two, three;
    struct tag_cursor cursor = { 0 };
    struct alloc_tag *tag;

    (void)state;
    load(&one, "one", "a.c");
    load(&two, "two", "b.c");
    load(&three, "three", "c.c");
    do {
        tag = tag_cursor_next(&cursor);
    } while (tag != &two.tags[1]);
    unload(&one);
    assert_ptr_equal(tag_cursor_next(&cursor), &two.tags[2]);
    tally_tag_free(tally_tag_malloc(&two.used[0].tag, 1));
    tally_tag_free(tally_tag_malloc(&two.used[1].tag, 1));
    assert_ptr_equal(tag_cursor_next(&cursor), &two.used[0].tag);
    load(&one, "one", "a.c");
    assert_ptr_equal(tag_cursor_next(&cursor), &two.used[1].tag);
    unload(&two);
    assert_ptr_equal(tag_cursor_next(&cursor), &three.tags[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_an_object_are_there_from_the_start),
        cmocka_unit_test(what_is_live_stays_marked_and_goes_on),
        cmocka_unit_test(tags_entered_at_use_stay_too_each_by_itself),
        cmocka_unit_test(another_content_is_another_object),
        cmocka_unit_test(rounds_of_loading_take_no_more_memory),
        cmocka_unit_test(an_object_that_never_allocated_leaves_nothing),
        cmocka_unit_test(without_memory_the_rows_are_gone_and_frees_harmless),
        cmocka_unit_test(a_saved_tag_outlives_its_object),
        cmocka_unit_test(a_saved_tag_and_its_original_share_an_account),
        cmocka_unit_test(without_memory_no_tag_is_saved),
        cmocka_unit_test(rows_stay_when_the_program_ends),
        cmocka_unit_test(a_walk_outlives_unloading),
    };

    return run_all_alone(tests, sizeof tests / sizeof tests[0]);
}
