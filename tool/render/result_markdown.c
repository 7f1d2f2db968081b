/* SPDX-License-Identifier: Apache-2.0 */
/*
 * result_markdown.c - a table for a comment in a review
 *
 * The first line is always the same, so that a script finds the comment that it
 * is to replace.
 */
#include "tool/render/result.h"

static void cell(FILE *out, const char *text)
{
    fputs(" | ", out);
    escape_write(out, ESCAPE_MARKDOWN, text, SIZE_MAX);
}

void result_write_markdown(FILE *out, const struct result_list *list)
{
    size_t broken = list->counts[RESULT_BROKEN];
    size_t found = list->counts[RESULT_FOUND];

    fprintf(out, "<!-- tally %s -->\n", list->command);
    if (found > 0 || list->counts[RESULT_HELD] > 0)
        fprintf(out, "### tally %s: %zu finding%s\n\n", list->command, found,
                number_plural(found));
    else if (broken > 0)
        fprintf(out, "### tally %s: %zu rule%s broken\n\n", list->command,
                broken, broken == 1 ? " is" : "s are");
    else
        fprintf(out, "### tally %s: no rule is broken\n\n", list->command);
    if (list->count == 0)
        return;
    fputs("| State | Rule | Program | Found | By |\n"
          "|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < list->count; i++) {
        const struct result *result = &list->results[i];

        fprintf(out, "| %s%s%s", result->state == RESULT_BROKEN ? "**" : "",
                result_state_name(result->state),
                result->state == RESULT_BROKEN ? "**" : "");
        cell(out, result->rule);
        cell(out, result->program == NULL ? "" : result->program);
        cell(out, result->message);
        fputs(" | ", out);
        result_write_stack(out, result, ESCAPE_MARKDOWN, "", "<br>");
        fputs(" |\n", out);
    }
}
