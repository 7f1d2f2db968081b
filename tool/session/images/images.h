/* SPDX-License-Identifier: Apache-2.0 */
/* images.h - ledgers of running and ended images, and their files */
#pragma once

#include "tool/session/events/events.h"
#include "tool/session/sampling/sampling.h"

/* Files of ledgers, written whole or not at all; no file is overwritten */

/* Set `folder` to the folder part of `path`, or ".". */
void ledger_file_folder(const char *path, char folder[PATH_MAX]);

/* Write the path FOLDER/PROGRAM.PID.tally; `folder` is "" or ends with a
   slash. */
void ledger_file_name(const char *folder, const char *program, pid_t pid,
                      char path[PATH_MAX]);

/* Append a number if that file or the folder NAME.d exists. */
void ledger_file_choose(char path[PATH_MAX]);

/*
 * Write the snapshot to `path`.`number`, or to `path` if `number` is 0, with
 * the next free number if that name is taken. LEDGER_FILE_REPLACES writes to
 * `path` in place of an earlier output. Store the name in `written`. The file
 * is written under a temporary name in its folder, and renamed by a call that
 * fails if the name exists. Return 0, or -1 with errno set and no file left
 * behind.
 */
enum { LEDGER_FILE_REPLACES = -1 };

int ledger_file_write(const struct ledger_snapshot *snapshot, const char *path,
                      int number, char written[PATH_MAX]);

/*
 * Write the snapshot into a file of zeros, in few parts. With `is_direct` set,
 * bypass the page cache where possible. Return 0, or -1 with errno set.
 */
int ledger_file_fill(const struct ledger_snapshot *snapshot, int fd,
                     bool is_direct);

/* Write the snapshot to a descriptor, which may be a pipe. Return 0, or -1 with
   errno set. */
int ledger_file_send(const struct ledger_snapshot *snapshot, int fd);

/*
 * Folder of a black box, with the newest copies of a program
 *
 *     DIR/PROGRAM.PID.TIME.tally
 *
 * The newest KEPT_COPIES of PROGRAM stay, over all its runs. Each is written to
 * a file without a name, whose room on disk was allocated before. It gets its
 * name when it is whole, so a kill leaves no half copy.
 */

enum { KEPT_COPIES = 5 };

/* The caller sets the first two fields. */
struct kept_copies {
    const char *folder;  /* path ending with a slash */
    const char *program; /* path of the program */

    int files[KEPT_COPIES + 1]; /* files allocated in advance; -1: none */
    unsigned missing;           /* number of files to allocate */
    char written[PATH_MAX];     /* path of the last copy; it stays even if
                                   the clock was set back */
};

/* Try to create copies in `folder`. Return 0, or -1 with errno. */
int kept_copies_try(const char *folder);

void kept_copies_begin(struct kept_copies *kept);

enum kept_copies_haste {
    KEPT_COPIES_TO_DISK,    /* wait for the disk */
    KEPT_COPIES_TO_CACHE,   /* do not wait: memory may run out first */
    KEPT_COPIES_PAST_CACHE, /* cached files would count against the limit */
};

/* Write a copy. Return 0 with its path in kept->written, or an errno. */
int kept_copies_write(struct kept_copies *kept,
                      const struct ledger_snapshot *copy, pid_t pid,
                      enum kept_copies_haste haste);

/*
 * Ledger of a running process
 *
 *     struct live_ledger ledger;
 *     struct ledger_snapshot snapshot;
 *     struct session_failure failure;
 *
 *     if (live_ledger_open(pid, &ledger, &failure) < 0)
 *         print(failure.text);
 *     if (live_ledger_read(&ledger, &snapshot, &failure) == 0)
 *         use(snapshot.bytes, snapshot.size);
 *     ledger_snapshot_free(&snapshot);
 *     live_ledger_close(&ledger);
 *
 * The pid of a `tally record` stands for the program that it runs.
 */

struct live_ledger {
    int fd;          /* the session's file */
    uint64_t offset; /* offset of the ledger; 0: never recorded, no ledger */
    pid_t pid;       /* process that the ledger belongs to */
};

/* Open the newest ledger of process `pid`, or of the program that it
   records. */
int live_ledger_open(pid_t pid, struct live_ledger *ledger,
                     struct session_failure *failure);
void live_ledger_close(struct live_ledger *ledger);

/*
 * Call `tell` with the newest ledger of each running descendant of `root`'s
 * process, or of all other processes of its session if root->offset is 0. Stop
 * when it returns other than 0, and return that. Return -1 if memory runs out.
 */
int live_ledger_each(const struct live_ledger *root,
                     int (*tell)(const struct live_ledger *ledger,
                                 void *context),
                     void *context);

