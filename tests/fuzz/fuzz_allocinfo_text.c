/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_allocinfo_text.c - any bytes, through the text and the model
 *
 * Rows are written and read again, filtered, summed, compared with themselves
 * and exported. Besides not crashing:
 *
 *   F1  a row reads back with equal values
 *   F2  a source compared with itself has no growth, and summing changes no sum
 *   F3  no sum exceeds 64 bits
 *   F4  a log has a row of each report, and 0 bytes for a negative size
 *   F5  a text between a shell's prompts has equal rows
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/text/allocinfo_text.h"
#include "tool/exporters/exporter.h"
#include "tool/model/compare/compare.h"
#include "tool/model/names/names.h"
#include "tool/model/names/site_choice.h"
#include "tool/model/sources/sources.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read_again(const struct allocinfo_row *row)
{
    size_t length = allocinfo_write_row(NULL, 0, 2, row);
    char *line = malloc(length);
    struct allocinfo_row again;

    assert(line != NULL);
    allocinfo_write_row(line, length, 2, row);
    assert(allocinfo_read_row(line, length, 2, &again) == (int64_t)length);
    assert(again.bytes == row->bytes && again.calls == row->calls);
    assert(allocinfo_compare_texts(again.file, row->file) == 0);
    assert(allocinfo_compare_texts(again.function, row->function) == 0);
    assert(allocinfo_compare_texts(again.module, row->module) == 0);
    assert(again.line == row->line);
    assert(again.is_inaccurate == row->is_inaccurate);
    assert(again.has_totals == row->has_totals);
    free(line);
}

static void filter_by_itself(const struct allocinfo_row *row)
{
    struct allocinfo_filter filter = {
        .mask = ALLOCINFO_FILTER_ALL,
        .module = row->module,
        .function = row->function,
        .file = row->file,
        .line = row->line,
        .is_inaccurate = row->is_inaccurate,
        .min_size = (uint64_t)row->bytes,
        .max_size = (uint64_t)row->bytes,
    };

    assert(allocinfo_filter_matches(&filter, row));
}

static void export_all(const struct profile *profile, struct site_names *names,
                       const char *title)
{
    struct export_job job = { .profile = profile,
                              .names = names,
                              .frames = frame_names_create(profile, names),
                              .title = title };

    for (size_t i = 0; i < exporter_names.count; i++) {
        struct export_result result = { 0 };
        char *text = NULL;
        size_t length;
        FILE *out;

        if (exporter_list[i]->write == NULL)
            continue;
        out = open_memstream(&text, &length);

        assert(out != NULL);
        exporter_list[i]->write(&job, out, &result);
        fclose(out);
        free(text);
    }
}

static void use_row(const struct profile_site *site,
                    const struct site_name *name)
{
    const char *module = site_module(NULL, site, name);
    const struct allocinfo_row row = {
        .bytes = site->amounts.live_bytes,
        .calls = (uint64_t)site->amounts.live_blocks,
        .file = { name->file, strlen(name->file) },
        .line = name->line,
        .function = { name->function, strlen(name->function) },
        .module = { module, module == NULL ? 0 : strlen(module) },
        .is_inaccurate = site->is_inaccurate,
        .has_totals = !site->lacks_totals,
        .total_calls = site->amounts.alloc_blocks,
        .total_bytes = site->amounts.alloc_bytes,
        .pairs = { site->label->pairs, strlen(site->label->pairs) },
    };

    write_and_read_again(&row);
    filter_by_itself(&row);
}

static void compare_with_itself(struct profile *profile,
                                struct site_names *names)
{
    size_t *sites = memory_zeroed(profile->caller_count, sizeof *sites);
    const struct comparison_side side = { { profile, names, NULL },
                                          .sites = sites,
                                          .count = profile->caller_count };
    const struct comparison_side sides[2] = { side, side };
    struct comparison comparison;

