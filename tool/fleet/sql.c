/* SPDX-License-Identifier: Apache-2.0 */
/* sql.c - see fleet.h */
#include "tool/fleet/fleet.h"

static const char *const names[] = {
#define SQL_NAME(name) #name,
    SQL_GAPS(SQL_NAME)
};

static void fill(const struct sql *sql, const char *question, FILE *out);

static void fill_gap(const struct sql *sql, const char *name, size_t length,
                     FILE *out)
{
    const struct {
        const char *name, *text;
    } files[] = { { "rows", sql->rows },
                  { "each", sql_rows },
                  { "twins", sql_twins },
                  { "samples", sql_samples },
                  { "sides", sql_sides },
                  { "owners", sql_owners },
                  { "sums", sql_sums },
                  { "changes", sql_changes },
                  { "latest", sql->latest },
                  { "versions", sql_versions },
                  { "labelled",
                    sql->texts[SQL_label] == NULL ? "" : sql_labelled } };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strncmp(files[i].name, name, length) == 0 &&
            files[i].name[length] == '\0')
            fill(sql, files[i].text, out);
    }
    for (size_t i = 0; i < SQL_GAP_COUNT; i++) {
        if (strncmp(names[i], name, length) == 0 && names[i][length] == '\0' &&
            sql->texts[i] != NULL)
            fputs(sql->texts[i], out);
    }
}

static void fill(const struct sql *sql, const char *question, FILE *out)
{
    const char *gap;

    while ((gap = strchr(question, '{')) != NULL) {
        size_t length = strcspn(++gap, "}");

        fwrite(question, 1, (size_t)(gap - 1 - question), out);
        fill_gap(sql, gap, length, out);
        question = gap + length + 1;
    }
    fputs(question, out);
}

FILE *sql_open(char **text)
{
    static size_t size; /* unused: texts end with NUL */

    return memory_or_exit(open_memstream(text, &size));
}

void sql_close(FILE *out)
{
    if (fclose(out) != 0)
        exit_out_of_memory();
}

char *sql_fill(const struct sql *sql, const char *question)
{
    char *text;
    FILE *out = sql_open(&text);

    fill(sql, question, out);
    sql_close(out);
    return text;
}
