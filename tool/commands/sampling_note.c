/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sampling_note.c - a line that says that numbers are estimates
 */
#include "tool/commands/sampling_note.h"

#include <stdio.h>
#include <stdlib.h>

#include "tool/text/escape.h"
#include "tool/text/number.h"

void sampling_note(const char *source, const struct profile *profile)
{
    char number[NUMBER_SIZE];
    char *safe;

    if (profile->sample_interval <= 1)
        return;
    safe = escape_copy(ESCAPE_TERMINAL, source);
    fprintf(stderr,
            "tally: %s: its numbers are estimates, for one byte in %s was "
            "sampled; tally report shows how good they are\n",
            safe == NULL ? "?" : safe,
            number_unsigned(number, profile->sample_interval));
    free(safe);
}
