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

#include "format/ledger/patch_plan.h"
#include "tool/session/find/session_file.h"

struct attached {
    const char *allocator; /* the prefix of a second one's names, or NULL */
    pid_t pid;
    struct patch_plan plan;
    uint64_t stopped_ns; /* the longest that all threads stood */
};

/* A process that target_check() has found fit. `library` is the recorder's
   path. Set by the caller: `allocator`. -1: why not, and nothing has
   changed. */
int attached_begin(struct attached *attached, pid_t pid, const char *library,
                   const struct session_header *settings,
                   struct session_file *session,
                   struct session_failure *failure);

/* The program's code is as it was, from here on. */
int attached_end(struct attached *attached, int session,
                 struct session_failure *failure);

/* Whether attached_end() was called for it, by this process or another. */
bool attached_is_over(int session);

/* Who records a process. */
enum attached_by {
    ATTACHED_BY_NONE,
    ATTACHED_BY_TALLY,  /* plan.inode is its process */
    ATTACHED_BY_DEAD,   /* the same, which has ended without attached_end() */
    ATTACHED_BY_RECORD, /* it was started under tally record, or does itself */
};

/* `session` is its file, which the caller closes, or -1. */
enum attached_by attached_find(struct attached *attached, pid_t pid,
                               int *session);
