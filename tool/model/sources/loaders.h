/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loaders.h - recognise a source, and load it into a profile
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
#pragma once

#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

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
