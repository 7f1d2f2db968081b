/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_ledgers.h - a session's file, its process images, and copies of
 * their ledgers
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "format/ledger/session_layout.h"
#include "tool/session/session.h"

/*
 * Memory of all ledgers of one recording
 *
 * It is a memfd with the layout of session_layout.h. It is sealed: no process
 * can shrink it under the programs that map it. It is sparse: pages exist once
 * written.
 */

/* Name of a session, from the environment of a process. The process controls
   that text, so no other form of path is used. */
struct session_name {
    uint32_t pid; /* process that holds the session's file */
    uint32_t fd;  /* its descriptor of the file */
    uint64_t nonce;
};

enum { SESSION_NAME_SIZE = 64 };

/* Read TALLY_SESSION. Return false, with `name` unchanged, if it has another
   form. */
bool session_name_read(const char *value, struct session_name *name);

/* Write the value of TALLY_SESSION. */
void session_name_write(const struct session_name *name,
                        char value[SESSION_NAME_SIZE]);

struct session_file {
    int fd;
    struct session_header settings; /* the header as this command wrote it */
    struct session_header *header;  /* mapped; other processes change it */
    bool is_adopted; /* its first process may have started before us */
    bool is_inside;  /* its processes are in another PID namespace */
    char environment[SESSION_NAME_SIZE]; /* the value of TALLY_SESSION */
    /* limit of the program: ours before it was raised */
    struct rlimit file_size_limit;
};

/* Create the file. The caller sets those fields of `settings` that a user
   chooses. */
int session_file_create(struct session_file *session,
                        const struct session_header *settings,
                        struct session_failure *failure);
/* Take over the file at `path`, which a process of `user` has created for it.
   No recording has started in that file. */
int session_file_adopt(struct session_file *session, const char *path,
                       uid_t user, const struct session_header *settings,
                       struct session_failure *failure);

/*
 * Add a plan that programs can read but not write: `size` bytes in a sealed
 * memfd, at the descriptor after the session's. The session's descriptor
 * changes, so call this before session_file_name().
 */
int session_file_add_plan(struct session_file *session, const void *plan,
                          size_t size, struct session_failure *failure);

/* Replace the plan by another one; if that fails, the old one stays. */
void session_file_replace_plan(const struct session_file *session,
                               const void *plan, size_t size);

/* Name the file in `environment` by process `pid`, which has it at the same
   descriptor. */
void session_file_name(struct session_file *session, pid_t pid);
void session_file_close(struct session_file *session);

/* Return the number of ledgers assigned so far, at most SESSION_CAPACITY. */
uint32_t session_file_ledger_count(const struct session_file *session);

/* Return the offset of ledger `number`. */
static inline uint64_t session_extent_offset(uint32_t number)
{
    return ((uint64_t)number + 1) * SESSION_EXTENT_SIZE;
}

/* Return the bytes of memory in use by the session. */
uint64_t session_file_resident_bytes(const struct session_file *session);

/* Release the memory of a ledger. Its bytes read as zeros from then on. */
void session_file_release(const struct session_file *session, uint32_t number);

/*
 * Open the session of another process for reading and writing, and fill
 * `header`. Sessions are opened nowhere else: the process controls the name and
 * the content. The file must be a memfd of a session's size, sealed against
 * truncation. Return -1 with errno; ENOMSG for another file.
 */
int session_file_open(const char *path, struct session_header *header);

/* Return true if the session was made by a tally attach that has ended. Its
   processes hold it for code that is no longer called; its counters no longer
   change. */
bool session_is_left(int session);

/*
 * Open the session's file of a running process for reading and writing, and
 * check its header. Return the descriptor, or -1. The search begins with the
 * process's environment; its mappings and open files follow.
 */
int session_search(pid_t pid, struct session_header *header,
                   struct session_failure *failure);

/* Open the session's file with this inode, held by a tally process, and fill
   `header`. Return the descriptor, or -1. */
int session_search_holder(uint64_t inode, struct session_header *header);

/* Return true if the process was started with a session in its environment. */
bool session_is_named_by(pid_t pid);

/* Return true if the process has a session's file open, as tally record
   does. */
bool session_is_held_by(pid_t pid);

/* Process images of a session, in the order of its ledgers */

struct residency;
struct site_history;

struct image {
    bool is_open; /* true if its ledger has a header; sets the fields below */
    pid_t pid;
    uint64_t start_ticks;
    uint32_t generation; /* number of earlier images of this session with
                            that pid */
    bool is_forked;      /* opened by a forked child, not by a new image */
    bool is_mapped;      /* see image_table_find_mapped() */
    bool is_over;        /* true if its ledger changes no more */
    uint64_t ended_ns;   /* time when the end was seen; CLOCK_REALTIME */
    uint64_t next_sample_ns;
    uint64_t sample_interval_ns;
    uint64_t seen_ns;             /* time of the first search; monotonic */
    uint64_t next_resident_ns;    /* time of the next read of resident
                                     memory; monotonic */
    struct site_history *history; /* live bytes of its sites over time, or
                                     NULL */
    struct residency *residency;  /* stacks that pin its pages, or NULL */
    uint64_t next_instant_ns;     /* time of the next data point of `history` */
    uint64_t instant_interval_ns;
    bool is_written;
    bool is_in_place; /* true if written to its own name */
    bool is_gone;     /* for blackbox.c: true if it has ended */
};

