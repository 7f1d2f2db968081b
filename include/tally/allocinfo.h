/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo.h - the accounts of all tags as text
 *
 *     allocinfo_write(STDOUT_FILENO);
 *
 * prints what Linux has in /proc/allocinfo: two lines of heading, then a row
 * for each tag. A row has the live bytes as requested, the live blocks, the
 * place, and a space before the newline:
 *
 *     allocinfo - version: 1.0
 *     #     <size>  <calls> <tag info>
 *             4096        1 src/cache.c:52 func:cache_open
 *              640        5 plugin.c:9 [plugin] func:load
 *
 * Tags of the program come first, then those of each shared object, in the
 * order in which they were loaded, then what unloaded ones have left live. Rows
 * of zero are printed. A tag in a header has a row for each source that
 * includes it. Rows whose first word in brackets is "tally" are what Tally
 * itself holds; firmware has none, since Tally has an array of its own there.
 *
 * With TALLY_ALLOCINFO=FILE in the environment a program writes its table
 * there, in version 2.0, when it ends by exit() or from main, with no line
 * changed. FILE is written over, never through a link, and is for its owner
 * alone. A forked child writes none. If FILE cannot be written, nothing else
 * changes.
 *
 * Nothing is allocated. Others may allocate and load objects meanwhile; the
 * rows are then not of one instant.
 */
#ifndef TALLY_ALLOCINFO_H
#define TALLY_ALLOCINFO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
typedef bool tally_bool;
extern "C" {
#else
typedef _Bool tally_bool; /* programs may have a bool of their own */
#endif

/* Bits of allocinfo_options.wanted; Linux's. Names longer than 63 bytes are
   known by their last 63. */
enum {
    ALLOCINFO_WANT_MODULE = 1 << 0,
    ALLOCINFO_WANT_FUNCTION = 1 << 1,
    ALLOCINFO_WANT_FILE = 1 << 2,
    ALLOCINFO_WANT_LINE = 1 << 3,
    ALLOCINFO_WANT_INACCURATE = 1 << 4,
    ALLOCINFO_WANT_MIN_SIZE = 1 << 5,
    ALLOCINFO_WANT_MAX_SIZE = 1 << 6
};

struct allocinfo_options {
    /*
     * 1 or 2; 0 is 1 while every row is accurate, else 2. Version 2.0 has pairs
     * at the end of a row: "accurate:no" if events were lost; "unseen_frees:N"
     * as well, if they were frees (tally/malloc.h); "unloaded:yes" if the
     * object is gone.
     */
    unsigned version;
    tally_bool has_totals; /* version 2.0: "total_calls:N total_bytes:N" */
    tally_bool has_peaks;  /* ... and "peak_seen:N", the most live bytes that
                              any reading has found: an estimate */
    uint64_t wanted;       /* which of the following a row must have */
    const char *module;    /* "": the program's own */
    const char *function;
    const char *file;
    uint64_t line;
    tally_bool is_inaccurate;
    uint64_t min_size, max_size; /* bytes, inclusive */
};

/* Takes a piece of the text; not 0 ends the writing and is returned. */
typedef int (*allocinfo_sink_fn)(const char *text, size_t size, void *context);

/*
 * Write all rows to the descriptor, in version 1.0 while they are accurate. 0;
 * -ENOENT when profiling is off for good; another negative errno when writing
 * failed.
 */
int allocinfo_write(int fd);

/* The same to `sink`; `options` may be NULL. -EINVAL: they contradict. */
int allocinfo_write_to(allocinfo_sink_fn sink, void *context,
                       const struct allocinfo_options *options);

#ifdef __cplusplus
}
#endif

#endif /* TALLY_ALLOCINFO_H */
