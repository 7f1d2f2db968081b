/* SPDX-License-Identifier: Apache-2.0 */
/*
 * renamed_folders.h - files that only lie elsewhere now
 *
 * A function of one file name is the same on both sides if it has one path that
 * only the earlier side has, and one that only the later side has. Its rows of
 * the earlier side get the path of the later one.
 *
 *     renamed_folders_match(before, before_count, after, after_count);
 */
#pragma once

#include <stddef.h>

#include "format/text/allocinfo_text.h"

void renamed_folders_match(struct allocinfo_row *before, size_t before_count,
                           const struct allocinfo_row *after,
                           size_t after_count);
