/* SPDX-License-Identifier: Apache-2.0 */
/* store_write.c - tally store: write an answer as a table, JSON or CSV */
#include "tool/commands/store/store_parts.h"
#include "tool/render/render.h"

static const char *cell_of(const struct fleet_answer *answer, size_t row,
                           size_t column)
{
    return answer->cells[row * answer->column_count + column];
}

/* Fill the figures of a row; those behind the last have titles alone. */
static void find_figures(struct figure *figures,
                         const struct fleet_answer *answer, size_t row)
{
    bool is_row = row < answer->cell_count / answer->column_count;

    for (size_t i = 0; i < answer->column_count; i++) {
        const struct fleet_column *column = &answer->columns[i];
        const char *cell = is_row ? cell_of(answer, row, i) : "";

        figures[i] =
            (struct figure){ column->key, column->title,
                             column->figure == FLEET_TEXT ? FIGURE_TEXT
                                                          : FIGURE_TEXT_RIGHT,
                             .text = cell };
        if (column->figure == FLEET_TEXT || column->figure == FLEET_STACK)
            continue;
        figures[i].unit =
            column->figure == FLEET_GROWTH ? FIGURE_GROWTH : FIGURE_SIGNED;
        figures[i].number = (uint64_t)strtoll(cell, NULL, 10);
        figures[i].is_estimate = is_row && answer->processes.sampled > 0 &&
                                 (column->figure >= FLEET_ESTIMATE ||
                                  column->figure == FLEET_GROWTH);
        if (figures[i].is_estimate)
            figures[i].interval = fleet_interval(answer, row, i);
    }
}

static void write_table(const struct fleet_answer *answer, size_t rows)
{
    struct figure figures[FLEET_COLUMNS];
    struct table *table = NULL;

    find_figures(figures, answer, rows);
    figures_put(&table, NULL, figures, answer->column_count);
    table_clear(table);
    for (size_t row = 0; row < rows; row++) {
        find_figures(figures, answer, row);
        figures_put(&table, NULL, figures, answer->column_count);
    }
    table_show(table, TERMINAL_COLOR_AUTO);
    if (answer->processes.sampled > 0)
        printf("estimates: %s of %s processes were sampled\n",
               NUMBER(answer->processes.sampled),
               NUMBER(answer->processes.count));
}

static void write_json(const struct fleet_answer *answer, size_t rows)
{
    struct figure figures[FLEET_COLUMNS];
    struct json json = { .out = stdout };

    json_begin(&json, NULL, JSON_OBJECT);
    json_version(&json);
    json_unsigned(&json, "processes", answer->processes.count);
    json_unsigned(&json, "sampled_processes", answer->processes.sampled);
    json_begin(&json, "rows", JSON_ARRAY);
    for (size_t row = 0; row < rows; row++) {
        json_begin(&json, NULL, JSON_LINE_OBJECT);
        /* A stack's number exceeds the exact integers of JavaScript. */
        find_figures(figures, answer, row);
        figures_put(NULL, &json, figures, answer->column_count);
        if (answer->processes.sampled > 0)
            figures_write_intervals(&json, figures, answer->column_count);
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
