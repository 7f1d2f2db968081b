/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob.h - names with * for any rest and ? for any character
 */
#pragma once

#include <stdbool.h>

/* Whether all of the text is like it; the time is the product of both. */
bool glob_matches(const char *glob, const char *text);
