/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_table.h - the process images of a session, in the order of its ledgers
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tool/session/find/session_file.h"

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
    uint64_t next_resident_ns;    /* of its resident memory */
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
 * Set `is_mapped` of each image by what processes map, as two searches in a row
 * find it: during one, a process could fork and end. A process that ends or
 * execs drops its ledger, but a forked child that has not allocated yet still
 * needs its parent's. So memory is given back only for ledgers that no process
 * maps. A child of this kind that lives when the recording ends is known by
 * that map alone: `without` is how many processes map a ledger and have no
 * image in the table. A child that shares its parent's memory is not counted:
 * it uses its parent's ledger. False: there may be more of both, for a process
 * that may be such a child hides its maps; images up to `suspect_ticks` may be
 * mapped by it.
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
