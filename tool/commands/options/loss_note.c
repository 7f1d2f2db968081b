/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss_note.c - a line that says that accounts lack something
 */
#include "tool/commands/options/loss_note.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/model/names/trust.h"
#include "tool/text/escape.h"
#include "tool/text/number.h"

static void note(const char *source, const char *what)
{
    fputs("tally: ", stderr);
    escape_write(stderr, ESCAPE_TERMINAL, source, SIZE_MAX);
    fprintf(stderr, ": %s; tally report tells more\n", what);
}

static void note_text(void *source, const char *line)
{
    char *safe = escape_copy(ESCAPE_TERMINAL, source);

    fprintf(stderr, "tally: %s: %s\n", safe == NULL ? "?" : safe, line);
    free(safe);
}

void loss_note(const char *source, const struct profile *profile)
{
    uint64_t lost = trust_lost(profile);
    char number[NUMBER_SIZE], what[NUMBER_SIZE + 40];

    if (lost != 0) {
        snprintf(what, sizeof what, "%s event%s lost or unseen",
                 number_unsigned(number, lost), lost == 1 ? " was" : "s were");
        note(source, what);
    }
    if (trust_has_unseen(profile))
        note(source, "not all allocations were seen");
    trust_tell_text(profile, note_text, (void *)(uintptr_t)source);
}
