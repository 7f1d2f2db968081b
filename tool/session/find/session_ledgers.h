/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_ledgers.h - a session's file, its process images, and copies of
 * their ledgers
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "format/ledger/session_layout.h"
#include "tool/session/session_failure.h"

/*
 * The memory in which all ledgers of one recording lie
 *
 * A memfd, laid out as session_layout.h says, and sealed: no process can shrink
 * it under the programs that map it. It is sparse: pages exist once written.
 */

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
 * Give the programs something that they can read and not write: `size` bytes
 * in a memfd that is sealed, behind the descriptor that follows the session's.
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

/* The process images of a session, in the order of its ledgers */

struct residency;
struct site_history;

struct image {
    bool is_open; /* its ledger has a header; the rest is set then */
    pid_t pid;
    uint64_t start_ticks;
    uint32_t generation; /* earlier images of this session with that pid */
    bool is_forked;      /* opened by a forked child, not by a new image */
    bool is_mapped;      /* see image_table_find_mapped() */
    /* For timeline.c: */
    bool is_over;      /* nothing of it changes any more */
    uint64_t ended_ns; /* when that was seen; of CLOCK_REALTIME */
    uint64_t next_sample_ns;
    uint64_t sample_interval_ns;
    uint64_t seen_ns;             /* when it was first looked for; monotonic */
    uint64_t next_resident_ns;    /* next read of resident memory; monotonic */
    struct site_history *history; /* what its sites held, or NULL */
    struct residency *residency;  /* whose pages were there, or NULL */
    uint64_t next_instant_ns;     /* of the history */
    uint64_t instant_interval_ns;
    /* For image_writer.c: */
    bool is_written;
    bool is_in_place; /* ... to the file that it is named after */
    bool is_gone;     /* for blackbox.c: it has ended */
};

static inline bool image_is_first(const struct image *image, pid_t program)
{
    return image->pid == program && image->generation == 0;
}

/* Begins as { 0 }. images[k] belongs to ledger k. */
struct image_table {
    struct image *images;
    uint32_t count;
    uint32_t capacity;
    uint32_t *latest; /* private: by pid, number + 1 of its latest image */
    uint64_t suspect_ticks; /* see image_table_find_mapped() */
};

/* Learn of ledgers opened since the last call. False: out of memory. */
bool image_table_refresh(struct image_table *table,
                         const struct session_file *session);
void image_table_free(struct image_table *table);

/*
 * How many images have no ledger: it could not be opened, or the process that
 * ran them expected one and there is none. With `are_alive` only images of
 * living processes.
 */
uint32_t image_table_missing(const struct image_table *table,
                             const struct session_file *session,
                             bool are_alive);

/* The number of the first image of a process, or -1. */
long image_table_find_first(const struct image_table *table, pid_t pid);

/*
 * Set `is_mapped` of each image by what processes map, as two searches in a
 * row find it: during one, a process could fork and end. A process that ends
 * or execs drops its ledger, but a forked child that has not allocated yet
 * still needs its parent's. So memory is given back only for ledgers that no
 * process maps. A child of this kind that lives when the recording ends is
 * known by that map alone: `without` is how many processes map a ledger and
 * have no image in the table. A child that shares its parent's memory is not
 * counted: it uses its parent's ledger. False: there may be more of both, for
 * a process that may be such a child hides its maps; images up to
 * `suspect_ticks` may be mapped by it.
 */
bool image_table_find_mapped(struct image_table *table,
                             const struct session_file *session,
                             uint32_t *without);

/* Return true if no later image has the same pid. */
static inline bool image_is_latest(const struct image_table *table,
                                   uint32_t number)
{
    return table->latest[table->images[number].pid] == number + 1;
}

/* Return true if a process that hides its maps may map this image's ledger. */
static inline bool image_is_suspected(const struct image_table *table,
                                      uint32_t number)
{
    return table->suspect_ticks != 0 &&
           table->images[number].start_ticks <= table->suspect_ticks;
}

/* Return true if a later image has the same pid, or the process is gone. */
bool image_has_ended(const struct image_table *table, uint32_t number);

/* Write the path of an image that is not the first: FILE.d/PID-GENERATION,
   beside the FILE or folder of the program's first image. */
enum { IMAGE_PATH_SIZE = PATH_MAX + 64 };

/* Its name alone. */
void image_path_write(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                      uint32_t generation);

/* Write the path and make FILE.d if need be. Return -1 if `what` of other
   processes is lost. */
int image_path_make(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                    uint32_t generation, const char *what,
                    struct session_failure *failure);

/*
 * A ledger that is being written, copied whole
 *
 * The copy is a valid ledger at whatever instant it is taken: what points is
 * copied before what it points at, and never the other way round.
 */

struct ledger_header;
struct ledger_sample;

struct ledger_snapshot {
    union {
        unsigned char *bytes; /* page-aligned */
        struct ledger_header *header;
    };
    size_t size;     /* a multiple of LEDGER_PAGE */
    int fd;          /* where it was taken; -1: of no live ledger */
    uint64_t offset; /* there */
};

/*
 * Copy the ledger that begins at byte `offset` of the session's file. Returns
 * 0, or -1 with errno set; ENOMSG when there is no ledger there (yet).
 */
int ledger_snapshot_take(int session_fd, uint64_t offset,
                         struct ledger_snapshot *snapshot);

/*
 * A ledger without accounts, that names the program's path and its NULL-ended
 * arguments. Returns 0, or -1 with errno set.
 */
int ledger_snapshot_make_empty(struct ledger_snapshot *snapshot,
                               const char *program, char *const *arguments);

void ledger_snapshot_free(struct ledger_snapshot *snapshot);

/*
 * Add a segment behind all others; its bytes, which are zero, or NULL: there
 * is no room for it. Pointers into the snapshot are no longer valid then.
 */
unsigned char *ledger_snapshot_add(struct ledger_snapshot *snapshot,
                                   uint32_t kind, uint32_t index, size_t size);

/* Its timeline, found sound; NULL when it has none. */
struct ledger_sample *
ledger_snapshot_timeline(const struct ledger_snapshot *snapshot);

/*
 * The header alone of the ledger at `offset`, as it is now. Returns 0, or -1
 * when there is no ledger there (yet).
 */
int ledger_header_read(int session_fd, uint64_t offset,
                       struct ledger_header *header);
