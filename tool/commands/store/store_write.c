/* SPDX-License-Identifier: Apache-2.0 */
/* store_write.c - tally store: write an answer as a table, JSON or CSV */
#include <stdlib.h>

#include "tool/commands/store/store_parts.h"
#include "tool/render/json.h"
#include "tool/render/table.h"
#include "tool/text/text.h"

static const char *cell_of(const struct fleet_answer *answer, size_t row,
                           size_t column)
{
    return answer->cells[row * answer->column_count + column];
}

static void write_table(const struct fleet_answer *answer, size_t rows)
{
    struct table_column columns[TABLE_COLUMNS];
    struct table *table;

    for (size_t i = 0; i < answer->column_count; i++) {
        enum fleet_figure figure = answer->columns[i].figure;

        columns[i] =
            (struct table_column){ answer->columns[i].title,
                                   figure == FLEET_TEXT ? TABLE_LEFT
                                                        : TABLE_RIGHT };
    }
    table = table_create(columns, (unsigned)answer->column_count);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < answer->column_count; i++) {
            const char *cell = cell_of(answer, row, i);
            int64_t number = strtoll(cell, NULL, 10);
            char text[NUMBER_SIZE];

            if (answer->columns[i].figure == FLEET_NUMBER)
                cell = number_signed(text, number);
            else if (answer->columns[i].figure == FLEET_GROWTH)
                cell = number_growth(text, number);
            table_add(table, cell);
        }
    }
    table_show(table, TERMINAL_COLOR_AUTO);
    if (answer->processes.sampled > 0)
        printf("estimates: %s of %s processes were sampled\n",
               NUMBER(answer->processes.sampled),
               NUMBER(answer->processes.count));
}

static void write_json(const struct fleet_answer *answer, size_t rows)
{
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    json_version(&json);
    json_unsigned(&json, "processes", answer->processes.count);
    json_unsigned(&json, "sampled_processes", answer->processes.sampled);
    json_begin(&json, "rows", JSON_ARRAY);
    for (size_t row = 0; row < rows; row++) {
        json_begin(&json, NULL, JSON_LINE_OBJECT);
        for (size_t i = 0; i < answer->column_count; i++) {
            const char *cell = cell_of(answer, row, i);
            const char *key = answer->columns[i].key;

            /* A stack's number exceeds the exact integers of JavaScript. */
            if (answer->columns[i].figure == FLEET_TEXT ||
                answer->columns[i].figure == FLEET_STACK)
                json_string(&json, key, cell);
            else
                json_signed(&json, key, strtoll(cell, NULL, 10));
        }
        json_end(&json);
    }
    json_end(&json);
    json_end(&json);
}

static void write_csv(const struct fleet_answer *answer, size_t rows)
{
    for (size_t i = 0; i < answer->column_count; i++)
        printf("%s%s", i == 0 ? "" : ",", answer->columns[i].key);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < answer->column_count; i++) {
            fputs(i == 0 ? "\n" : ",", stdout);
            if (answer->columns[i].figure == FLEET_TEXT)
                escape_csv(stdout, cell_of(answer, row, i));
            else /* a number: others were refused */
                fputs(cell_of(answer, row, i), stdout);
        }
    }
    putchar('\n');
    if (answer->processes.sampled > 0)
        tell_line("store: estimates: %s of %s processes were sampled",
                  NUMBER(answer->processes.sampled),
                  NUMBER(answer->processes.count));
}

void store_write(const struct fleet_answer *answer, enum store_form form)
{
    static void (*const writers[])(const struct fleet_answer *answer,
                                   size_t rows) = { write_table, write_json,
                                                    write_csv };

    writers[form](answer, answer->cell_count / answer->column_count);
}