    for (size_t i = 0; i < profile->caller_count; i++)
        sites[i] = i;
    assert(comparison_open(&comparison, &compared_values[0], sides) == 0);
    assert(comparison.sum.growth.bytes == 0 &&
           comparison.sum.growth.blocks == 0);
    assert(comparison.unsure_rows == 0);
    comparison_sort(&comparison, 0);
    comparison_close(&comparison);
    free(sites);
}

static int64_t sum_of(const struct profile *profile)
{
    struct sum_range sum = { 0 };

    for (size_t i = 0; i < profile->caller_count; i++) {
        bool fits = sum_range_add(&sum, profile->callers[i].amounts.live_bytes);

        assert(fits);
    }
    return sum.most + sum.least;
}

static void use(struct profile *profile)
{
    struct site_names *names;

    profile_finish(profile);
    names = site_names_create(profile, NULL, DEMANGLE_WITHOUT_ARGUMENTS);
    for (size_t i = 0; i < profile->caller_count; i++)
        use_row(&profile->callers[i], &names->sites[i]);
    compare_with_itself(profile, names);
    export_all(profile, names,
               profile->caller_count > 0 ? names->sites[0].file : "");
    assert(sum_of(profile) == profile->heap.live_bytes);
    for (unsigned by = SITE_SUM_PLACE; by <= SITE_SUM_FOLDER; by++) {
        const struct site_sum how = { .by = (enum site_sum_by)by };

        site_sum(profile, names, &how);
        assert(sum_of(profile) == profile->heap.live_bytes);
    }
}

static void check_remarks(const struct profile *profile, const char *bytes,
                          size_t size)
{
    const struct allocinfo_remarks *text = &profile->text;
    size_t unknown = 0;

    assert(!text->is_cut || size == 0 || bytes[size - 1] != '\n');
    assert(!text->is_unended || bytes[size - 1] != '\n');
    if (text->reports == 0) {
        assert(text->skipped == 0 && text->below_zero == 0);
        return;
    }
    assert(allocinfo_lines_have_row(bytes, size));
    assert(profile->site_count > 0 && text->skipped < size);
    for (size_t i = 0; i < profile->site_count; i++)
        unknown += profile->sites[i].is_inaccurate;
    assert(text->below_zero <= unknown);
}

static void read_between_prompts(const struct profile *profile,
                                 const unsigned char *bytes, size_t size)
{
    static const char before[] = "me@host:~$ cat x\n", behind[] = "\n# ";
    size_t all = sizeof before - 1 + size + sizeof behind - 1;
    const struct allocinfo_remarks *text = &profile->text;
    struct profile *again;
    struct source_failure failure;
    unsigned char *copy;

    /* The first row may lack a prefix, and the last one its end. */
    if (text->reports != 0 || text->is_headless || text->prefixes != 0 ||
        text->is_cut || text->is_unended || profile->site_count == 0)
        return;
    again = profile_create();
    copy = malloc(all);
    assert(again != NULL && copy != NULL);
    memcpy(copy, before, sizeof before - 1);
    memcpy(copy + sizeof before - 1, bytes, size);
    memcpy(copy + all - (sizeof behind - 1), behind, sizeof behind - 1);
    assert(load_allocinfo(copy, all, again, &failure) == 0);
    assert(again->site_count == profile->site_count);
    /* A byte order mark counts only at the beginning. */
    assert(again->text.apart + 1 >= text->apart + 2);
    for (size_t i = 0; i < again->site_count; i++)
        assert(again->sites[i].amounts.free_bytes ==
               profile->sites[i].amounts.free_bytes);
    profile_destroy(again);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The copy ends at the end of its heap block, so that ASan detects
       overruns. */
    unsigned char *copy = malloc(size == 0 ? 1 : size);
    struct profile *profile = profile_create();
    struct source_failure failure;

    assert(copy != NULL && profile != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    if (load_allocinfo(copy, size, profile, &failure) == 0) {
        check_remarks(profile, (const char *)copy, size);
        read_between_prompts(profile, copy, size);
        use(profile);
    }
    profile_destroy(profile);
    free(copy);
    return 0;
}
