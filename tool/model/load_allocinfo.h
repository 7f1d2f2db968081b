/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_allocinfo.h - the rows of an allocinfo text, added to a profile
 *
 * Each row is a site with a label, duplicates too. Live values are what the row
 * says, with calls of 2^63 or more as negative blocks; totals are known only
 * from rows that have the pairs for them.
 */
#ifndef TALLY_TOOL_MODEL_LOAD_ALLOCINFO_H
#define TALLY_TOOL_MODEL_LOAD_ALLOCINFO_H

#include <stdbool.h>
#include <stddef.h>

#include "tool/model/profile.h"
#include "tool/model/source.h"

/* Whether the bytes claim to be an allocinfo text. */
bool is_allocinfo(const unsigned char *bytes, size_t size);

/* 0, or -1 with what is wrong in `failure` and the profile half filled. */
int load_allocinfo(const unsigned char *bytes, size_t size,
                   struct profile *profile, struct source_failure *failure);

#endif /* TALLY_TOOL_MODEL_LOAD_ALLOCINFO_H */
