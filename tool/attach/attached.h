/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attached.h - the recorder in a process that runs already
 *
 *     the loader maps the recorder     other threads run on
 *     it makes the session's file      "
 *     it opens the ledger              "
 *     jumps over the allocator         all are stopped
 *
 * Each step leaves a program that runs as before; what was mapped stays mapped.
 * Once the jumps are taken away, the recorder is called no more.
 */
#pragma once

#include <sys/types.h>

#include "tool/attach/jumps.h"
#include "tool/session/find/session_file.h"
#include "tool/session/session_failure.h"

struct attached {
    const char *allocator; /* the prefix of a second one's names, or NULL */
    pid_t pid;
    pid_t holder;           /* of ATTACHED_BY_TALLY: the process that records */
    struct tracee tracee;   /* its memory and rights, kept until the end */
    struct jump_list jumps; /* that are to be taken away */
    bool is_unknown;        /* there may be more, in files out of reach */
    uint64_t session;       /* inode of the session's file that it maps, or 0 */
    uint64_t stopped_ns;    /* the longest that all threads stood */
    pid_t other;            /* a process that keeps its jumps; 0: none */
    uint32_t others;        /* how many do */
};

/* Attach to a process that target_check() has found fit. `library` is the
   recorder's path. Set by the caller: `allocator`. -1: why not, and nothing has
   changed. */
int attached_begin(struct attached *attached, pid_t pid, const char *library,
                   const struct session_header *settings,
                   struct session_file *session,
                   struct session_failure *failure);

/* Return true while the process runs the program that has the jumps. */
bool attached_stands(const struct attached *attached);

/* Put the program's code as it was, also in its children, and have it close the
   session's file, `session` here, or -1. */
int attached_end(struct attached *attached, int session,
                 struct session_failure *failure);

void attached_close(struct attached *attached);

/* Who records a process. */
enum attached_by {
    ATTACHED_BY_NONE,
    ATTACHED_BY_TALLY,  /* process `holder` */
    ATTACHED_BY_DEAD,   /* the same, which has ended without attached_end() */
    ATTACHED_BY_RECORD, /* it was started under tally record, or does itself */
};

/*
 * Find out by the process's memory, and fill in what attached_end() needs, for
 * attached_close().
 * `session` is its file, which the caller closes, or -1. The session's word is
 * taken only for who to name.
 */
enum attached_by attached_find(struct attached *attached, pid_t pid,
                               int *session);

/* Return -1 with the reason for a process that attaching would harm or learn
   nothing of. Everything is read from /proc, and nothing is stopped. */
int target_check(pid_t pid, struct session_failure *failure);
