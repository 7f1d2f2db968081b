/* SPDX-License-Identifier: Apache-2.0 */
/* report_parts.c - what the parts of a report have in common */
#include "tool/commands/report/report_parts.h"

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
                                    stacks_lifetimes(&profile->stacks, stack) };
    }
    site = &profile->callers[rows->sites[number]];
    return (struct report_row){ rows->sites[number], NULL, &site->amounts,
                                site->lifetimes };
}

void report_print_head(const char *name, const char *rest)
{
    int room = terminal_room(stdout) - (int)terminal_columns(rest);
    OWNED char *safe = memory_or_exit(escape_copy(ESCAPE_TERMINAL, name));

    terminal_write_cut(stdout, safe, room < 20 ? 20 : (unsigned)room, "...",
                       false);
    puts(rest);
}

void report_print_heading(const struct report *report, const char *text)
{
    const struct facet_subject subject = report_subject(report);

    facet_print_heading(&subject, text);
}

struct facet_subject report_subject(const struct report *report)
{
    bool has_findings = report->is_full && report->view == REPORT_ALL &&
                        report->profile->image_count > 0 &&
                        report->profile->calls == NULL;

    return (struct facet_subject){
        .profile = report->profile,
        .names = report->names,
        .frames = report->frames,
        .color = report->color,
        .requests = (has_findings ? FACET_FINDINGS : 0u) |
                    (report->has_sizes ? FACET_SIZES : 0u),
    };
}
