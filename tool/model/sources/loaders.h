/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaders.h - how a source is recognised and becomes a profile
 *
 * The content of a source, not its name, decides which loader takes it. To add
 * a kind of source, add a row to the table in loaders.c.
 *
 *     struct source source;
 *     struct source_failure failure;
 *
 *     if (source_open_file(&source, "a.tally", &failure) < 0 ||
 *         source_load(&source, profile, &failure) < 0)
 *         print_failure("a.tally", &failure);
 *     source_close(&source);
 */
#pragma once

#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

/*
 * Read a whole file, or standard input if `path` is "-". What no loader knows
 * is refused after its first bytes. A file is read, not mapped: truncating it
 * meanwhile does no harm. Its holes are not read; of a trace only the beginning
 * is.
 */
int source_open_file(struct source *source, const char *path,
                     struct source_failure *failure);

/* Add what the source holds to the profile. A trace is refused. */
int source_load(const struct source *source, struct profile *profile,
                struct source_failure *failure);