static inline bool image_is_first(const struct image *image, pid_t program)
{
    return image->pid == program && image->generation == 0;
}

/* Initialize as { 0 }. images[k] belongs to ledger k. */
struct image_table {
    struct image *images;
    uint32_t count;
    uint32_t capacity;
    uint32_t *latest; /* private: by pid, 1 + number of its latest image */
    uint64_t suspect_ticks; /* see image_table_find_mapped() */
};

/* Add ledgers opened since the last call. Return false if memory runs out. */
bool image_table_refresh(struct image_table *table,
                         const struct session_file *session);
void image_table_free(struct image_table *table);

/*
 * Return the number of images without a ledger: it could not be opened, or the
 * process was expected to have one. If `are_alive` is set, count only images of
 * living processes.
 */
uint32_t image_table_missing(const struct image_table *table,
                             const struct session_file *session,
                             bool are_alive);

/* Return the number of the first image of a process, or -1. */
long image_table_find_first(const struct image_table *table, pid_t pid);

/*
 * Set `is_mapped` of each image by the mappings of all processes. Two searches
 * in a row are joined, since a process could fork and end during one.
 *
 * A process that ends or execs unmaps its ledger, but a forked child that has
 * not allocated still needs its parent's. So the memory of a ledger is released
 * only if no process maps it. If such a child is alive at the end of the
 * recording, only that mapping shows it: *without counts processes that map a
 * ledger and have no image. Children that share their parent's memory use its
 * ledger, and are not counted.
 *
 * Return false if a process that hides its mappings may be such a child: both
 * results may be too low, and images up to `suspect_ticks` may be mapped by it.
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

/* Return true if a process that hides its mappings may map this ledger. */
static inline bool image_is_suspected(const struct image_table *table,
                                      uint32_t number)
{
    return table->suspect_ticks != 0 &&
           table->images[number].start_ticks <= table->suspect_ticks;
}

/* Return true if a later image has the same pid, or the process has ended. */
bool image_has_ended(const struct image_table *table, uint32_t number);

/* size of a path for image_path_write() */
enum { IMAGE_PATH_SIZE = PATH_MAX + 64 };

/* Write the path of an image other than the first, FILE.d/PID-GENERATION,
   beside `first`: the FILE or folder of the program's first image. */
void image_path_write(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                      uint32_t generation);

/* Write the path and create FILE.d if it is missing. Return -1 with a failure
   that says that `what` of other processes is lost. */
int image_path_make(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                    uint32_t generation, const char *what,
                    struct session_failure *failure);

/*
 * Copy of a ledger while it is being written
 *
 * The copy is valid at any moment: an entry is copied before the entries that
 * it refers to.
 */

struct ledger_header;
struct ledger_sample;

struct ledger_snapshot {
    union {
        unsigned char *bytes; /* anonymous memory, page-aligned */
        struct ledger_header *header;
    };
    size_t size;     /* a multiple of LEDGER_PAGE */
    int fd;          /* the session's file; -1: not of a live ledger */
    uint64_t offset; /* offset in that file */
};

/*
 * Copy the ledger at byte `offset` of the session's file. Return 0, or -1 with
 * errno set; ENOMSG if there is no ledger (yet). Most of it is zeros, in pages
 * that are not touched.
 */
int ledger_snapshot_take(int session_fd, uint64_t offset,
                         struct ledger_snapshot *snapshot);

/*
 * Make a ledger without counters for a program path and its NULL-terminated
 * arguments. Return 0, or -1 with errno set.
 */
int ledger_snapshot_make_empty(struct ledger_snapshot *snapshot,
                               const char *program, char *const *arguments);

void ledger_snapshot_free(struct ledger_snapshot *snapshot);

/*
 * Add a segment after all others. Return its bytes, which are zero, or NULL if
 * there is no room. Pointers into the snapshot become invalid.
 */
unsigned char *ledger_snapshot_add(struct ledger_snapshot *snapshot,
                                   uint32_t kind, uint32_t index, size_t size);

/* Return the checked timeline of a snapshot, or NULL if it has none. */
struct ledger_sample *
ledger_snapshot_timeline(const struct ledger_snapshot *snapshot);

/*
 * Read the current header of the ledger at `offset`. Return 0, or -1 if there
 * is no ledger (yet).
 */
int ledger_header_read(int session_fd, uint64_t offset,
                       struct ledger_header *header);
