/* SPDX-License-Identifier: Apache-2.0 */
/* report_parts.c - what the parts of a report have in common */
#include "tool/commands/report/report_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "format/ledger/ledger_layout.h"
#include "tool/tables/memory.h"
#include "tool/text/escape.h"

size_t report_row_count(const struct report *report,
                        const struct report_rows *rows)
{
    return report->frames != NULL ? rows->stack_count : rows->site_count;
}

struct report_row report_row_at(const struct report *report,
                                const struct report_rows *rows, size_t number)
{
    const struct profile *profile = report->profile;
    const struct profile_site *site;

    if (report->frames != NULL) {
        const struct profile_stack *stack =
            &profile->stacks.stacks[rows->stacks[number]];

        return (struct report_row){ stack->site, stack, &stack->amounts,
                                    stack->lifetimes };
    }
    site = &profile->callers[rows->sites[number]];
    return (struct report_row){ rows->sites[number], NULL, &site->amounts,
                                site->lifetimes };
}

const char *report_profiling(const struct profile_image *image)
{
    static const char *const settings[] = {
        [LEDGER_CONTROL_OFF] = "0",
        [LEDGER_CONTROL_ON] = "1",
        [LEDGER_CONTROL_NEVER] = "never",
    };

    return settings[image->control];
}

void report_print_safe(const char *text)
{
    escape_write(stdout, ESCAPE_TERMINAL, text, SIZE_MAX);
}

void report_print_head(const char *name, const char *rest)
{
    unsigned width = terminal_width(stdout);
    unsigned taken = terminal_columns(rest);
    char *safe = memory_or_exit(escape_copy(ESCAPE_TERMINAL, name));

    if (width == 0)
        fputs(safe, stdout);
    else
        terminal_write_cut(stdout, safe,
                           width > taken + 20 ? width - taken : 20, "...",
                           false);
    puts(rest);
    free(safe);
}

void report_print_heading(const struct report *report, const char *text)
{
    bool has_color = terminal_has_color(report->color, stdout);

    printf("\n%s%s%s\n", has_color ? "\033[1m" : "", text,
           has_color ? "\033[0m" : "");
}
