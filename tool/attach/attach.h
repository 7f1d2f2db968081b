/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.h - the recorder in a process that runs already, and the steps to it
 */
#pragma once

#include "format/ledger/patch_plan.h"
#include "tool/attach/thread_calls.h"
#include "tool/session/find/session_ledgers.h"

/* Judging where a thread is by names of files and functions */

enum file_kind {
    FILE_OTHER,
    FILE_LIBC,
    FILE_NEVER,          /* no call is safe below it */
    FILE_WITH_ALLOCATOR, /* one of its own, by its symbols */
};

enum file_kind file_kind_of(const char *path);

enum place_list {
    ALLOCATOR_MARK, /* only an allocator's file defines it */
    ALLOCATOR,      /* of an allocator, in a file that has one */
    ONLY_WAITING,   /* of libc: locks nothing there, however it waits */
    FORBIDDEN,      /* of libc: locks, or may ask the loader */
};

/* A symbol may have a version: read@@GLIBC_2.2.5. */
bool place_is_named(const char *symbol, const char *name);
bool place_is(enum place_list list, const char *name);

/* Plans of the patches in a running process */

/*
 * The entries of its allocator: the executable's own malloc, or that of
 * another library than libc, or libc's; and what else the recorder looks at,
 * of libc's. With a `prefix`, a second allocator, whose names begin with it;
 * or NULL. -1: it cannot be patched, and why.
 */
int entries_plan(pid_t pid, const char *prefix, struct patch_plan *plan,
                 struct session_failure *failure);

/* Return the address of a function in the process, in the file whose name
   begins with `file` ("libc.so"), or 0. */
uint64_t entries_find(pid_t pid, const char *file, const char *name);

/*
 * The jumps over a running process's entries, written and taken away
 *
 * All threads are stopped meanwhile. None may stand behind the first byte that
 * a jump covers, nor return there from a signal handler.
 */

struct jump {
    uint64_t at;
    uint8_t bytes[PATCH_JUMP];  /* the jump */
    uint8_t before[PATCH_JUMP]; /* the file's bytes there */
};

enum { JUMP_CAPACITY = 4 * PATCH_CAPACITY };

struct jump_list {
    size_t count;
    struct jump jumps[JUMP_CAPACITY];
};

/*
 * Write all jumps of `plan` or none, to the ways that begin at `plan->ways`,
 * and fill `list`. `*stopped_ns` keeps the longest stop of all tries. Return
 * -1 with the failure set; the process then runs as before.
 */
int jumps_write(struct tracee *tracee, struct patch_plan *plan,
                struct jump_list *list, int limit_ms, uint64_t *stopped_ns);

/* Return true if one of them stands there still. */
bool jumps_stand(const struct tracee *tracee, const struct jump_list *list);

/* Write back the bytes before each jump that still stands there. */
int jumps_remove(struct tracee *tracee, struct jump_list *list, int limit_ms,
                 uint64_t *stopped_ns);

/*
 * Fill `list` with the recorder's jumps in a running process. Nothing that the
 * process or its session says is believed: the code of each mapped file is
 * compared with the file. A jump is the recorder's if it leads to one of its
 * ways (format/ledger/patch_plan.h); only bytes of the file are written back.
 * Return false if a jump lies in a file that cannot be reached, or if there
 * are more than JUMP_CAPACITY.
 */
bool jumps_find(const struct tracee *tracee, struct jump_list *list);

/*
 * The recorder's library, loaded by a process that runs
 *
 * It is loaded by its path if that names the same file there. A process with
 * files of its own, as in a container, gets a copy of it in memory.
 */

#define LOAD_RECORDER "libtally-record"

bool load_is_done(pid_t pid);

/* `room` is memory of the process, for a path; its calls have the stack
   `stack`. */
int load_recorder(struct remote *remote, const char *library, uint64_t room,
                  uint64_t stack);

/*
 * Return true for an empty memfd of `user` without seals: the recorder may be
 * written there. The program can have closed its own and opened another file
 * by that number, and chooses its name.
 */
bool load_is_fresh(int fd, uid_t user);

/*
 * Make the recorder of a process new that was attached to before, while all
 * threads are stopped: `*stopped_ns` is as in jumps_write(). Return -1 if the
 * recorder is of another version, or if a thread is in it all the time.
 */
int renew(struct remote *remote, uint64_t image, int limit_ms,
          uint64_t *stopped_ns);

/*
 * The recorder in a process that runs already
 *
 *     the loader maps the recorder     other threads run on
 *     it makes the session's file      "
 *     it opens the ledger              "
 *     jumps over the allocator         all are stopped
 *
 * Each step leaves a program that runs as before; what was mapped stays mapped.
 * Once the jumps are taken away, the recorder is called no more.
 */

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
 * attached_close(). `session` is its file, which the caller closes, or -1. The
 * session's word is taken only for who to name.
 */
enum attached_by attached_find(struct attached *attached, pid_t pid,
                               int *session);

/* Return -1 with the reason for a process that attaching would harm or learn
   nothing of. Everything is read from /proc, and nothing is stopped. */
int target_check(pid_t pid, struct session_failure *failure);
