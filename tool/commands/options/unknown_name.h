/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_name.h - note names of options that match no call */
#pragma once

#include "tool/commands/options/options.h"
#include "tool/text/text.h"

/* Print a line for each glob that matches no call and, if no row of any source
   is left, for each other name without a match, with near names. Return true if
   a line was printed. */
bool note_unknown_names(const struct source_options *options,
                        const struct named_profile *sources, size_t count);

/* Return true if a call matches the glob; otherwise write near names to
   `note`. */
bool glob_is_known(const char *glob, const struct named_profile *sources,
                   size_t count, char note[NEAR_SIZE]);
