/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_note.c - a line that says that numbers are estimates
 */
#include "tool/commands/options/sampling_note.h"

#include <stdio.h>

#include "tool/text/escape.h"
#include "tool/text/number.h"

void sampling_note(const char *source, const struct profile *profile)
{
    char number[NUMBER_SIZE];

    if (profile->sample_interval <= 1)
        return;
    fputs("tally: ", stderr);
    escape_write(stderr, ESCAPE_TERMINAL, source, SIZE_MAX);
    fprintf(
        stderr,
        ": its numbers are estimates, for one byte in %s was sampled; tally "
        "report shows how good they are\n",
        number_unsigned(number, profile->sample_interval));
}
