/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blackbox.h - ledgers on disk before the end: of the process in a recording
 * that has the most memory, when there is little left
 *
 * One each time that 80, 90 and 95 % of a limit are passed (memory_limits.h, or
 * that of limits_set_global()), at most one a second while a limit is met, or
 * requests are refused, and whenever one is asked for: by a signal, or in the
 * session's file, where tally snapshot says of which process.
 * kept_copies.h says how each gets there. From the second share on the bytes go
 * past the files that the kernel keeps in memory, for those count against the
 * limit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tool/session/find/image_table.h"
#include "tool/session/find/memory_limits.h"
#include "tool/session/images/kept_copies.h"

/* Figures for tally record's last lines; another process may have the box. */
struct blackbox_account {
    uint32_t taken, failed;
    uint32_t near;          /* times that memory ran short */
    int error;              /* errno of the last that failed */
    unsigned per_mille;     /* of `limit`, when the last one was taken */
    uint64_t limit;         /* 0: none */
    char written[PATH_MAX]; /* the last one */
};

/* The caller sets the first three, of `kept` what is a caller's, and may count
   up the fourth at any time. */
struct blackbox {
    const struct session_file *session;
    struct kept_copies kept;
    struct blackbox_account *account;
    uint32_t asked;

    uint32_t answered; /* of those */
    struct memory_limits limits;
    bool has_greatest;
    uint32_t greatest; /* which image is looked at */
    uint64_t next_find_ns;
    unsigned level; /* how many shares were passed */
    unsigned last_per_mille;
    uint64_t last_look_ns, next_copy_ns;
    uint32_t refused_to; /* an image */
    uint64_t refused;    /* requests of it, when last seen */
};

void blackbox_begin(struct blackbox *box);

/*
 * Look at the limits of the process that has the most memory, and take what is
 * due. Returns the milliseconds until the next call, at most `wait_ms`.
 */
int blackbox_poll(struct blackbox *box, struct image_table *table, int wait_ms);

/*
 * Have the black box of a session write a copy of the ledger at `offset`, and
 * say where. -1 with errno; ENOMSG: it has none; ESRCH: its keeper has ended;
 * ETIME: that does not answer.
 */
int blackbox_ask(int session_fd, uint64_t offset, char written[PATH_MAX]);
