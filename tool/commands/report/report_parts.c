/* SPDX-License-Identifier: Apache-2.0 */
/* report_parts.c - what the parts of a report have in common */
#include "tool/commands/report/report_parts.h"

#include <stdio.h>

#include "format/ledger/ledger_layout.h"
#include "tool/text/escape.h"

size_t report_row_count(const struct report *report, bool is_maps)
{
    if (is_maps)
        return report->map_count;
    return report->frames != NULL ? report->stack_count : report->heap_count;
}

struct report_row report_row_at(const struct report *report, bool is_maps,
                                size_t number)
{
    const struct profile *profile = report->profile;
    const struct profile_site *site;
    size_t index;

    if (!is_maps && report->frames != NULL) {
        const struct profile_stack *stack =
            &profile->stacks.stacks[report->stacks[number]];

        return (struct report_row){ stack->site, stack, &stack->amounts,
                                    stack->lifetimes };
    }
    index = (is_maps ? report->maps : report->heap)[number];
    site = &profile->sites[index];
    return (struct report_row){ index, NULL, &site->amounts, site->lifetimes };
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

void report_print_heading(const struct report *report, const char *text)
{
    bool has_color = terminal_has_color(report->color, stdout);

    printf("\n%s%s%s\n", has_color ? "\033[1m" : "", text,
           has_color ? "\033[0m" : "");
}
