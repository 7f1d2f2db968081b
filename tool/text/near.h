/* SPDX-License-Identifier: Apache-2.0 */
/*
 * near.h - which names a misspelt one may stand for
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
 * The names that differ from `name` in the fewest letters, at most three, as
 * "a, b or c". A letter differs that is another, is missing, is one too many or
 * changed places with the next; small and large letters are the same. About one
 * in three may differ. A name that begins with `name` is near, too. "" if none
 * is. Returns `out`.
 */
const char *near_names(char out[WORDS_SIZE], const struct word_list *list,
                       const char *name);

/* The same as a note behind a message: "" if none is near. */
const char *near_note(char out[NEAR_SIZE], const struct word_list *list,
                      const char *name);
