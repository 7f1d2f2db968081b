/* SPDX-License-Identifier: Apache-2.0 */
/* site_rows.c - see site_rows.h */
#include "tool/model/names/site_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tool/model/names/fold.h"
#include "tool/text/number.h"

/* The file of a row that has neither file nor module. */
static const char unknown[] = "unknown";

/* NULL is the empty text. */
static struct text_view text_view_of(const char *string)
{
    if (string == NULL)
        string = "";
    return (struct text_view){ string, strlen(string) };
}

/* "MODULE+0xADDRESS", kept until the rows are closed. */
static const char *make_function(struct site_rows *rows, const char *module,
                                 const struct profile_site *site)
{
    char *text = memory_print("%s+%s", base_name(module), ADDRESS(site->place));

    rows->made[rows->made_count++] = text;
    return text;
}

/* A ledger that lost frees or allocations cannot tell whose they were. */
static bool has_lost(const struct profile *profile)
{
    return profile->counts[LEDGER_COUNT_lost_allocations] != 0 ||
           profile->counts[LEDGER_COUNT_lost_frees] != 0;
}

static void make_row(struct site_rows *rows, const struct profile *profile,
                     const struct profile_site *site,
                     const struct site_name *name, struct allocinfo_row *row)
{
    const char *module = name->module == NULL ? unknown : name->module;
    const char *function = name->function;

    if (function == NULL)
        function = make_function(rows, module, site);
    *row = (struct allocinfo_row){
        .bytes = site->amounts.live_bytes,
        .calls = (uint64_t)site->amounts.live_blocks,
        .bytes_variance = site->amounts.variance.live_bytes,
        .calls_variance = site->amounts.variance.live_blocks,
        .file = text_view_of(name->file == NULL ? module : name->file),
        .line = name->file == NULL ? 0 : name->line,
        .function = text_view_of(function),
        .is_inaccurate =
            site->is_inaccurate || site->is_torn || has_lost(profile),
        .has_totals = !site->lacks_totals,
        .total_calls = site->amounts.alloc_blocks,
        .total_bytes = site->amounts.alloc_bytes,
        .unseen_frees = site->amounts.unseen_frees,
        .is_unloaded = site->is_unloaded,
        .has_peak = profile->allocinfo_version == 0,
        .peak_seen = site->amounts.peak_seen,
        .has_rates = profile->duration_ns > 0,
    };
    if (row->has_rates) {
        row->calls_per_second = profile_rate(profile, row->total_calls);
        row->bytes_per_second = profile_rate(profile, row->total_bytes);
    }
    if (site->label != NULL ? site->label->module != NULL
                            : site->module != PROFILE_NO_MODULE &&
                                  !profile->modules[site->module].is_executable)
        row->module = text_view_of(base_name(module));
    if (site->label != NULL && !site->is_sum)
        row->pairs = text_view_of(site->label->pairs);
}

void site_rows_open(struct site_rows *rows, const struct profile *profile,
                    const struct site_names *names)
{
    size_t count = profile->site_count;

    *rows = (struct site_rows){
        .rows = memory_zeroed(count + 1, sizeof *rows->rows),
        .made = memory_zeroed(count + 1, sizeof *rows->made),
    };
    for (; rows->count < count; rows->count++)
        make_row(rows, profile, &profile->sites[rows->count],
                 &names->sites[rows->count], &rows->rows[rows->count]);
}

void site_rows_close(struct site_rows *rows)
{
    for (size_t i = 0; i < rows->made_count; i++)
        free(rows->made[i]);
    free(rows->made);
    free(rows->rows);
    *rows = (struct site_rows){ 0 };
}

static bool is_module(struct text_view wanted, const char *path)
{
    return allocinfo_compare_texts(wanted, text_view_of(path)) == 0 ||
           allocinfo_compare_texts(wanted, text_view_of(base_name(path))) == 0;
}

bool site_rows_match(const struct allocinfo_filter *filter,
                     const struct allocinfo_row *row, const char *module_path)
{
    struct allocinfo_filter rest = *filter;

    if ((filter->mask & ALLOCINFO_FILTER_MODULE) != 0 && module_path != NULL &&
        is_module(filter->module, module_path))
        rest.mask &= ~(uint64_t)ALLOCINFO_FILTER_MODULE;
    return allocinfo_filter_matches(&rest, row);
}

bool site_rows_name_matches(const struct allocinfo_filter *filter,
                            const struct site_name *name, bool is_executable)
{
    const char *module = name->module == NULL ? unknown : name->module;
    struct allocinfo_filter by_name = *filter;
    bool is_one;
    char *short_name;
    struct allocinfo_row row = {
        .file = text_view_of(name->file == NULL ? module : name->file),
        .line = name->file == NULL ? 0 : name->line,
        .function = text_view_of(name->function),
    };

    if (!is_executable && name->module != NULL)
        row.module = text_view_of(base_name(module));
    by_name.mask &= ~(uint64_t)ALLOCINFO_FILTER_NUMBERS;
    is_one = site_rows_match(&by_name, &row, name->module);
    short_name = is_one ? NULL : fold_short_name(name->function);
    if (short_name != NULL) {
        row.function = text_view_of(short_name);
        is_one = site_rows_match(&by_name, &row, name->module);
    }
    free(short_name);
    return is_one;
}

struct text_view site_rows_module(const struct allocinfo_row *row)
{
    struct text_view name = row->file;
    const char *slash;

    if (row->line != 0 || row->module.length != 0)
        return row->module;
    if (allocinfo_compare_texts(name, text_view_of(unknown)) == 0)
        return (struct text_view){ 0 };
    slash = memrchr(name.bytes, '/', name.length);
    if (slash != NULL) {
        name.length -= (size_t)(slash + 1 - name.bytes);
        name.bytes = slash + 1;
    }
    return name;
}

int site_rows_compare(const struct allocinfo_row *a,
                      const struct allocinfo_row *b)
{
    int order = allocinfo_compare_texts(a->file, b->file);

    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = allocinfo_compare_texts(a->function, b->function);
    return order != 0 ? order : allocinfo_compare_texts(a->module, b->module);
}
