/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - the recording that this process belongs to
 *
 * The environment names it (format/ledger/session_layout.h). Everything is
 * copied at the first claim; a forked child opens the same path again.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "format/ledger/session_layout.h"

struct session_claim {
    int fd;          /* session's file; the caller closes it */
    uint64_t offset; /* start of the extent that is now ours, in bytes */
    /* copy of the header; own_allocator is "" in all images but the first */
    struct session_header header;
    bool is_attached; /* the program was running already */
};

/* Claim an extent for a new exec image; return false if it is not recorded. */
bool session_claim_first(struct session_claim *claim);

/*
 * Claim an extent of this process's own session, which has one ledger for it
 * and for each child that it forks: a memfd, which `tally` finds by the
 * process's number. LEDGER_CONTROL_NEVER makes a session without a claim.
 */
bool session_claim_own(uint32_t control, bool is_compressed,
                       struct session_claim *claim);

/* Make the file of such a session for session_claim_first(), or return -1. The
   caller may change its header first. */
long session_make(uint32_t control, bool is_compressed);
void session_close_own(void);

/* Return true if this process, or one that forked it, made the session. */
bool session_is_own(void);

/* Return the path of the session's file, as session_claim_first() found it. */
const char *session_path(void);

/*
 * Write the variable by which the next program finds our own session while its
 * maker lives. Return false if the session is over, does not follow execs, or
 * the maker itself becomes the program.
 */
enum { SESSION_VARIABLE = 96 };
bool session_write_variable(char text[SESSION_VARIABLE], bool is_for_child);

/* Claim an extent for a forked child of an image that had one. */
bool session_claim_forked(struct session_claim *claim);
bool session_follows_forks(void);
bool session_follows_execs(void);

/* Note in the extent which process it was for: there is no memory for a
   ledger. */
void session_give_up(const struct session_claim *claim);

/* Expect a ledger of process `pid`: it is about to become a new image, or has
   become one, or is a child of a process without a ledger. -1 takes it back. */
void session_expect_image(long pid, uint32_t added);

/* Return true if the session can be opened from here, and after an exec too. */
bool session_is_reachable(void);

bool session_is_full(void);
