/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_allocinfo.h - the rows of an allocinfo text, added to a profile
 *
 * Each row is a site with a label, duplicates too. Live values are what the row
 * says, with calls of 2^63 or more as negative blocks; totals are known only
 * from rows that have the pairs for them.
 */
#pragma once

#include <stddef.h>

#include "format/text/allocinfo_lines.h"
#include "tool/model/profile/profile.h"
#include "tool/model/source.h"

/* 0, or -1 with what is wrong in `failure` and the profile half filled. */
int load_allocinfo(const unsigned char *bytes, size_t size,
                   struct profile *profile, struct source_failure *failure);

/* -1: the line that is read next is in error. */
int refuse_line(const struct allocinfo_lines *lines, int error,
                struct source_failure *failure);
