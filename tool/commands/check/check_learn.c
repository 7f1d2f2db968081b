/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_learn.c - what figures are in several runs, as a file of budgets
 *
 * Those of each whole program and those that a rule of growth has a pattern
 * for.
 */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/check/check_parts.h"
#include "tool/tables/memory.h"
#include "tool/text/escape.h"

static void write_line(struct check *check, FILE *out, const char *program,
                       const struct budget_figure *figure, const char *pattern)
{
    struct budget_noise noise = check_noise(check, program, figure, pattern);
    char *text;

    if (noise.runs < 2)
        return;
    text = memory_print(
        "%s%s%s%s %.1f +- %.1f of %zu", figure->name,
        pattern == NULL ? "" : " \"", pattern == NULL ? "" : pattern,
        pattern == NULL ? "" : "\"", noise.mean, noise.deviation, noise.runs);
    fputs("      - ", out);
    escape_quoted(out, ESCAPE_JSON, text);
    fputc('\n', out);
    free(text);
}

static void write_program(struct check *check, FILE *out, const char *program)
{
    const struct budget_entry *entry;
    size_t at = 0;

    fputs("  - program: ", out);
    escape_quoted(out, ESCAPE_JSON, base_name(program));
    fputs("\n    noise:\n", out);
    for (size_t i = 0; i < budget_figure_words.count; i++)
        write_line(check, out, program, &budget_figures[i], NULL);
    while ((entry = budget_next(&check->budget, program, NULL, &at)) != NULL) {
        for (size_t i = 0; i < entry->rule_count; i++) {
            const struct budget_rule *rule = &entry->rules[i];

            if (rule->is_growth && rule->pattern != NULL)
                write_line(check, out, program, rule->figure, rule->pattern);
        }
    }
}

void check_learn(struct check *check, FILE *out)
{
    fputs("# Written by tally check --learn: mean and deviation of runs.\n"
          "budgets:\n",
          out);
    for (size_t i = 0; i < check->baseline_count; i++) {
        const char *program = check->baselines[i].program;
        bool is_first = true;

        for (size_t k = 0; k < i; k++)
            is_first =
                is_first && strcmp(base_name(check->baselines[k].program),
                                   base_name(program)) != 0;
        if (is_first)
            write_program(check, out, program);
    }
}
