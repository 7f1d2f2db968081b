/* SPDX-License-Identifier: Apache-2.0 */
/* report_parts.c - what the parts of a report have in common */
#include "tool/commands/report/report_parts.h"

#include <stdio.h>

#include "format/ledger/ledger_layout.h"
#include "tool/text/escape.h"

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
