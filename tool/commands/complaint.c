/* SPDX-License-Identifier: Apache-2.0 */
/*
 * complaint.c - the one line that says what is wrong
 */
#include "tool/commands/complaint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/text/escape.h"

int complain(const char *what, const char *why, const char *advice)
{
    char *safe = escape_copy(ESCAPE_TERMINAL, what);

    fprintf(stderr, "tally: %s: %s; %s\n", safe == NULL ? "?" : safe, why,
            advice);
    free(safe);
    return COMMAND_USAGE;
}

int complain_in_full(const char *line)
{
    char *safe = escape_copy(ESCAPE_TERMINAL, line);

    fprintf(stderr, "tally: %s\n", safe == NULL ? "?" : safe);
    free(safe);
    return COMMAND_USAGE;
}

int complain_about_source(const char *name,
                          const struct source_failure *failure)
{
    char why[256];

    if (!failure->has_offset)
        return complain(name, failure->why, failure->advice);
    snprintf(why, sizeof why, "%s, at byte %" PRIu64, failure->why,
             failure->offset);
    return complain(name, why, failure->advice);
}
