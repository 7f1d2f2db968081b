/* SPDX-License-Identifier: Apache-2.0 */
/* top_rows.c - rates and names of rows; see top_rows.h */
#include "tool/commands/top_rows.h"

#include <stdlib.h>
#include <string.h>

bool top_rows_begin(struct top_rows *rows)
{
    *rows = (struct top_rows){ 0 };
    rows->symbols = symbols_create(SYMBOLS_OFFLINE, DEMANGLE_WITHOUT_ARGUMENTS);
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

static bool is_same_module(const struct profile_module *a,
                           const struct profile_module *b)
{
    return a->build_id_size == b->build_id_size &&
           memcmp(a->build_id, b->build_id, a->build_id_size) == 0 &&
           strcmp(a->path, b->path) == 0;
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
        if (is_same_module(&rows->modules[i], module))
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

static int compare_places(const void *left, const void *right)
{
    const struct top_row *a = left, *b = right;

    if (a->module != b->module)
        return a->module < b->module ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

/* What the row of that place knew before, if there was one. */
static void carry_over(struct top_row *row, const struct top_row *old,
                       size_t old_count, double seconds)
{
    const struct top_row *same =
        old_count == 0
            ? NULL
            : bsearch(row, old, old_count, sizeof *old, compare_places);
    uint64_t before = same == NULL ? 0 : same->total_bytes;

    if (seconds > 0 && row->total_bytes >= before)
        row->rate = (double)(row->total_bytes - before) / seconds;
    if (same == NULL)
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
    };

    if (site->module != PROFILE_NO_MODULE) {
        row.module = number_of(rows, &profile->modules[site->module]);
        if (row.module < 0)
            return false;
    }
    rows->rows[rows->count++] = row;
    return true;
}

bool top_rows_update(struct top_rows *rows, const struct profile *profile,
                     double seconds)
{
    size_t old_count = rows->count;
    struct top_row *old = calloc(old_count + 1, sizeof *old);

    if (old == NULL)
        return false;
    if (old_count > 0)
        memcpy(old, rows->rows, old_count * sizeof *old);
    qsort(old, old_count, sizeof *old, compare_places);
    rows->count = 0;
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
    for (size_t i = 0; i < rows->count; i++) {
        struct top_row *row = &rows->rows[i];

        carry_over(row, old, old_count, seconds);
        if (row->module >= 0) /* the modules may have moved */
            row->module_path = rows->modules[row->module].path;
    }
    rows->has_rates = seconds > 0;
    free(old);
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
    if (order == 0)
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
