/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_allocinfo.h - load an allocinfo text
 *
 * Each row is a site with a label, even a duplicate. Live values are the row's;
 * 2^63 calls or more are negative blocks. Totals are known from rows with pairs
 * for them.
 */
#pragma once

#include <stddef.h>

#include "format/text/allocinfo_text.h"
#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

/* Return 0, or -1 with the reason and the profile partly filled. */
int load_allocinfo(const unsigned char *bytes, size_t size,
                   struct profile *profile, struct source_failure *failure);

/* Return -1 with an error in the next line. */
int refuse_line(const struct allocinfo_lines *lines, int error,
                struct source_failure *failure);
