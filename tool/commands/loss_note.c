/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss_note.c - a line that says that accounts lack something
 */
#include "tool/commands/loss_note.h"

#include <stdio.h>
#include <stdlib.h>

#include "tool/model/trust.h"
#include "tool/render/terminal.h"
#include "tool/text/number.h"

void loss_note(const char *source, const struct profile *profile)
{
    uint64_t lost = trust_lost(profile);
    char number[NUMBER_SIZE];
    char *safe;

    if (lost == 0)
        return;
    safe = terminal_safe(source);
    fprintf(stderr,
            "tally: %s: %s event%s lost or unseen; tally report tells more\n",
            safe == NULL ? "?" : safe, number_unsigned(number, lost),
            lost == 1 ? " was" : "s were");
    free(safe);
}
