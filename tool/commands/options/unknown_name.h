/* SPDX-License-Identifier: Apache-2.0 */
/* unknown_name.h - a --function, --file, --module, --focus or --hide that no
   call has */
#pragma once

#include "tool/commands/options/options.h"
#include "tool/text/near.h"

/* Whether anything was said: a line about each glob of options and, where
   no row of any source is left, about each other name; with what is near. */
bool note_unknown_names(const struct source_options *options,
                        const struct named_profile *sources, size_t count);

/* Whether a call is like the glob; if none is, `note` gets what is near. */
bool glob_is_known(const char *glob, const struct named_profile *sources,
                   size_t count, char note[NEAR_SIZE]);
