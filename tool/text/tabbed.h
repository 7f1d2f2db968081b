/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tabbed.h - rows of fields with tabs between them, as ClickHouse has them
 *
 * A text has a backslash before what would end it; an array is in brackets, its
 * texts in quotes. Rows are read where they lie, and may be anything.
 *
 *     char *row = line; // ends with 0
 *
 *     name = tabbed_text(&row);
 *     if (!tabbed_number(&row, &value))
 *         refuse();
 *     for (char *items = tabbed_array(&row); (item = tabbed_item(&items));)
 *         use(item);
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The next field, "" behind the last. */
char *tabbed_text(char **row);

/* A number of 64 bits, with a sign or not. */
bool tabbed_number(char **row, uint64_t *number);

/* What tabbed_item() begins with. */
char *tabbed_array(char **row);

/* The next text or number; NULL: there is none. */
char *tabbed_item(char **array);

/* So that it is read again, also between quotes, and in SQL. */
void tabbed_write(FILE *out, const char *text);