/* Read the ledger as it is now. The caller frees the snapshot. */
int live_ledger_read(const struct live_ledger *ledger,
                     struct ledger_snapshot *snapshot,
                     struct session_failure *failure);

/*
 * Read the resident memory of the process into the snapshot's header, and its
 * heap's ranges into `ranges` unless that is NULL. Return false if it cannot be
 * read, or the process no longer has this ledger; the header then keeps the
 * last result of tally record.
 */
struct heap_ranges;
bool live_ledger_read_resident(const struct live_ledger *ledger,
                               const struct ledger_snapshot *snapshot,
                               struct heap_ranges *ranges);

/* Add resident memory, and the stacks that pin the heap's pages (sampling.h).
   Return 0, or -1. */
int live_ledger_read_residency(const struct live_ledger *ledger,
                               struct ledger_snapshot *snapshot,
                               struct session_failure *failure);

/*
 * Read the 32-bit word at byte `at` of the ledger's header. Without a ledger
 * *word stays as it is.
 */
int live_ledger_get(const struct live_ledger *ledger, size_t at, uint32_t *word,
                    struct session_failure *failure);

/* Write that word. The caller has checked that there is a ledger. */
int live_ledger_set(const struct live_ledger *ledger, size_t at, uint32_t word,
                    struct session_failure *failure);

/* Return true if the process still maps the ledger, which it does not after an
   exec. Return true also if its mappings cannot be read. */
bool live_ledger_is_held(const struct live_ledger *ledger);

/* Return true if the process is still running and recorded. */
bool live_ledger_is_alive(const struct live_ledger *ledger);

/* A recorded process, and the oldest living one of its session. */
struct live_program {
    struct live_ledger ledger; /* the descriptor is already closed */
    uint32_t user;
    pid_t program;
    uint64_t start_ns; /* start of the program; CLOCK_REALTIME */
};

typedef void live_program_fn(const struct live_program *program, void *context);

/*
 * Call `tell` with each recorded process of this user, or of all users if we
 * are root. Each session is read once. The sessions of one user get at most a
 * second of CPU time and 512 processes. Return a user who has more, or -1.
 */
int64_t live_ledger_find_all(live_program_fn *tell, void *context);

/*
 * Ledgers of the running program, as FILE.1, FILE.2, ...
 *
 * Snapshots are of the newest image of the program's process only. They are
 * taken at an interval, when the heap first reaches a number of bytes, or on
 * request. The ledger itself has the heap's peak, so no check comes too late.
 */

/* The caller sets the first four fields. */
struct snapshots {
    uint64_t interval_ns; /* at least SNAPSHOTS_LEAST_NS */
    uint64_t live_bytes;  /* take one at so many live bytes; 0 once taken */
    bool is_asked;        /* take one as soon as there is a ledger */
    bool is_resident;     /* include the stacks that pin pages */

    uint32_t count;         /* number of files written */
    char written[PATH_MAX]; /* path of the last one */
    struct session_failures failures;
    uint64_t next_ns; /* private; CLOCK_MONOTONIC */
};

enum { SNAPSHOTS_LOOK_MS = 50 }; /* interval of checks of live bytes */

/* Return true if the heap of the program's newest image ever had so many
   bytes. */
bool snapshots_has_held(struct image_table *table,
                        const struct session_file *session, pid_t program,
                        uint64_t bytes);

#define SNAPSHOTS_LEAST_NS UINT64_C(100000000)

/*
 * Take the snapshots whose time has come; `file` is FILE. Return the
 * milliseconds until the next call, at most `wait_ms`.
 */
int snapshots_poll(struct snapshots *snapshots, struct image_table *table,
                   const struct session_file *session, pid_t program,
                   const char *file, int wait_ms);

/*
 * Files of a session's ledgers, written whole or not at all; no file is
 * overwritten
 *
 *     FILE                     the program's first image
 *     FILE.d/PID-GENERATION    all others of its tree
 *
 * While the program runs, ended images are written and their memory is released
 * once it is worth a search. Above the limit no more images are recorded. All
 * others are written at the end, and FILE always. Each file has the number of
 * images without a ledger, which is known last. Writing a ledger adds a last
 * data point to its timeline and a last update of its sites' peaks.
 */

enum { CLOSING_NOTICE_CAPACITY = 8 };

struct closing_notice {
    uint32_t code;
    char text[256];
};

/* Figures for the last lines of the command. */
struct closing_account {
    bool is_readable; /* totals of the first image are known */
    struct ledger_totals totals;

    uint64_t counts[LEDGER_COUNT_COUNT]; /* sums over all images */
    struct ledger_sampling sampling;     /* sum over all images */
    struct closing_notice notices[CLOSING_NOTICE_CAPACITY];
    uint32_t notice_count;
    uint32_t more_notices; /* distinct notices without room */
};

