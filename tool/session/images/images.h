/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - ledgers of running and ended images, and the files they become
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/ledger/counts_layout.h"
#include "tool/session/events/events.h"
#include "tool/session/find/process_facts.h"
#include "tool/session/find/session_ledgers.h"
#include "tool/session/sampling/sampling.h"
#include "tool/session/session_failure.h"

/* A ledger, given to a file: whole or not at all, and nothing overwritten */

/* The folder part of `path`, "." for none. */
void ledger_file_folder(const char *path, char folder[PATH_MAX]);

/* FOLDER/PROGRAM.PID.tally; `folder` is "" or ends with a slash. */
void ledger_file_name(const char *folder, const char *program, pid_t pid,
                      char path[PATH_MAX]);

/* With a number behind it if that file or the folder NAME.d exists. */
void ledger_file_choose(char path[PATH_MAX]);

/*
 * Write the snapshot to `path`.`number`, where 0 is none, or with the first
 * number above it that is free, or to `path` in place of a former output; the
 * name taken is stored in `written`. It is written under a temporary name in
 * its own folder and then given its name by a step that fails if the name
 * exists. Returns 0, or -1 with errno set and nothing left behind.
 */
enum { LEDGER_FILE_REPLACES = -1 };

int ledger_file_write(const struct ledger_snapshot *snapshot, const char *path,
                      int number, char written[PATH_MAX]);

/*
 * Into a file that holds nothing but zeros, in few parts; `is_direct`: past
 * what the kernel keeps of files in memory where it can be. 0, or -1 with
 * errno set.
 */
int ledger_file_fill(const struct ledger_snapshot *snapshot, int fd,
                     bool is_direct);

/* All of it to a descriptor, which may be a pipe. 0, or -1 with errno set. */
int ledger_file_send(const struct ledger_snapshot *snapshot, int fd);

/*
 * The folder of a black box: the newest copies of a program
 *
 *     DIR/PROGRAM.PID.TIME.tally
 *
 * The newest KEPT_COPIES of PROGRAM stay, over all its runs. Each is written to
 * a file without a name, in room on disk that was set apart before, and is
 * named when it is whole: a kill meanwhile leaves no half copy.
 */

enum { KEPT_COPIES = 5 };

/* The caller sets the first two. */
struct kept_copies {
    const char *folder;  /* with a slash at its end */
    const char *program; /* its path */

    int files[KEPT_COPIES + 1]; /* set apart; -1: none */
    unsigned missing;           /* of them, to be set apart */
    char written[PATH_MAX];     /* the last copy; it stays, whatever the clock
                                   was before */
};

/* Try whether copies can be made in `folder`. Return 0, or -1 with errno. */
int kept_copies_try(const char *folder);

void kept_copies_begin(struct kept_copies *kept);

enum kept_copies_haste {
    KEPT_COPIES_TO_DISK,    /* wait for the disk */
    KEPT_COPIES_TO_CACHE,   /* do not: memory may be full sooner */
    KEPT_COPIES_PAST_CACHE, /* for files in memory count against its limit */
};

/* Returns an errno, or 0: kept->written names it. */
int kept_copies_write(struct kept_copies *kept,
                      const struct ledger_snapshot *copy, pid_t pid,
                      enum kept_copies_haste haste);

/*
 * The ledger of a process that runs
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
 * Named by the pid of a `tally record`, it is that of the program it runs.
 */

struct live_ledger {
    int fd;          /* of the session's file */
    uint64_t offset; /* where the ledger begins; 0: never, there is none */
    pid_t pid;       /* of the process that the accounts are of */
};

/* The newest ledger of process `pid`, or of the program that it records. */
int live_ledger_open(pid_t pid, struct live_ledger *ledger,
                     struct session_failure *failure);
void live_ledger_close(struct live_ledger *ledger);

/*
 * Call `tell` with the newest ledger of each process that runs and descends
 * from that of `root`, or where it has no offset of all others of its session,
 * until it returns other than 0, which is returned. -1 without memory.
 */
int live_ledger_each(const struct live_ledger *root,
                     int (*tell)(const struct live_ledger *ledger,
                                 void *context),
                     void *context);

/* Its accounts at this instant; the caller frees the snapshot. */
int live_ledger_read(const struct live_ledger *ledger,
                     struct ledger_snapshot *snapshot,
                     struct session_failure *failure);

/*
 * Read the resident memory of its process into the snapshot's header, and
 * unless `ranges` is NULL the heap's ranges. False, and the header keeps what
 * tally record read last: it does not show, or the process has no such ledger.
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
 * The 32-bit word at byte `at` of the ledger's header, as it is now; left as
 * it is where there is no ledger.
 */
int live_ledger_get(const struct live_ledger *ledger, size_t at, uint32_t *word,
                    struct session_failure *failure);

/* Set it; the caller has seen that there is one. */
int live_ledger_set(const struct live_ledger *ledger, size_t at, uint32_t word,
                    struct session_failure *failure);

/* Return true if its process still maps it; after an exec it does not. Return
   true if that cannot be read. */
bool live_ledger_is_held(const struct live_ledger *ledger);

/* Return true if the process still runs and is recorded. */
bool live_ledger_is_alive(const struct live_ledger *ledger);

/* A recorded process of this user, for root of any, and the oldest that lives
   of its session. */
struct live_program {
    struct live_ledger ledger; /* its descriptor is closed again */
    uint32_t user;
    pid_t program;
    uint64_t start_ns; /* of the program */
};

typedef void live_program_fn(const struct live_program *program, void *context);

/*
 * Call `tell` with each recorded process. Each session is looked through once,
 * and the sessions of one user for a second of processor time and up to 512
 * processes. Return the number of a user with more, or -1.
 */
