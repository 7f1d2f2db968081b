/* SPDX-License-Identifier: Apache-2.0 */
/*
 * table.h - rows and columns of text
 *
 * Columns are as wide as their widest cell. On a narrower terminal,
 * empty columns are left out, then columns of text are cut, the widest
 * first.
 *
 *     struct table *table = table_create(columns, 2);
 *
 *     table_add(table, "1,024");
 *     table_add(table, "main");
 *     table_show(table, TERMINAL_COLOR_AUTO);
 */
#pragma once

#include <stdio.h>

#include "tool/render/terminal.h"

enum table_alignment {
    TABLE_RIGHT,    /* numbers; never cut */
    TABLE_EXTRA,    /* numbers; left out where it is narrow and all are 0 */
    TABLE_SPARE,    /* numbers; left out where texts would become too narrow */
    TABLE_LEFT,     /* cut at its end */
    TABLE_LEFT_END, /* cut at its beginning: the end of a path says more */
    TABLE_LEFT_SPARE, /* left out as TABLE_SPARE is */
};

enum { TABLE_COLUMNS = 16 }; /* at most */

enum table_style {
    TABLE_PLAIN,
    TABLE_COLORED,
};

struct table_column {
    const char *title;
    enum table_alignment alignment;
};

struct table;

/* The titles must outlive the table. */
struct table *table_create(const struct table_column *columns,
                           unsigned column_count);
void table_destroy(struct table *table);

/* Take all cells away: the titles stay. */
void table_clear(struct table *table);

/* Put a copy of `text` into the next cell, row by row. */
void table_add(struct table *table, const char *text);

/* Print the titles and all whole rows; `width` 0 is no limit. */
void table_print(const struct table *table, FILE *out, unsigned width,
                 enum table_style style);

/* Print it on standard output, as wide as that is, and destroy it. */
void table_show(struct table *table, enum terminal_color color);
