/* SPDX-License-Identifier: Apache-2.0 */
/* test_load_allocinfo.c - rows of text become sites and sums */
#include "tool/model/sources/sources.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "format/text/allocinfo_text.h"
#include "tool/model/names/site_choice.h"

static int create(void **state)
{
    *state = profile_create();
    return 0;
}

static int destroy(void **state)
{
    profile_destroy(*state);
    return 0;
}

static int load_text(struct profile *profile, const char *text,
                     struct source_failure *failure)
{
    return load_allocinfo((const unsigned char *)text, strlen(text), profile,
                          failure);
}

static void load(struct profile *profile, const char *text)
{
    struct source_failure failure;

    assert_int_equal(load_text(profile, text, &failure), 0);
    profile_finish(profile);
}

static void rows_are_sites_with_labels(void **state)
{
    struct profile *profile = *state;
    const struct profile_site *site;

    load(profile, ALLOCINFO_HEADER_V2 "4096 1 fs/exec.c:10 func:load \n"
                                      "128 2 a.c:7 [m] func:g x:y \n");
    assert_int_equal(profile->allocinfo_version, 2);
    assert_int_equal(profile->image_count, 0);
    assert_int_equal(profile->site_count, 2);
    site = &profile->sites[0];
    assert_int_equal(site->amounts.live_bytes, 4096);
    assert_int_equal(site->amounts.live_blocks, 1);
    assert_string_equal(site->label->function, "load");
    assert_string_equal(site->label->file, "fs/exec.c");
    assert_int_equal(site->label->line, 10);
    assert_null(site->label->module);
    assert_string_equal(profile->sites[1].label->module, "m");
    assert_string_equal(profile->sites[1].label->pairs, "x:y");
    assert_int_equal(profile->heap.live_bytes, 4224);
    assert_int_equal(profile->heap.live_blocks, 3);
}

static void numbers_may_be_negative_and_wrapped(void **state)
{
    struct profile *profile = *state;

    load(profile, ALLOCINFO_HEADER_V1
         "-86241280 18446744073709530561 a.c:1 func:f \n"
         "-9223372036768534528 9223372036854796863 a.c:2 func:f \n");
    assert_int_equal(profile->sites[0].amounts.live_bytes, -86241280);
    assert_int_equal(profile->sites[0].amounts.live_blocks, -21055);
    assert_true(profile->heap.live_bytes == INT64_MIN);
    assert_true(profile->heap.live_blocks == INT64_MIN);
}

