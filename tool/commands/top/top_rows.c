/* SPDX-License-Identifier: Apache-2.0 */
/* top_rows.c - rates and names of rows; see top_rows.h */
#include "tool/commands/top/top_rows.h"

#include <stdlib.h>
#include <string.h>

#include "tool/commands/options/options.h"
#include "tool/model/names/site_names.h"
#include "tool/model/names/site_rows.h"

bool top_rows_begin(struct top_rows *rows,
                    const struct allocinfo_filter *filter,
                    const struct symbols_search *search)
{
    *rows = (struct top_rows){ .filter = filter };
    rows->symbols = symbols_create(search, DEMANGLE_WITHOUT_ARGUMENTS);
    return rows->symbols != NULL;
}

void top_rows_end(struct top_rows *rows)
{
    for (size_t i = 0; i < rows->module_count; i++)
        free(rows->modules[i].path);
    free(rows->modules);
    free(rows->rows);
    if (rows->symbols != NULL)
        symbols_destroy(rows->symbols);
}

/* The module's number among ours, given if it is new; -1 without memory. */
static int number_of(struct top_rows *rows, const struct profile_module *module)
{
    struct symbols_module description = {
        .path = module->path,
        .build_id = module->build_id,
        .build_id_size = module->build_id_size,
    };
    struct profile_module *longer;

    for (size_t i = 0; i < rows->module_count; i++) {
        if (profile_is_same_module(&rows->modules[i], module))
            return (int)i;
    }
    longer =
        reallocarray(rows->modules, rows->module_count + 1, sizeof *longer);
    if (longer == NULL)
        return -1;
    rows->modules = longer;
    longer[rows->module_count] = *module;
    longer[rows->module_count].path = strdup(module->path);
    if (longer[rows->module_count].path == NULL)
        return -1;
    rows->module_count++;
    return symbols_add_module(rows->symbols, &description);
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

    if ((a->label == NULL) != (b->label == NULL))
        return a->label == NULL ? -1 : 1;
    if (a->label != NULL)
        order = compare_labels(a->label, b->label);
    if (order != 0)
        return order;
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

        if (row->label == NULL)
            continue;
        if (i == 0 || row[-1].label == NULL ||
            compare_labels(row[-1].label, row->label) != 0)
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
    const struct top_row *before = same == NULL ? &nothing : same;

    if (seconds > 0 && lacks_totals) {
        row->rate = rate_of(row->live_bytes, before->live_bytes, seconds);
        row->block_rate =
            rate_of(row->live_blocks, before->live_blocks, seconds);
    } else if (seconds > 0 && row->total_bytes >= before->total_bytes) {
        row->rate = rate_of((int64_t)row->total_bytes,
                            (int64_t)before->total_bytes, seconds);
        row->block_rate = rate_of((int64_t)row->total_blocks,
                                  (int64_t)before->total_blocks, seconds);
    }
    if (same == NULL || row->label != NULL)
        return;
    row->is_named = same->is_named;
    row->function = same->function;
    row->file = same->file;
    row->line = same->line;
}

static bool grow(struct top_rows *rows, size_t count)
{
    struct top_row *longer;

    if (count <= rows->capacity)
        return true;
    longer = reallocarray(rows->rows, count, sizeof *longer);
    if (longer == NULL)
        return false;
    rows->rows = longer;
    rows->capacity = count;
    return true;
}

static bool add_site(struct top_rows *rows, const struct profile *profile,
                     const struct profile_site *site)
{
    struct top_row row = {
        .module = -1,
        .place = site->place,
        .live_bytes = site->amounts.live_bytes,
        .live_blocks = site->amounts.live_blocks,
        .total_bytes = site->amounts.alloc_bytes,
        .total_blocks = site->amounts.alloc_blocks,
        .label = site->label,
        .is_inaccurate = site->is_inaccurate,
        .is_left_out = site->is_left_out,
    };

    if (site->label != NULL) {
        row.is_named = true;
        row.function = site->label->function;
        row.file = site->label->file;
        row.line = site->label->line;
        row.module_path = site->label->module;
    }

    if (site->module != PROFILE_NO_MODULE) {
        row.module = number_of(rows, &profile->modules[site->module]);
        if (row.module < 0)
            return false;
    }
    rows->rows[rows->count++] = row;
    return true;
}

