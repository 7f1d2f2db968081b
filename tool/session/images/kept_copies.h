/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_copies.h - the folder of a black box: the newest copies of a program
 *
 *     DIR/PROGRAM.PID.TIME.tally
 *
 * The newest KEPT_COPIES of PROGRAM stay, over all its runs. Each is written to
 * a file without a name, in room on disk that was set apart before, and is
 * named when it is whole: a kill meanwhile leaves no half copy.
 */
#pragma once

#include <limits.h>
#include <sys/types.h>

#include "tool/session/find/ledger_snapshot.h"

enum { KEPT_COPIES = 5 };

/* The caller sets the first two. */
struct kept_copies {
    const char *folder;  /* with a slash at its end */
    const char *program; /* its path */

    int files[KEPT_COPIES + 1]; /* set apart; -1: none */
    unsigned missing;           /* of them, to be set apart */
    char written[PATH_MAX];     /* the last copy; it stays, whatever the clock
                                   was before */
};

/* Try whether copies can be made in `folder`. Return 0, or -1 with errno. */
int kept_copies_try(const char *folder);

void kept_copies_begin(struct kept_copies *kept);

enum kept_copies_haste {
    KEPT_COPIES_TO_DISK,    /* wait for the disk */
    KEPT_COPIES_TO_CACHE,   /* do not: memory may be full sooner */
    KEPT_COPIES_PAST_CACHE, /* for files in memory count against its limit */
};

/* Returns an errno, or 0: kept->written names it. */
int kept_copies_write(struct kept_copies *kept,
                      const struct ledger_snapshot *copy, pid_t pid,
                      enum kept_copies_haste haste);
