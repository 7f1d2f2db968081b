/* SPDX-License-Identifier: Apache-2.0 */
/* top_rows.c - rows, their earlier state, order and table; see top_parts.h */
#include "tool/commands/top/top_parts.h"

#include <math.h>

void top_rows_begin(struct top_rows *rows)
{
    free(rows->rows);
    rows->rows = NULL;
    rows->count = 0;
    rows->refresh++;
}

void top_rows_end(struct top_rows *rows)
{
    free(rows->rows);
    free(rows->pasts);
    text_pool_free(&rows->texts);
}

void top_rows_forget(struct top_rows *rows)
{
    free(rows->pasts);
    rows->pasts = NULL;
    rows->past_count = 0;
}

static struct top_past *find_past(struct top_rows *rows, uint32_t key)
{
    while (rows->past_count <= key)
        ARRAY_ADD(rows->pasts, rows->past_count, (struct top_past){ 0 });
    return &rows->pasts[key];
}

struct top_row *top_rows_add(struct top_rows *rows, const char *key,
                             struct top_past **past)
{
    struct top_row row = { .key = text_pool_add(&rows->texts, key) };

    /* No key contains "\n": append it for rows that share a key. */
    while ((*past = find_past(rows, row.key))->refresh == rows->refresh) {
        OWNED char *next = memory_print("%s\n", rows->texts.texts[row.key]);

        row.key = text_pool_add(&rows->texts, next);
    }
    (*past)->refresh = rows->refresh;
    ARRAY_ADD(rows->rows, rows->count, row);
    return &rows->rows[rows->count - 1];
}

/* Round to the nearest; clamp to the range of int64_t. */
int64_t top_rate(int64_t now, int64_t *past, double seconds)
{
    /* The difference may exceed int64_t. */
    double rate = (double)((long double)now - (long double)*past) / seconds;

    *past = now;
    if (fabs(rate) < 0x1p63)
        return (int64_t)llround(rate);
    return rate < 0 ? INT64_MIN : INT64_MAX;
}

bool top_has_column(const struct top *top, size_t column)
{
    return (top->source->columns[column].needs & ~top->facts) == 0;
}

static bool is_text(const struct top_column *column)
{
    return column->unit == FIGURE_TEXT;
}

static int compare_cells(const struct top *top, size_t column,
                         const struct top_row *a, const struct top_row *b)
{
    const union top_cell *left = &a->cells[column], *right = &b->cells[column];

    if (!is_text(&top->source->columns[column]))
        return (left->number < right->number) - (left->number > right->number);
    if (left->text == NULL || right->text == NULL)
        return (left->text == NULL) - (right->text == NULL);
    return strcmp(left->text, right->text);
}

/* Break ties by the other numbers, then by key, so that rows keep their
   places. */
static int compare_rows(const void *left, const void *right, void *context)
{
    const struct top_row *a = left, *b = right;
    const struct top *top = context;
    int order = compare_cells(top, top->sort, a, b);

    for (size_t i = 0; order == 0 && i < top->source->column_count; i++) {
        if (!is_text(&top->source->columns[i]))
            order = compare_cells(top, i, a, b);
    }
    return order != 0 ? order
                      : strcmp(top->rows.texts.texts[a->key],
                               top->rows.texts.texts[b->key]);
}

void top_sort(struct top *top)
{
    if (top->sort < top->source->column_count && top->rows.count > 1)
        qsort_r(top->rows.rows, top->rows.count, sizeof *top->rows.rows,
                compare_rows, top);
}

static void put_row(const struct top *top, const struct top_row *row,
                    struct table **table)
{
    struct figure all[TOP_COLUMNS];
    size_t count = 0;

    for (size_t i = 0; i < top->source->column_count; i++) {
        const struct top_column *column = &top->source->columns[i];
        struct figure *figure = &all[count];

        if (!top_has_column(top, i) || (column->is_on_call && top->sort != i))
            continue;
        *figure = (struct figure){
            .title = column->title,
            .unit = column->unit,
            .alignment = column->alignment,
            .is_unknown = column->is_rate && (top->facts & TOP_RATES) == 0,
        };
        if (is_text(column))
            figure->text = row->cells[i].text;
        else
            figure->number = (uint64_t)row->cells[i].number;
        if (top->sort == i && column->alignment == TABLE_SPARE)
            figure->alignment = TABLE_RIGHT;
        count++;
    }
    figures_put(table, NULL, all, count);
}

void top_write(const struct top *top, size_t first, size_t limit,
               unsigned width, FILE *out)
{
    size_t left = top->rows.count - first;
    size_t end = first + (limit < left ? limit : left);
    struct table *table = NULL;

    top->source->write_head(top, first, end, out);
    put_row(top, &(struct top_row){ 0 }, &table);
    table_clear(table);
    for (size_t i = first; i < end; i++)
        put_row(top, &top->rows.rows[i], &table);
    table_print(table, out, width, TABLE_PLAIN);
    table_destroy(table);
}

void top_write_name(const struct top *top, const struct top_row *row, FILE *out)
{
    const char *gap = "";

    for (size_t i = 0; i < top->source->column_count; i++) {
        const char *text = row->cells[i].text;

        if (!is_text(&top->source->columns[i]) || text == NULL)
            continue;
        fputs(gap, out);
        escape_write(out, ESCAPE_TERMINAL, text, SIZE_MAX);
        gap = "  ";
    }
}
