/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tabbed.h - read and write ClickHouse's TabSeparated rows
 *
 * A backslash escapes the bytes that would end a text; an array is in brackets,
 * its texts in quotes. Rows are decoded in place and are not trusted.
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

/* Return the next field, "" behind the last. */
char *tabbed_text(char **row);

/* Read a number of 64 bits, signed or not. */
bool tabbed_number(char **row, uint64_t *number);

/* Return the start of the next array, for tabbed_item(). */
char *tabbed_array(char **row);

/* Return the next text or number of the array; NULL at its end. */
char *tabbed_item(char **array);

/* Write an escaped text, which is valid between quotes and in SQL, too. */
void tabbed_write(FILE *out, const char *text);
