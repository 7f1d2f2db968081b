/* SPDX-License-Identifier: Apache-2.0 */
/* test_load_stack_lines.c - stacks with names, as lines */
#include "tool/model/sources/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tool/model/names/names.h"

#define NAMES "names\tabcd\t16\t/bin/p\t['in','out']\t['a.c','b.c']\t[3,4]\n"
#define STACK(labels, values, builds, addresses)                  \
    "stack\theap\t" labels "\t" values "\t" builds "\t" addresses \
    "\t2\t200\t5\t500\t3\t300\n"

static struct profile *load(const char *lines, struct source_failure *failure)
{
    struct profile *profile = profile_create();
    int status = load_stack_lines((const unsigned char *)lines, strlen(lines),
                                  profile, failure);

    if (status == 0) {
        profile_finish(profile);
        return profile;
    }
    profile_destroy(profile);
    return NULL;
}

static void stacks_have_given_names(void **state)
{
    struct source_failure failure;
    struct profile *profile =
        load(STACK_LINES_BEGIN
             "image\t/bin/p\t7\t1000\t3000\t1\nnote\tof two\n" NAMES STACK(
                 "['t','z']", "['w','a']", "['abcd','/lib/x','']", "[16,5,0]"),
             &failure);
    static const char *const labels[] = { "in", "out", "x+0x5", "[t=w]",
                                          "[z=a]" };
    struct site_names *names;
    struct frame_names *frames;
    struct stack_walk walk;

    (void)state;
    assert_non_null(profile);
    assert_int_equal(profile->image_count, 1);
    assert_int_equal(profile->images[0].pid, 7);
    assert_int_equal(profile->duration_ns, 2000);
    assert_string_equal(profile->notices[0].text, "of two");
    assert_int_equal(profile->heap.live_bytes, 200);
    assert_int_equal(profile->heap.live_blocks, 2);
    assert_int_equal(profile->heap.alloc_bytes, 500);
    assert_int_equal(profile->modules[0].build_id_size, 2);
    assert_string_equal(profile->modules[0].path, "/bin/p");
    assert_string_equal(profile->modules[1].path, "/lib/x");
    names = site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);
    assert_string_equal(names->sites[0].function, "in");
    assert_int_equal(names->sites[0].line, 3);
    frames = frame_names_create(profile, names);
    stack_walk_begin(&walk, frames, &profile->stacks.stacks[0]);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        assert_string_equal(stack_walk_next(&walk)->label, labels[i]);
    assert_null(stack_walk_next(&walk));
    assert_true(walk.is_cut);
    profile_destroy(profile);
}

static void equal_stacks_add_up(void **state)
{
    struct source_failure failure;
    struct profile *profile = load(
        STACK_LINES_BEGIN NAMES STACK("[]", "[]", "['abcd']", "[16]") STACK(
            "[]", "[]", "['abcd']",
            "[16]") "newer\tline\n"
                    "stack\tmaps\t[]\t[]\t['abcd']\t[16]\t1\t9\t1\t9\t0\t0\n",
        &failure);

    (void)state;
    assert_non_null(profile);
    assert_int_equal(profile->stacks.stack_count, 2);
    assert_int_equal(profile->heap.live_bytes, 400);
    assert_int_equal(profile->maps.live_bytes, 9);
    profile_destroy(profile);
}

/* Without a build-id, an address belongs to another function in each
   release. */
static void releases_of_one_path_stay_apart(void **state)
{
    struct source_failure failure;
    struct profile *profile =
        load(STACK_LINES_BEGIN
             "names\t/bin/p@1\t16\t/bin/p\t['old']\t['a.c']\t[3]\n"
             "names\t/bin/p@2\t16\t/bin/p\t['new']\t['a.c']\t[3]\n" STACK(
                 "[]", "[]", "['/bin/p@1']", "[16]")
                 STACK("[]", "[]", "['/bin/p@2']", "[16]"),
             &failure);
    struct site_names *names;

    (void)state;
    assert_non_null(profile);
    assert_int_equal(profile->module_count, 2);
    assert_string_equal(profile->modules[1].path, "/bin/p");
    assert_int_equal(profile->site_count, 2);
    names = site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);
    assert_string_equal(names->sites[0].function, "old");
    assert_string_equal(names->sites[1].function, "new");
    profile_destroy(profile);
}

static void what_is_odd_is_refused(void **state)
{
    static const struct {
        const char *lines, *why;
        uint64_t line;
    } cases[] = {
        { "stack\theap\n", "unknown format", 2 },
        { NAMES "stack\tother\t[]\t[]\t[]\t[]\t0\t0\t0\t0\t0\t0\n",
          "unknown format", 3 },
        { STACK("[]", "[]", "['a']", "[]"), "unknown format", 2 },
        { STACK("[]", "[]", "['a']", "[x]"), "unknown format", 2 },
        { "names\ta\tx\n", "unknown format", 2 },
        { "names\ta\t1\t\t['f']\t['']\t[]\n", "unknown format", 2 },
        { "image\t/p\t1\n", "unknown format", 2 },
        { NAMES "names", "truncated", 3 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct source_failure failure;
        char lines[512];

        snprintf(lines, sizeof lines, STACK_LINES_BEGIN "%s", cases[i].lines);
        assert_null(load(lines, &failure));
        assert_string_equal(failure.why, cases[i].why);
        assert_int_equal(failure.line, cases[i].line);
    }
}

static void is_known_by_its_first_line(void **state)
{
    (void)state;
    assert_true(stack_lines_are("tally stacks 1\nx", 16));
    assert_false(stack_lines_are("tally stacks 2\n", 15));
    assert_false(stack_lines_are("tally stacks 1", 14));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_have_given_names),
        cmocka_unit_test(equal_stacks_add_up),
        cmocka_unit_test(releases_of_one_path_stay_apart),
        cmocka_unit_test(what_is_odd_is_refused),
        cmocka_unit_test(is_known_by_its_first_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
