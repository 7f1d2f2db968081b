/* SPDX-License-Identifier: Apache-2.0 */
/* top_rows.c - rates and names of rows; see top_parts.h */
#include "tool/commands/top/top_parts.h"

#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/options.h"
#include "tool/model/names/site_names.h"
#include "tool/model/names/site_rows.h"
#include "tool/model/profile/measure.h"
#include "tool/tables/memory.h"

void top_rows_begin(struct top_rows *rows,
                    const struct allocinfo_filter *filter,
                    const struct symbols_search *search)
{
    *rows = (struct top_rows){ .filter = filter, .known = profile_create() };
    rows->symbols = symbols_create(search, DEMANGLE_WITHOUT_ARGUMENTS);
}

void top_rows_end(struct top_rows *rows)
{
    profile_destroy(rows->known);
    free(rows->rows);
    symbols_destroy(rows->symbols);
}

/* The module's number among ours, given if it is new. */
static int number_of(struct top_rows *rows, const struct profile_module *module)
{
    size_t count = rows->known->module_count;
    int number = (int)profile_add_module(rows->known, module);

    if (rows->known->module_count > count)
        symbols_add_module(rows->symbols, module->path, module->build_id,
                           module->build_id_size);
    return number;
}

static int compare_labels(const struct profile_label *a,
                          const struct profile_label *b)
{
    int order = strcmp(a->file, b->file);

    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = strcmp(a->function, b->function);
    if (order != 0)
        return order;
    return strcmp(a->module == NULL ? "" : a->module,
                  b->module == NULL ? "" : b->module);
}

static int compare_places(const void *left, const void *right)
{
    const struct top_row *a = left, *b = right;
    int order = 0;

    if ((a->site.label == NULL) != (b->site.label == NULL))
        return a->site.label == NULL ? -1 : 1;
    if (a->site.label != NULL)
        order = compare_labels(a->site.label, b->site.label);
    if (order != 0)
        return order;
    if (a->site.kind != b->site.kind)
        return a->site.kind < b->site.kind ? -1 : 1;
    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* Rows of a text are numbered in it; from one to the next that changes. */
static void number_by_label(struct top_rows *rows)
{
    uint64_t number = 0;

    if (rows->count > 1)
        qsort(rows->rows, rows->count, sizeof *rows->rows, compare_places);
    for (size_t i = 0; i < rows->count; i++) {
        struct top_row *row = &rows->rows[i];

        if (row->site.label == NULL)
            continue;
        if (i == 0 || row[-1].site.label == NULL ||
            compare_labels(row[-1].site.label, row->site.label) != 0)
            number = 0;
        row->place = number++;
    }
}

/* Of numbers whose difference may be more than one of them holds. */
static double rate_of(int64_t now, int64_t before, double seconds)
{
    return (double)((long double)now - (long double)before) / seconds;
}

/* What the row of that place knew before, if there was one. */
static void carry_over(struct top_row *row, const struct top_row *old,
                       size_t old_count, bool lacks_totals, double seconds)
{
    static const struct top_row nothing;
    const struct top_row *same =
        old_count == 0
            ? NULL
            : bsearch(row, old, old_count, sizeof *old, compare_places);
    const struct profile_amounts *was =
        same == NULL ? &nothing.site.amounts : &same->site.amounts;
    const struct profile_amounts *is = &row->site.amounts;

    if (seconds > 0 && lacks_totals) {
        row->rate = rate_of(is->live_bytes, was->live_bytes, seconds);
        row->block_rate = rate_of(is->live_blocks, was->live_blocks, seconds);
    } else if (seconds > 0 && is->alloc_bytes >= was->alloc_bytes) {
        row->rate = rate_of((int64_t)is->alloc_bytes, (int64_t)was->alloc_bytes,
                            seconds);
        row->block_rate = rate_of((int64_t)is->alloc_blocks,
                                  (int64_t)was->alloc_blocks, seconds);
    }
    if (same != NULL && row->site.label == NULL) {
        row->is_named = same->is_named;
        row->name = same->name;
    }
}

static void add_site(struct top_rows *rows, const struct profile *profile,
                     const struct profile_site *site)
{
    const struct profile_label *label = site->label;
    struct top_row row = { .site = *site, .module = -1, .place = site->place };

    if (label != NULL) {
        row.is_named = true;
        row.name = (struct site_name){ label->function, label->file,
                                       label->line, label->module };
    }
    if (site->module != PROFILE_NO_MODULE)
        row.module = number_of(rows, &profile->modules[site->module]);
    rows->rows[rows->count++] = row;
}

static bool is_wanted(struct top_rows *rows, struct top_row *row)
{
    const struct site_name *name = &row->name;
    bool is_built_in = row->site.label == NULL && row->module >= 0 &&
                       rows->known->modules[row->module].is_executable;
    struct allocinfo_row text = { .bytes = row->site.amounts.live_bytes,
                                  .is_inaccurate = row->site.is_inaccurate };

    if (row->site.is_left_out || rows->filter->mask == 0)
        return !row->site.is_left_out;
    top_row_find_names(rows, row);
    text.function = site_rows_text(name->function);
    text.file = site_rows_text(name->file != NULL ? name->file : name->module);
    text.line = name->line;
    if (!is_built_in && name->module != NULL)
        text.module = site_rows_text(base_name(name->module));
    return site_rows_match(rows->filter, &text, name->module);
}

/* The rows that are wanted come first. */
static void choose_rows(struct top_rows *rows)
{
    rows->all_count = rows->count;
    rows->count = 0;
    for (size_t i = 0; i < rows->all_count; i++) {
        if (is_wanted(rows, &rows->rows[i])) {
            struct top_row wanted = rows->rows[i];

            rows->rows[i] = rows->rows[rows->count];
            rows->rows[rows->count++] = wanted;
        }
    }
}

static void add_live(int64_t sums[2], const struct top_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sums[0] += row[i].site.amounts.live_bytes;
        sums[1] += row[i].site.amounts.live_blocks;
    }
}

