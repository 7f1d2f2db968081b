/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - the recording that this process belongs to
 *
 * Found by the environment (format/ledger/session_layout.h). Everything is
 * copied at the first claim; a forked child opens the same path again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/session_layout.h"

struct session_claim {
    int fd;          /* of the session's file; the caller closes it */
    uint64_t offset; /* of the extent that is now ours */
    /* As it was read; own_allocator is "" in all images but the first. */
    struct session_header header;
    bool is_attached; /* the program runs already */
};

/* For a new process image. False: no recording, or not of this image. */
bool session_claim_first(struct session_claim *claim);

/*
 * A session of this process's own, with one ledger for it and for each child
 * that it forks: a memfd, which `tally` finds by the process's number. With
 * LEDGER_CONTROL_NEVER there is only what says so, and no claim.
 */
bool session_claim_own(uint32_t control, bool is_compressed,
                       struct session_claim *claim);

/* The file of such a session, which session_claim_first() then finds, or -1:
   who asked for it may change its header before. */
long session_make(uint32_t control, bool is_compressed);
void session_close_own(void);

/* Whether it is of this process, or of one that forked it. */
bool session_is_own(void);

/* The path of the session's file, as session_claim_first() found it. */
const char *session_path(void);

/* The name of such a one for the environment of a program that is about to run,
   which finds it while the process that made it lives. False: it is over, or
   does not follow, or that process itself becomes the program. */
enum { SESSION_VARIABLE = 96 };
bool session_write_variable(char text[SESSION_VARIABLE], bool is_for_child);

/* For a forked child of an image that had a claim. */
bool session_claim_forked(struct session_claim *claim);
bool session_follows_forks(void);
bool session_follows_execs(void);

/* No memory for the ledger: note in its extent which process it was for. */
void session_give_up(const struct session_claim *claim);

/*
 * Process `pid` is about to become an image that should leave a ledger, or has,
 * or is a child of one that has none; with -1 it is not after all.
 */
void session_expect_image(long pid, uint32_t added);

/* Whether the session can be opened from here, and after an exec too. */
bool session_is_reachable(void);

/* Return true if the session hands out no ledgers, for it is at its limit. */
bool session_is_full(void);
