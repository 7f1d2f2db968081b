/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_writer.h - the ledgers of a session, each into its file, whole or not
 * at all, and nothing overwritten
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
#pragma once

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "format/ledger/counts_layout.h"
#include "tool/session/events/event_drain.h"
#include "tool/session/find/image_table.h"
#include "tool/session/find/session_file.h"
#include "tool/session/sampling/timeline.h"

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
 * The caller sets the first eight and leaves the rest zero. `path` must
 * leave room for a suffix, as image_writer_check_place() makes sure; "" writes
 * no files.
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
