/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.c - rows and columns of text
 */
#include "tool/render/render.h"

enum {
    GAP = 2,           /* columns of space between two columns */
    NARROWEST = 8,     /* nothing is cut to less, */
    SHORTEST_END = 10, /* ... and no end of a path, where the line is */
    READABLE = 20,     /* texts have so much before spare columns stay */
};

struct table {
    struct table_column columns[TABLE_COLUMNS];
    unsigned column_count;
    char **cells; /* row by row; the first has the titles */
    size_t cell_count;
};

struct table *table_create(const struct table_column *columns,
                           unsigned column_count)
{
    struct table *table = memory_zeroed(1, sizeof *table);

    memcpy(table->columns, columns, column_count * sizeof *columns);
    table->column_count = column_count;
    for (unsigned i = 0; i < column_count; i++)
        table_add(table, columns[i].title);
    return table;
}

static void remove_cells(struct table *table, size_t left)
{
    while (table->cell_count > left)
        free(table->cells[--table->cell_count]);
}

void table_clear(struct table *table)
{
    remove_cells(table, table->column_count);
}

void table_destroy(struct table *table)
{
    remove_cells(table, 0);
    free(table->cells);
    free(table);
}

void table_add(struct table *table, const char *text)
{
    ARRAY_ADD(table->cells, table->cell_count,
              memory_or_exit(escape_copy(ESCAPE_TERMINAL, text)));
}

static bool is_number(const struct table_column *column)
{
    return column->alignment <= TABLE_SPARE;
}

static bool says_nothing(const struct table *table, unsigned column)
{
    for (size_t i = column + table->column_count; i < table->cell_count;
         i += table->column_count) {
        if (strpbrk(table->cells[i], "123456789") != NULL)
            return false;
    }
    return true;
}

static unsigned measure_row(const struct table *table, const unsigned *widths)
{
    unsigned total = 0;

    for (unsigned i = 0; i < table->column_count; i++) {
        if (widths[i] != 0)
            total += widths[i] + (total == 0 ? 0 : GAP);
    }
    return total;
}

static unsigned narrowest(const struct table_column *column)
{
    return column->alignment == TABLE_LEFT_END ? SHORTEST_END : NARROWEST;
}

/* Return the width of a row whose texts are cut to `text` columns, or to their
   minimum. */
static unsigned measure_cut(const struct table *table, const unsigned *widths,
                            unsigned text)
{
    unsigned cut[TABLE_COLUMNS];

    for (unsigned i = 0; i < table->column_count; i++) {
        unsigned least = narrowest(&table->columns[i]);

        if (least < text)
            least = text;
        cut[i] = is_number(&table->columns[i]) || widths[i] < least ? widths[i]
                                                                    : least;
    }
    return measure_row(table, cut);
}

/* A width of 0 is a column that is left out: with spare ones, at last also the
   last text. */
static void leave_out(const struct table *table, unsigned *widths,
                      unsigned width)
{
    bool has_spare = false;
    unsigned last = table->column_count - 1;

    for (unsigned i = table->column_count; i-- > 0;) {
        enum table_alignment alignment = table->columns[i].alignment;

        has_spare = has_spare || alignment == TABLE_SPARE;
        if ((alignment == TABLE_EXTRA && says_nothing(table, i) &&
             measure_row(table, widths) > width) ||
            ((alignment == TABLE_SPARE || alignment == TABLE_LEFT_SPARE) &&
             measure_cut(table, widths, READABLE) > width))
            widths[i] = 0;
    }
    if (has_spare && !is_number(&table->columns[last]) &&
        measure_cut(table, widths, 0) > width)
        widths[last] = 0;
}

/* The widest column that may be cut further, or NULL. */
static unsigned *find_widest(const struct table *table, unsigned *widths)
{
    unsigned *widest = NULL;

    for (unsigned i = 0; i < table->column_count; i++) {
        if (!is_number(&table->columns[i]) &&
            widths[i] > narrowest(&table->columns[i]) &&
            (widest == NULL || widths[i] > *widest))
            widest = &widths[i];
    }
    return widest;
}

static void shrink(const struct table *table, unsigned *widths, unsigned width)
{
    unsigned total;

    leave_out(table, widths, width);
    total = measure_row(table, widths);
    while (total > width) {
        unsigned *widest = find_widest(table, widths);

        if (widest == NULL)
            return;
        --*widest;
        total--;
    }
}

static void print_cell(FILE *out, const char *text, unsigned width,
                       const struct table_column *column, bool is_last)
{
    unsigned columns = terminal_columns(text);
    unsigned padding = columns < width ? width - columns : 0;

    if (is_number(column))
        fprintf(out, "%*s", (int)padding, "");
    terminal_write_cut(out, text, width, "...",
                       column->alignment == TABLE_LEFT_END);
    if (is_last)
        return;
    if (!is_number(column))
        fprintf(out, "%*s", (int)padding, "");
    fprintf(out, "%*s", GAP, "");
}

/* `cells` is one text for each column. */
static void print_row(const struct table *table, FILE *out,
                      const unsigned *widths, char *const *cells)
{
    unsigned last = table->column_count - 1;

    while (last > 0 && widths[last] == 0)
        last--;
    for (unsigned i = 0; i <= last; i++) {
        if (widths[i] != 0)
            print_cell(out, cells[i], widths[i], &table->columns[i], i == last);
    }
    fputc('\n', out);
}

void table_print(const struct table *table, FILE *out, unsigned width,
                 enum table_style style)
{
    unsigned widths[TABLE_COLUMNS] = { 0 };
    size_t whole = table->cell_count - table->cell_count % table->column_count;

    for (size_t i = 0; i < table->cell_count; i++) {
        unsigned columns = terminal_columns(table->cells[i]);

        if (columns > widths[i % table->column_count])
            widths[i % table->column_count] = columns;
    }
    if (width != 0)
        shrink(table, widths, width);
    for (size_t i = 0; i < whole; i += table->column_count) {
        bool is_bold = i == 0 && style == TABLE_COLORED;

        fputs(is_bold ? "\033[1m" : "", out);
        print_row(table, out, widths, &table->cells[i]);
        fputs(is_bold ? "\033[0m" : "", out);
    }
}

void table_show(struct table *table, enum terminal_color color)
{
    table_print(table, stdout, terminal_width(stdout),
                terminal_has_color(color, stdout) ? TABLE_COLORED
                                                  : TABLE_PLAIN);
    table_destroy(table);
}