/* One row holds the maximum; then a second row exceeds it. */
static void sums_fit_or_are_refused_with_the_line(void **state)
{
    static const char *const texts[][2] = {
        { "9223372036854775806 1 a.c:1 func:f \n", "2 1 a.c:2 func:f \n" },
        { "-9223372036854775807 1 a.c:1 func:f \n", "-2 1 a.c:2 func:f \n" },
        { "1 9223372036854775806 a.c:1 func:f \n", "1 2 a.c:2 func:f \n" },
        { "1 9223372036854775809 a.c:1 func:f \n",
          "1 18446744073709551614 a.c:2 func:f \n" },
        { "1 1 a.c:1 func:f total_calls:9223372036854775806 total_bytes:1 \n",
          "1 1 a.c:1 func:f total_calls:2 total_bytes:1 \n" },
        { "1 1 a.c:1 func:f total_calls:1 total_bytes:9223372036854775806 \n",
          "1 1 a.c:1 func:f total_calls:1 total_bytes:2 \n" },
        { "1 18446744073709551614 a.c:1 func:f "
          "total_calls:9223372036854775804 total_bytes:1 \n",
          "1 18446744073709551614 a.c:1 func:f total_calls:2 total_bytes:1 "
          "\n" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct profile *profile = profile_create();
        struct source_failure failure;
        char text[512];

        assert_non_null(profile);
        assert_int_equal(load_text(profile, texts[i][0], &failure), 0);
        profile_destroy(profile);
        profile = profile_create();
        assert_non_null(profile);
        snprintf(text, sizeof text, "%s%s", texts[i][0], texts[i][1]);
        assert_int_equal(load_text(profile, text, &failure), -1);
        assert_int_equal(failure.line, 2);
        assert_string_equal(failure.why,
                            "a sum overflows 64 bits with this row");
        profile_destroy(profile);
    }
}

static void totals_are_lacking_unless_all_rows_have_them(void **state)
{
    struct profile *profile = *state;

    load(profile, ALLOCINFO_HEADER_V2
         "8 1 a.c:1 func:f total_calls:3 total_bytes:24 \n");
    assert_false(profile->lacks_totals);
    assert_int_equal(profile->heap.alloc_bytes, 24);
    assert_int_equal(profile->heap.alloc_blocks, 3);
    assert_int_equal(profile->heap.free_bytes, 16);
    assert_int_equal(profile->heap.live_bytes, 8);
    load(profile, ALLOCINFO_HEADER_V2 "8 1 a.c:1 func:f \n");
    assert_true(profile->lacks_totals);
    assert_int_equal(profile->heap.live_bytes, 16);
}

/* A forked child has its parent's allocations. */
static void what_was_never_allocated_is_inherited(void **state)
{
    struct profile *profile = *state;

    load(profile, "450 4 a.c:1 func:f total_calls:1 total_bytes:10 \n"
                  "5 1 a.c:2 func:f total_calls:3 total_bytes:15 \n");
    assert_int_equal(profile->heap.inherited_blocks, 3);
    assert_int_equal(profile->heap.inherited_bytes, 440);
    assert_int_equal(profile->heap.free_blocks, 2);
    assert_int_equal(profile->heap.free_bytes, 10);
    assert_int_equal(profile->heap.live_blocks, 5);
    assert_int_equal(profile->heap.live_bytes, 455);
}

static void marked_rows_are_counted(void **state)
{
    struct profile *profile = *state;

    load(profile, ALLOCINFO_HEADER_V2 "1 1 a.c:1 func:f accurate:no \n"
                                      "1 1 a.c:2 func:f \n");
    assert_int_equal(profile->inaccurate_sites, 1);
    assert_true(profile->sites[0].is_inaccurate);
    assert_false(profile->sites[1].is_inaccurate);
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
    struct source_failure failure;

    assert_int_equal(load_text(*state,
                               ALLOCINFO_HEADER_V1 "1 1 a.c:1 func:f \n"
                                                   "oops\n",
                               &failure),
                     -1);
    assert_false(failure.has_offset);
    assert_int_equal(failure.line, 4);
    assert_string_equal(failure.why, "malformed allocinfo row");
    assert_string_equal(failure.advice, "remove the line from a copy");
}

static void of_a_newer_version_a_newer_tally_is_needed(void **state)
{
    struct source_failure failure;

    assert_int_equal(load_text(*state, "allocinfo - version: 3.0\n", &failure),
                     -1);
    assert_int_equal(failure.line, 1);
    assert_string_equal(failure.advice, "use a newer tally");
}

/* Rounded values are reported once, and no row is marked. */
static void rows_of_a_log_are_not_inaccurate(void **state)
{
    struct profile *profile = *state;

    load(profile, "Memory allocations:\n 1.00 KiB 1 a.c:1 func:f\nother\n"
                  " 16.0 EiB 1 a.c:2 func:g\n 2.00 KiB 3 a.c:3 func:long_na");
    assert_int_equal(profile->site_count, 3);
    assert_int_equal(profile->inaccurate_sites, 1);
    assert_false(profile->sites[0].is_inaccurate);
    assert_true(profile->sites[1].is_inaccurate);
    assert_int_equal(profile->sites[1].amounts.live_bytes, 0);
    assert_string_equal(profile->sites[2].label->function, "long_na");
    assert_int_equal(profile->heap.live_bytes, 3072);
    assert_int_equal(profile->text.reports, 1);
    assert_int_equal(profile->text.skipped, 1);
    assert_int_equal(profile->text.below_zero, 1);
    assert_true(profile->text.is_unended);
}

/* Names of a profile whose sites all have labels. */
static struct site_names *sum(struct profile *profile)
{
    struct site_names *names =
        site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);

    assert_non_null(names);
    site_sum(profile, names, &(struct site_sum){ .by = SITE_SUM_PLACE });
    return names;
}

static void duplicates_stay_until_they_are_summed(void **state)
{
    struct profile *profile = *state;
    struct site_names *names;

    load(profile, ALLOCINFO_HEADER_V2 "1 1 z.c:1 func:f \n"
                                      "10 1 a.c:1 func:f x:y \n"
                                      "20 2 z.c:1 func:f accurate:no \n"
                                      "30 3 z.c:1 [m] func:f \n"
                                      "40 4 z.c:1 func:g \n"
                                      "-50 18446744073709551615 z.c:1 func:f "
                                      "\n");
    assert_int_equal(profile->site_count, 6);
    names = sum(profile);
    assert_int_equal(profile->caller_count, 4);
    assert_int_equal(profile->callers[0].amounts.live_bytes, -29);
    assert_int_equal(profile->callers[0].amounts.live_blocks, 2);
    assert_true(profile->callers[0].is_inaccurate);
    assert_string_equal(names->sites[0].file, "z.c");
    assert_string_equal(names->sites[1].file, "a.c");
    assert_string_equal(names->sites[2].module, "m");
    assert_string_equal(names->sites[3].function, "g");
    assert_int_equal(profile->inaccurate_sites, 1);
    assert_int_equal(profile->heap.live_bytes, 51);
}

static void sums_keep_pairs_of_single_rows_alone(void **state)
{
    struct profile *profile = *state;

    load(profile, ALLOCINFO_HEADER_V2 "1 1 a.c:1 func:f nid0:1 \n"
                                      "1 1 a.c:1 func:f nid0:1 \n"
                                      "1 1 a.c:2 func:f nid0:1 \n");
    sum(profile);
    assert_true(profile->callers[0].is_sum);
    assert_false(profile->callers[1].is_sum);
    assert_string_equal(profile->callers[1].label->pairs, "nid0:1");
}