/* Rates of the whole; live values change with rows that go away, too. They are
   those of a text, whose sums fit. */
static void sum_rates(struct top_rows *rows, const struct top_row *old,
                      size_t old_count, double seconds)
{
    int64_t now[2] = { 0 }, before[2] = { 0 };

    rows->rate = rows->block_rate = 0;
    if (rows->lacks_totals && seconds > 0) {
        add_live(now, rows->rows, rows->count);
        add_live(before, old, old_count);
        rows->rate = rate_of(now[0], before[0], seconds);
        rows->block_rate = rate_of(now[1], before[1], seconds);
        return;
    }
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->rows[i].site.kind != LEDGER_SITE_HEAP)
            continue;
        rows->rate += rows->rows[i].rate;
        rows->block_rate += rows->rows[i].block_rate;
    }
}

void top_rows_update(struct top_rows *rows, const struct profile *profile,
                     double seconds)
{
    size_t old_count = rows->all_count;
    struct top_row *old = rows->rows;

    if (old_count > 1)
        qsort(old, old_count, sizeof *old, compare_places);
    rows->rows = memory_zeroed(profile->site_count, sizeof *rows->rows);
    rows->count = 0;
    for (size_t i = 0; i < profile->site_count; i++)
        add_site(rows, profile, &profile->sites[i]);
    rows->lacks_totals = profile->lacks_totals;
    if (profile->allocinfo_version != 0)
        number_by_label(rows);
    for (size_t i = 0; i < rows->count; i++) {
        struct top_row *row = &rows->rows[i];

        carry_over(row, old, old_count, rows->lacks_totals, seconds);
        if (row->module >= 0) /* the modules may have moved */
            row->name.module = rows->known->modules[row->module].path;
    }
    rows->has_rates = seconds > 0;
    sum_rates(rows, old, old_count, seconds);
    free(old);
    choose_rows(rows);
}

void top_row_find_names(struct top_rows *rows, struct top_row *row)
{
    struct symbol symbol;

    if (row->is_named)
        return;
    row->is_named = true;
    if (row->module < 0 ||
        !symbols_find(rows->symbols, row->module, row->place, &symbol))
        return;
    row->name.function = symbol.function;
    row->name.file = symbol.file;
    row->name.line = symbol.line;
}

static int compare_functions(const char *a, const char *b)
{
    if (a == NULL || b == NULL)
        return (a == NULL) - (b == NULL);
    return strcmp(a, b);
}

/* Of numbers the largest comes first. */
static int compare_by(char key, const struct top_row *a,
                      const struct top_row *b)
{
    enum measure measure = key == 'b'   ? MEASURE_LIVE_BLOCKS
                           : key == 't' ? MEASURE_TOTAL_BYTES
                                        : MEASURE_LIVE_BYTES;
    int64_t left, right;

    if (key == 'f')
        return compare_functions(a->name.function, b->name.function);
    if (key == 'r')
        return (a->rate < b->rate) - (a->rate > b->rate);
    left = measure_of(&a->site.amounts, measure);
    right = measure_of(&b->site.amounts, measure);
    return (left < right) - (left > right);
}

/* Ties go by live bytes, total bytes and place: rows do not jump about. */
static int compare_rows(const void *left, const void *right, void *key)
{
    const struct top_row *a = left, *b = right;
    int order = compare_by(*(const char *)key, a, b);

    if (order == 0)
        order = compare_by('l', a, b);
    if (order == 0 && a->site.label == NULL)
        order = compare_by('t', a, b);
    return order != 0 ? order : compare_places(a, b);
}

void top_rows_sort(struct top_rows *rows, char key)
{
    if (key == 'f') {
        for (size_t i = 0; i < rows->count; i++)
            top_row_find_names(rows, &rows->rows[i]);
    }
    if (rows->count > 0)
        qsort_r(rows->rows, rows->count, sizeof *rows->rows, compare_rows,
                &key);
}
