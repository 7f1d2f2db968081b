/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob.h - match names against * and ?
 */
#pragma once

#include <stdbool.h>

/* Return true if the whole text matches the glob. Time: the product of both
   lengths. */
bool glob_matches(const char *glob, const char *text);
