/* SPDX-License-Identifier: Apache-2.0 */
/* site_rows.c - see site_rows.h */
#include "tool/model/names/site_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file of a row that has neither file nor module. */
static const char unknown[] = "unknown";

struct allocinfo_text site_rows_text(const char *string)
{
    if (string == NULL)
        string = "";
    return (struct allocinfo_text){ string, strlen(string) };
}

/* "MODULE+0xADDRESS", kept until the rows are closed; NULL without memory. */
static const char *make_function(struct site_rows *rows, const char *module,
                                 const struct profile_site *site)
{
    char place[SITE_PLACE_SIZE];
    char *text;

    if (asprintf(&text, "%s+%s", base_name(module), site_place(place, site)) <
        0)
        return NULL;
    rows->made[rows->made_count++] = text;
    return text;
}

/* A ledger that lost frees or allocations cannot tell whose they were. */
static bool has_lost(const struct profile *profile)
{
    return profile->counts[LEDGER_COUNT_lost_allocations] != 0 ||
           profile->counts[LEDGER_COUNT_lost_frees] != 0;
}

static int make_row(struct site_rows *rows, const struct profile *profile,
                    const struct profile_site *site,
                    const struct site_name *name, struct allocinfo_row *row)
{
    const char *module = name->module == NULL ? unknown : name->module;
    const char *function = name->function;

    if (function == NULL)
        function = make_function(rows, module, site);
    if (function == NULL)
        return -1;
    *row = (struct allocinfo_row){
        .bytes = site->amounts.live_bytes,
        .calls = (uint64_t)site->amounts.live_blocks,
        .bytes_variance = site->amounts.variance.live_bytes,
        .calls_variance = site->amounts.variance.live_blocks,
        .file = site_rows_text(name->file == NULL ? module : name->file),
        .line = name->file == NULL ? 0 : name->line,
        .function = site_rows_text(function),
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
        row->module = site_rows_text(base_name(module));
    if (site->label != NULL && !site->is_sum)
        row->pairs = site_rows_text(site->label->pairs);
    return 0;
}

int site_rows_open(struct site_rows *rows, const struct profile *profile,
                   const struct site_names *names)
{
    size_t count = profile->site_count;

    *rows = (struct site_rows){
        .rows = calloc(count + 1, sizeof *rows->rows),
        .made = calloc(count + 1, sizeof *rows->made),
    };
    if (rows->rows == NULL || rows->made == NULL)
        return -1;
    for (; rows->count < count; rows->count++) {
        if (make_row(rows, profile, &profile->sites[rows->count],
                     &names->sites[rows->count], &rows->rows[rows->count]) < 0)
            return -1;
    }
    return 0;
}

void site_rows_close(struct site_rows *rows)
{
    for (size_t i = 0; i < rows->made_count; i++)
        free(rows->made[i]);
    free(rows->made);
    free(rows->rows);
    *rows = (struct site_rows){ 0 };
}

struct allocinfo_text site_rows_module(const struct allocinfo_row *row)
{
    struct allocinfo_text name = row->file;
    const char *slash;

    if (row->line != 0 || row->module.length != 0)
        return row->module;
    if (allocinfo_compare_texts(name, site_rows_text(unknown)) == 0)
        return (struct allocinfo_text){ 0 };
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
