/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.h - loading a profile from ledgers, texts and traces
 */
#pragma once

#include <sys/types.h>

#include "tool/model/trace/trace_figures.h"

/*
 * Recognise a source, and load it into a profile
 *
 * A source is recognised by its content, not its name. To add a kind of source,
 * add a row to the table in loaders.c.
 *
 *     struct source source;
 *     struct source_failure failure;
 *
 *     if (source_open_file(&source, "a.tally", &failure) < 0 ||
 *         source_load(&source, profile, &failure) < 0)
 *         print_failure("a.tally", &failure);
 *     source_close(&source);
 */

/*
 * Read a whole file, or standard input ("-"), but only the beginning of a
 * trace. Unknown content is refused after its first bytes. Files are read, not
 * mapped, so that truncation does no harm; holes are skipped. Return 0, or -1.
 */
int source_open_file(struct source *source, const char *path,
                     struct source_failure *failure);

/* Load the source into the profile; traces are refused. Return 0, or -1. */
int source_load(const struct source *source, struct profile *profile,
                struct source_failure *failure);

/* Load a ledger */

/* Return 0, or -1 with the reason and the profile partly filled. */
int load_ledger(const unsigned char *bytes, size_t size,
                struct profile *profile, struct source_failure *failure);

/*
 * Subtract an earlier ledger of the only image: totals count from then on,
 * blocks that were live then are inherited, and the peak is unknown. All else
 * stays. Return 0, or -1, also for another image's ledger.
 */
int load_ledger_earlier(const unsigned char *bytes, size_t size,
                        struct profile *profile,
                        struct source_failure *failure);

/*
 * Name generated code of a profile with one process, by the file
 * /tmp/perf-PID.map of its compiler. Ignore a file of another user than `owner`
 * or this one, or one that was not written while the process ran.
 */
void perf_map_load(struct profile *profile, const char *path, uid_t owner);

/*
 * The ledger in a core dump of a kernel or of gcore
 *
 * A recorded process maps its ledger, and has its used part dumped. The dump's
 * list of mapped files locates it: one extent of the session's file.
 */

/* Read the ledger in a core dump; the descriptor stays the caller's. Return 1,
   0 if the file is no core dump, or -1 with the reason. */
int core_ledger_read(int descriptor, struct source *source,
                     struct source_failure *failure);

/*
 * Load an allocinfo text
 *
 * Each row is a site with a label, even a duplicate. Live values are the row's;
 * 2^63 calls or more are negative blocks. Totals are known from rows with pairs
 * for them.
 */

/* Return 0, or -1 with the reason and the profile partly filled. */
int load_allocinfo(const unsigned char *bytes, size_t size,
                   struct profile *profile, struct source_failure *failure);

/* Return -1 with an error in the next line. */
int refuse_line(const struct allocinfo_lines *lines, int error,
                struct source_failure *failure);

/*
 * Load stacks with names, one a line
 *
 * The output of tally store report -o; docs/fleet.md has the format.
 */

/* first line */
#define STACK_LINES_BEGIN "tally stacks 1\n"

bool stack_lines_are(const void *bytes, size_t size);

int load_stack_lines(const unsigned char *bytes, size_t size,
                     struct profile *profile, struct source_failure *failure);

/*
 * Load the calls of a trace
 *
 * A site is a caller, in its module if that is known.
 */

void load_calls(const struct trace_sum *sum,
                const struct caller_modules *modules, struct profile *profile);