/* images that could not open a ledger, and processes that continued without
   one */
enum { IMAGE_WRITER_MISSING = 2 };

/*
 * The caller sets the first eight fields and zeroes the rest. `path` must leave
 * room for a suffix, see image_writer_check_place(); "" writes no files.
 */
struct image_writer {
    const struct session_file *session;
    uint64_t most; /* limit of the session's memory, bytes */
    pid_t program;
    const char *program_path;
    char *const *arguments; /* arguments of the program */
    const char *guest;      /* program in `arguments` that is not recorded,
                               or NULL */
    char path[PATH_MAX];    /* FILE as requested */
    int output; /* descriptor for FILE's bytes instead of a file; 0: none */
    const struct event_drain *events; /* NULL: no trace */
    bool has_status;                  /* true if the program has ended */
    int status;                       /* its status, as by waitpid() */
    struct image_table table;
    struct timeline_sampler sampler;

    /* Results. */
    struct closing_account account;
    char written[PATH_MAX];   /* FILE as written; "": not written */
    bool is_empty;            /* true if the program opened no ledger */
    uint32_t other_count;     /* number of other images written */
    uint32_t last_generation; /* number of the program's last image; 0: FILE */
    uint32_t running_count;   /* number of these that had not ended */
    /* Counts from LEDGER_COUNT_unrecorded_images on; each ledger of the session
       has them. */
    uint64_t missing[IMAGE_WRITER_MISSING];
    uint32_t without;                 /* private: result of the last search */
    bool is_over;                     /* image_writer_running() returned 0 */
    struct session_failures failures; /* ledgers not written */
    uint64_t unreleased_bytes; /* bytes that the last search did not release */
    bool is_full, was_full;    /* more than `most` is in use: no new ledgers */
    uint64_t next_search_ns;
    uint32_t running_looks;
};

/*
 * Before the program runs, check that FILE and a folder NAME.d can be created.
 * If `must_be_new` is set, neither may exist. Return 0 or -1.
 */
int image_writer_check_place(const char *path, int must_be_new,
                             struct session_failure *failure);

/* Write and release ended images. Return the milliseconds until the next
   call. */
int image_writer_poll(struct image_writer *writer);

/* Return the number of processes that may still add to a ledger or open one. */
uint32_t image_writer_running(struct image_writer *writer);

/*
 * Write all ledgers after the program has ended. If the program never
 * allocated, FILE is a ledger without counters.
 */
void image_writer_finish(struct image_writer *writer);

/*
 * Copies of ledgers on disk before the end: of the process of a recording that
 * has the most memory, when little memory is left
 *
 * A copy is made each time that 80, 90 and 95 % of a limit are reached
 * (process_facts.h, or the limit of limits_set_global()). While a limit is met
 * or requests are refused, at most one a second is made. Copies are also made
 * on request: by a signal, or through the session's file, where tally snapshot
 * names the process. struct kept_copies says how each is written. From 90 % on
 * the bytes bypass the page cache: cached files count against the limit.
 */

/* Figures for tally record's last lines. Another process may run the black
   box. */
struct blackbox_account {
    uint32_t taken, failed;
    uint32_t near;          /* number of times that memory ran short */
    int error;              /* errno of the last failure */
    unsigned per_mille;     /* part of `limit` in use at the last copy */
    uint64_t limit;         /* bytes; 0: none */
    char written[PATH_MAX]; /* path of the last copy */
};

/* The caller sets the first three fields; of `kept` only its caller's fields.
   It may increment `asked` at any time. */
struct blackbox {
    const struct session_file *session;
    struct kept_copies kept;
    struct blackbox_account *account;
    uint32_t asked;

    uint32_t answered; /* number of answered requests, of `asked` */
    struct memory_limits limits;
    bool has_greatest;
    uint32_t greatest; /* number of the image that is watched */
    uint64_t next_find_ns;
    unsigned level; /* number of shares reached */
    unsigned last_per_mille;
    uint64_t last_look_ns, next_copy_ns;
    uint32_t refused_to; /* image that `refused` belongs to */
    uint64_t refused;    /* its refused requests at the last check */
};

void blackbox_begin(struct blackbox *box);

/*
 * Check the limits of the process that has the most memory, and make the copies
 * whose time has come. Return the milliseconds until the next call, at most
 * `wait_ms`.
 */
int blackbox_poll(struct blackbox *box, struct image_table *table, int wait_ms);

/*
 * Request a copy of the ledger at `offset` from the session's black box, and
 * set `written` to its path. Return -1 with errno: ENOMSG if it has no black
 * box, ESRCH if its keeper has ended, ETIME if the keeper does not answer.
 */
int blackbox_ask(int session_fd, uint64_t offset, char written[PATH_MAX]);
