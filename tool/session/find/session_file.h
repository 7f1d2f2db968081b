/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_file.h - the memory in which all ledgers of one recording lie
 *
 * A memfd, laid out as session_layout.h says, and sealed: no process can shrink
 * it under the programs that map it. It is sparse: pages exist once written.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "format/ledger/session_layout.h"
#include "tool/session/session_failure.h"

/* Session that a process was started in, by its environment. The process
   chooses that text, so no other path is used. */
struct session_name {
    uint32_t pid; /* of the process that holds the session's file */
    uint32_t fd;  /* there */
    uint64_t nonce;
};

enum { SESSION_NAME_SIZE = 64 };

/* Read TALLY_SESSION. Return false, with `name` unchanged, for another form. */
bool session_name_read(const char *value, struct session_name *name);

/* Write the form that is read. */
void session_name_write(const struct session_name *name,
                        char value[SESSION_NAME_SIZE]);

struct session_file {
    int fd;
    struct session_header settings; /* the header as this command wrote it */
    struct session_header *header;  /* mapped; other processes change it */
    bool is_adopted; /* its first process may be older than we are */
    bool is_inside;  /* its processes are in another PID namespace */
    char environment[SESSION_NAME_SIZE]; /* the value of TALLY_SESSION */
    /* our own limit before it was raised: the program's */
    struct rlimit file_size_limit;
};

/* `settings` is a header of which only what a user chooses is set. */
int session_file_create(struct session_file *session,
                        const struct session_header *settings,
                        struct session_failure *failure);
/* Take over the file at `path`, which a process of `user` has made for that:
   no recording has begun in it. */
int session_file_adopt(struct session_file *session, const char *path,
                       uid_t user, const struct session_header *settings,
                       struct session_failure *failure);

/*
 * Give the programs something that they can read and not write: `size` bytes in
 * a memfd that is sealed, behind the descriptor that follows the session's.
 * Changes the session's descriptor, so call it before session_file_name().
 */
int session_file_add_plan(struct session_file *session, const void *plan,
                          size_t size, struct session_failure *failure);
/* Reached by process `pid`, which has the file by the same number. */
void session_file_name(struct session_file *session, pid_t pid);
void session_file_close(struct session_file *session);

/* Return the number of ledgers handed out so far, at most SESSION_CAPACITY. */
uint32_t session_file_ledger_count(const struct session_file *session);

/* Return the offset of ledger `number`. */
static inline uint64_t session_extent_offset(uint32_t number)
{
    return ((uint64_t)number + 1) * SESSION_EXTENT_SIZE;
}

/* Return the bytes of memory that the session holds now. */
uint64_t session_file_resident_bytes(const struct session_file *session);

/* Give the memory of a ledger back; its bytes read as zeros from now on. */
void session_file_release(const struct session_file *session, uint32_t number);

/*
 * The one door to the session of another process, which chooses where the name
 * leads and what lies there. Open for reading and writing a memfd of the size
 * of a session, sealed so that it cannot be cut off while we map it, and fill
 * `header`; or -1, with ENOMSG for another file.
 */
int session_file_open(const char *path, struct session_header *header);

/* Return true if tally attach made the file, and was ended: its processes hold
   it for code that no call reaches any more, and its accounts stay. */
bool session_is_left(int session);

/*
 * Open the file of the session that a running process belongs to for reading
 * and writing and check its header; the descriptor, or -1. Looks where the
 * process's environment says, then at the files that the process maps or has
 * open.
 */
int session_search(pid_t pid, struct session_header *header,
                   struct session_failure *failure);

/* Open the session's file with that inode, which a tally holds, and fill
   `header`; or -1. */
int session_search_holder(uint64_t inode, struct session_header *header);

/* Return true if the process was started with a session in its environment. */
bool session_is_named_by(pid_t pid);

/* Return true if it has a session's file open: it belongs to tally record. */
bool session_is_held_by(pid_t pid);
