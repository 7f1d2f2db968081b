/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo.h - print the accounts of all tags
 *
 *     allocinfo_write(STDOUT_FILENO);
 *
 * prints the format of Linux's /proc/allocinfo: two header lines, then a row
 * for each tag. A row has the live bytes (as requested), the live blocks, the
 * location, and a space before the newline:
 *
 *     allocinfo - version: 1.0
 *     #     <size>  <calls> <tag info>
 *             4096        1 src/cache.c:52 func:cache_open
 *              640        5 plugin.c:9 [plugin] func:load
 *
 * Tags of the program come first, then those of each shared object in load
 * order, then unloaded objects' tags that still have live blocks. Zero rows are
 * printed. A tag in a header has a row for each source that includes it. Rows
 * marked [tally] are memory of Tally itself; firmware has none, since Tally
 * uses a static array there.
 *
 * With TALLY_ALLOCINFO=FILE in the environment, an unchanged program writes its
 * table to FILE, in version 2.0, when it calls exit() or returns from main.
 * FILE is overwritten; symbolic links are not followed; only its owner can read
 * it. Forked children do not write. Failure to write FILE has no other effect.
 *
 * Printing allocates nothing. Other threads may allocate and load objects
 * meanwhile; the rows are then not a snapshot of one moment.
 */
#ifndef TALLY_ALLOCINFO_H
#define TALLY_ALLOCINFO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
typedef bool tally_bool;
extern "C" {
#else
typedef _Bool tally_bool; /* programs may define their own bool */
#endif

/* Bits of allocinfo_options.wanted, with Linux's values. Only the last 63 bytes
   of a name are kept. */
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
     * Version of the format, 1 or 2. 0 means 1 while every row is accurate,
     * else 2. Version 2.0 appends pairs to a row: "accurate:no" if events were
     * lost; also "unseen_frees:N" if those were frees (tally/malloc.h);
     * "unloaded:yes" if the object was unloaded.
     */
    unsigned version;
    tally_bool has_totals; /* version 2.0: append "total_calls:N
                              total_bytes:N" */
    tally_bool has_peaks;  /* ... and "peak_seen:N", the highest live bytes seen
                              by any read: an estimate */
    uint64_t wanted;       /* filters in use, ALLOCINFO_WANT_... */
    const char *module;    /* "": the program itself */
    const char *function;
    const char *file;
    uint64_t line;
    tally_bool is_inaccurate;
    uint64_t min_size, max_size; /* bytes, inclusive */
};

/* Receive a piece of the text; a non-zero result ends writing and is
   returned. */
typedef int (*allocinfo_sink_fn)(const char *text, size_t size, void *context);

/*
 * Write all rows to a descriptor, in version 1.0 while they are accurate.
 * Return 0; -ENOENT if profiling is off for good; another negative errno if
 * writing failed.
 */
int allocinfo_write(int fd);

/* Write rows to `sink`; `options` may be NULL. Return -EINVAL if the options
   contradict each other. */
int allocinfo_write_to(allocinfo_sink_fn sink, void *context,
                       const struct allocinfo_options *options);

#ifdef __cplusplus
}
#endif

#endif /* TALLY_ALLOCINFO_H */
