/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result_github.c - commands of a GitHub workflow, which mark lines of a review
 *
 * The line is that of the innermost call that has one below GITHUB_WORKSPACE,
 * where that is set; without any it is the rule's.
 */
#include "tool/render/result.h"

/* A path in the repository; NULL: it lies elsewhere. */
static const char *inside(const char *file)
{
    const char *workspace = secure_getenv("GITHUB_WORKSPACE");
    size_t length;

    if (file == NULL || *file != '/' || workspace == NULL || *workspace == '\0')
        return file;
    length = strlen(workspace);
    return strncmp(file, workspace, length) == 0 && file[length] == '/'
               ? file + length + 1
               : NULL;
}

static void write_place(FILE *out, const struct result *result)
{
    const char *file = NULL;
    uint64_t line = 0;

    for (size_t i = 0; i < result->stack_count && file == NULL; i++) {
        file = inside(result->stack[i].file);
        line = result->stack[i].line;
    }
    if (file == NULL) {
        file = result->rule_file;
        line = result->rule_line;
    }
    if (file == NULL)
        return;
    fputs("file=", out);
    escape_write(out, ESCAPE_GITHUB_PROPERTY, file, SIZE_MAX);
    fprintf(out, ",line=%llu,", (unsigned long long)line);
}

void result_write_github(FILE *out, const struct result_list *list)
{
    static const char *const levels[RESULT_STATES] = {
        [RESULT_BROKEN] = "error",      [RESULT_UNKNOWN] = "error",
        [RESULT_UNMATCHED] = "warning", [RESULT_CHANGED] = "notice",
        [RESULT_FOUND] = "warning",     [RESULT_UNJUDGED] = "notice",
    };

    for (size_t i = 0; i < list->count; i++) {
        const struct result *result = &list->results[i];

        if (levels[result->state] == NULL)
            continue;
        fprintf(out, "::%s ", levels[result->state]);
        write_place(out, result);
        fprintf(out, "title=tally %s::", list->command);
        escape_write(out, ESCAPE_GITHUB, result->rule, SIZE_MAX);
        fputs(": ", out);
        escape_write(out, ESCAPE_GITHUB, result->message, SIZE_MAX);
        result_write_stack(out, result, ESCAPE_GITHUB, "%0Aby ", "%0A   ");
        fputc('\n', out);
    }
}