int64_t live_ledger_find_all(live_program_fn *tell, void *context);

/*
 * Ledgers of the program while it runs, as FILE.1, FILE.2, ...
 *
 * Snapshots are of the newest image of the program's process alone. They are
 * taken at an interval, when the heap first holds a number of bytes, or on
 * request. The ledger has the heap's peak itself, so no look comes too late.
 */

/* The caller sets the first four. */
struct snapshots {
    uint64_t interval_ns; /* at least SNAPSHOTS_LEAST_NS */
    uint64_t live_bytes;  /* one at so much; 0 from then on */
    bool is_asked;        /* one as soon as there is a ledger */
    bool is_resident;     /* with who pins which pages */

    uint32_t count;         /* written */
    char written[PATH_MAX]; /* the last */
    struct session_failures failures;
    uint64_t next_ns; /* private; of CLOCK_MONOTONIC */
};

enum { SNAPSHOTS_LOOK_MS = 50 }; /* between two looks at what is held */

/* Return true if the program's newest image ever held so much. */
bool snapshots_has_held(struct image_table *table,
                        const struct session_file *session, pid_t program,
                        uint64_t bytes);

#define SNAPSHOTS_LEAST_NS UINT64_C(100000000)

/*
 * Take what is due; `file` is FILE. Returns the milliseconds until the next
 * call, at most `wait_ms`.
 */
int snapshots_poll(struct snapshots *snapshots, struct image_table *table,
                   const struct session_file *session, pid_t program,
                   const char *file, int wait_ms);

/*
 * The ledgers of a session, each into its file, whole or not at all, and
 * nothing overwritten
 *
 *     FILE                     the program's first image
 *     FILE.d/PID-GENERATION    all others of its tree
 *
 * While the program runs, the memory of images that have ended is given back
 * once it adds up: they are written then. Past the limit no more images are
 * recorded. All others are written at the end, and FILE always. All say how
 * many images have none, which is known then. The last sample of each timeline,
 * and the last look at each site's peak, is what the ledger was written with.
 */

enum { CLOSING_NOTICE_CAPACITY = 8 };

struct closing_notice {
    uint32_t code;
    char text[256];
};

/* Figures for the lines once the program has ended. */
struct closing_account {
    bool is_readable; /* of the first image: its totals are known */
    struct ledger_totals totals;

    uint64_t counts[LEDGER_COUNT_COUNT]; /* of all images */
    struct ledger_sampling sampling;     /* of all images */
    struct closing_notice notices[CLOSING_NOTICE_CAPACITY];
    uint32_t notice_count;
    uint32_t more_notices; /* different ones that found no room */
};

/* Images that opened no ledger, and processes that ran on without one. */
enum { IMAGE_WRITER_MISSING = 2 };

/*
 * The caller sets the first eight and leaves the rest zero. `path` must leave
 * room for a suffix, as image_writer_check_place() makes sure; "" writes no
 * files.
 */
struct image_writer {
    const struct session_file *session;
    uint64_t most; /* bytes of memory that the session may hold */
    pid_t program;
    const char *program_path;
    char *const *arguments; /* of the program */
    const char *guest;      /* the one of these that is not recorded, or NULL */
    char path[PATH_MAX];    /* FILE, as asked for */
    int output; /* a descriptor that takes FILE's bytes instead; 0: none */
    const struct event_drain *events; /* NULL: there is no trace */
    bool has_status;                  /* the program has ended, with */
    int status;                       /* ... this, as waitpid() gives it */
    struct image_table table;
    struct timeline_sampler sampler;

    /* Results. */
    struct closing_account account;
    char written[PATH_MAX];   /* FILE as it was written; "" not at all */
    bool is_empty;            /* the program took no ledger */
    uint32_t other_count;     /* other images written */
    uint32_t last_generation; /* of the program's own; 0: it is FILE */
    uint32_t running_count;   /* of these, how many had not ended */
    /* From LEDGER_COUNT_unrecorded_images on; each ledger of the session has
       them. */
    uint64_t missing[IMAGE_WRITER_MISSING];
    uint32_t without; /* private: what the last search found */
    bool is_over;     /* image_writer_running() has found none */
    struct session_failures failures; /* ledgers that were not written */
    uint64_t unreleased_bytes; /* what the last search could not give back */
    bool is_full, was_full;    /* more than `most` is held: no new ledgers */
    uint64_t next_search_ns;
    uint32_t running_looks;
};

/*
 * Before the program runs: whether a file of this name, and a folder NAME.d,
 * could be made. `must_be_new`: neither may exist yet.
 */
int image_writer_check_place(const char *path, int must_be_new,
                             struct session_failure *failure);

/* While the program runs. Returns the milliseconds until the next call. */
int image_writer_poll(struct image_writer *writer);

/* How many processes may still add to a ledger, or open one. */
uint32_t image_writer_running(struct image_writer *writer);

/*
 * After the program has ended. A program that never allocated has no ledger;
 * FILE is one without accounts then.
 */
void image_writer_finish(struct image_writer *writer);

/*
 * Ledgers on disk before the end: of the process in a recording that has the
 * most memory, when there is little left
 *
 * One each time that 80, 90 and 95 % of a limit are passed (process_facts.h, or
 * that of limits_set_global()), at most one a second while a limit is met, or
 * requests are refused, and whenever one is asked for: by a signal, or in the
 * session's file, where tally snapshot says of which process.
 * struct kept_copies says how each gets there. From the second share on the
 * bytes go past the files that the kernel keeps in memory, for those count
 * against the limit.
 */

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
