/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complaint.c - the one line that says what is wrong
 */
#include "tool/commands/options/complaint.h"

#include <inttypes.h>
#include <stdio.h>

#include "tool/text/escape.h"

int complain(const char *what, const char *why, const char *advice)
{
    fputs("tally: ", stderr);
    escape_write(stderr, ESCAPE_TERMINAL, what, SIZE_MAX);
    fprintf(stderr, ": %s; %s\n", why, advice);
    return COMMAND_USAGE;
}

int complain_of_memory(const char *what)
{
    return complain(what, "there is not enough memory",
                    "free some and try again");
}

int complain_in_full(const char *line)
{
    fputs("tally: ", stderr);
    escape_write(stderr, ESCAPE_TERMINAL, line, SIZE_MAX);
    fputc('\n', stderr);
    return COMMAND_USAGE;
}

int complain_about_source(const char *name,
                          const struct source_failure *failure)
{
    char why[256];

    if (!failure->has_offset && failure->line == 0)
        return complain(name, failure->why, failure->advice);
    snprintf(why, sizeof why, "%s, at %s %" PRIu64, failure->why,
             failure->line != 0 ? "line" : "byte",
             failure->line != 0 ? failure->line : failure->offset);
    return complain(name, why, failure->advice);
}
