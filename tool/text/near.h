/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near.h - suggest names for a misspelt one
 *
 *     char near[NEAR_SIZE];
 *
 *     near_names(near, &orders, "tolat"); // "total"
 *     near_note(near, &orders, "tolat");  // " (did you mean total?)"
 *
 * Candidates are any list of words: of commands, of an option's values, or of
 * functions, as an array of texts.
 */
#pragma once

#include "tool/text/words.h"

enum { NEAR_SIZE = WORDS_SIZE + 24 };

/*
 * Write the names that differ from `name` in the fewest letters, at most three,
 * as "a, b or c"; "" if none is near. A substituted, missing, extra or
 * transposed letter counts as one; case is ignored. About a third of the
 * letters may differ. A name that begins with `name` is near, too. Return
 * `out`.
 */
const char *near_names(char out[WORDS_SIZE], const struct word_list *list,
                       const char *name);

/* Write the near names as a note behind a message, or "". */
const char *near_note(char out[NEAR_SIZE], const struct word_list *list,
                      const char *name);