static void folders_are_as_deep_as_is_asked_for(void **state)
{
    static const struct {
        const char *file;
        uint64_t depth;
        const char *folder;
    } cases[] = {
        { "mm/slub.c", 0, "mm/" },
        { "fs/ext4/a.c", 0, "fs/ext4/" },
        { "drivers/net/x/y/z.c", 0, "drivers/net/" },
        { "drivers/net/x/y/z.c", 1, "drivers/" },
        { "drivers/net/x/y/z.c", 3, "drivers/net/x/" },
        { "drivers/net/x/y/z.c", 4, "drivers/net/x/y/" },
        { "drivers/net/x/y/z.c", UINT64_MAX, "drivers/net/x/y/" },
        { "./mm/a/b.c", 0, "./mm/a/" },
        { "/home/u/src/x/y.c", 0, "/home/u/src/x/" },
        { "/home/u/src/x/y.c", 2, "/home/u/" },
        { "y.c", 0, "./" },
        { "/y.c", 1, "/" },
        { "a//b.c", 0, "a//" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct site_sum how = { SITE_SUM_FOLDER, cases[i].depth };
        struct profile *profile = profile_create();
        struct site_names *names;
        char text[256];

        assert_non_null(profile);
        snprintf(text, sizeof text, "1 1 %s:7 func:f \n2 2 %s:8 [m] func:g \n",
                 cases[i].file, cases[i].file);
        load(profile, text);
        names = site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);
        assert_non_null(names);
        site_sum(profile, names, &how);
        assert_int_equal(profile->caller_count, 1);
        assert_string_equal(names->sites[0].file, cases[i].folder);
        assert_string_equal(names->sites[0].function, "*");
        assert_string_equal(names->sites[0].module, "*");
        assert_int_equal(names->sites[0].line, 0);
        assert_int_equal(profile->callers[0].amounts.live_bytes, 3);
        profile_destroy(profile);
    }
}

static void what_is_left_out_is_in_no_sum(void **state)
{
    struct profile *profile = *state;
    struct site_names *names;

    load(profile, "1 1 mm/a.c:1 func:f \n10 1 mm/b.c:1 func:alloc_slab_page \n"
                  "100 1 mm/c.c:1 [m] func:f \n1000 1 mm/d.c:1 func:f \n");
    assert_int_equal(profile->slab_bytes, 10);
    profile->callers[0].is_left_out = profile->callers[2].is_left_out = true;
    names = site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);
    assert_non_null(names);
    site_sum(profile, names, &(struct site_sum){ .by = SITE_SUM_MODULE });
    assert_int_equal(profile->caller_count, 3);
    assert_true(profile->callers[0].is_left_out);
    assert_int_equal(profile->callers[0].amounts.live_bytes, 1);
    assert_int_equal(profile->callers[1].amounts.live_bytes, 1010);
    assert_int_equal(profile->callers[1].slab_bytes, 10);
    assert_string_equal(names->sites[1].file, "built-in");
    assert_null(names->sites[1].module);
    assert_true(profile->callers[2].is_left_out);
    assert_string_equal(names->sites[2].module, "m");
}

static void rows_may_be_added_after_a_sum(void **state)
{
    struct profile *profile = *state;

    load(profile, ALLOCINFO_HEADER_V1 "1 1 a.c:1 func:f \n"
                                      "1 1 a.c:1 func:f \n");
    sum(profile);
    load(profile, ALLOCINFO_HEADER_V1 "5 1 a.c:1 func:f \n");
    assert_int_equal(profile->site_count, 3);
    assert_int_equal(profile->heap.live_bytes, 7);
}

int main(void)
{
#define WITH_PROFILE(test) \
    cmocka_unit_test_setup_teardown(test, create, destroy)
    const struct CMUnitTest tests[] = {
        WITH_PROFILE(rows_are_sites_with_labels),
        WITH_PROFILE(numbers_may_be_negative_and_wrapped),
        cmocka_unit_test(sums_fit_or_are_refused_with_the_line),
        WITH_PROFILE(totals_are_lacking_unless_all_rows_have_them),
        WITH_PROFILE(what_was_never_allocated_is_inherited),
        WITH_PROFILE(marked_rows_are_counted),
        WITH_PROFILE(what_is_wrong_is_told_with_its_place),
        WITH_PROFILE(of_a_newer_version_a_newer_tally_is_needed),
        WITH_PROFILE(rows_of_a_log_are_not_inaccurate),
        WITH_PROFILE(duplicates_stay_until_they_are_summed),
        WITH_PROFILE(sums_keep_pairs_of_single_rows_alone),
        cmocka_unit_test(folders_are_as_deep_as_is_asked_for),
        WITH_PROFILE(what_is_left_out_is_in_no_sum),
        WITH_PROFILE(rows_may_be_added_after_a_sum),
    };
#undef WITH_PROFILE

    return cmocka_run_group_tests(tests, NULL, NULL);
}