static bool is_wanted(struct top_rows *rows, struct top_row *row)
{
    bool is_built_in = row->label == NULL && row->module >= 0 &&
                       rows->modules[row->module].is_executable;
    struct allocinfo_row text = { .bytes = row->live_bytes,
                                  .is_inaccurate = row->is_inaccurate };

    if (row->is_left_out || rows->filter->mask == 0)
        return !row->is_left_out;
    top_row_find_names(rows, row);
    text.function = site_rows_text(row->function);
    text.file =
        site_rows_text(row->file != NULL ? row->file : row->module_path);
    text.line = row->line;
    if (!is_built_in && row->module_path != NULL)
        text.module = site_rows_text(base_name(row->module_path));
    return filter_options_match(rows->filter, &text, row->module_path);
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
        sums[0] += row[i].live_bytes;
        sums[1] += row[i].live_blocks;
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
        rows->rate += rows->rows[i].rate;
        rows->block_rate += rows->rows[i].block_rate;
    }
}

bool top_rows_update(struct top_rows *rows, const struct profile *profile,
                     double seconds)
{
    size_t old_count = rows->all_count;
    struct top_row *old = calloc(old_count + 1, sizeof *old);

    if (old == NULL)
        return false;
    if (old_count > 0)
        memcpy(old, rows->rows, old_count * sizeof *old);
    if (old_count > 1)
        qsort(old, old_count, sizeof *old, compare_places);
    rows->count = rows->all_count = 0;
    if (!grow(rows, profile->site_count)) {
        free(old);
        return false;
    }
    for (size_t i = 0; i < profile->site_count; i++) {
        if (profile->sites[i].kind == LEDGER_SITE_HEAP &&
            !add_site(rows, profile, &profile->sites[i])) {
            free(old);
            return false;
        }
    }
    rows->lacks_totals = profile->lacks_totals;
    if (profile->allocinfo_version != 0)
        number_by_label(rows);
    for (size_t i = 0; i < rows->count; i++) {
        struct top_row *row = &rows->rows[i];

        carry_over(row, old, old_count, rows->lacks_totals, seconds);
        if (row->module >= 0) /* the modules may have moved */
            row->module_path = rows->modules[row->module].path;
    }
    rows->has_rates = seconds > 0;
    sum_rates(rows, old, old_count, seconds);
    free(old);
    choose_rows(rows);
    return true;
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
    row->function = symbol.function;
    row->file = symbol.file;
    row->line = symbol.line;
}

static int compare_numbers(double a, double b)
{
    return (a < b) - (a > b); /* the largest first */
}

static int compare_functions(const struct top_row *a, const struct top_row *b)
{
    if (a->function == NULL || b->function == NULL)
        return (a->function == NULL) - (b->function == NULL);
    return strcmp(a->function, b->function);
}

static int compare_by(char key, const struct top_row *a,
                      const struct top_row *b)
{
    switch (key) {
    case 'b':
        return compare_numbers((double)a->live_blocks, (double)b->live_blocks);
    case 't':
        return compare_numbers((double)a->total_bytes, (double)b->total_bytes);
    case 'r':
        return compare_numbers(a->rate, b->rate);
    case 'f':
        return compare_functions(a, b);
    default:
        return compare_numbers((double)a->live_bytes, (double)b->live_bytes);
    }
}

/* Ties go by live bytes, total bytes and place: rows do not jump about. */
static int compare_rows(const void *left, const void *right, void *key)
{
    const struct top_row *a = left, *b = right;
    int order = compare_by(*(const char *)key, a, b);

    if (order == 0)
        order = compare_by('l', a, b);
    if (order == 0 && a->label == NULL)
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
