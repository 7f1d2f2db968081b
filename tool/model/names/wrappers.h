/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrappers.h - functions that hand on the block they got, for many callers
 *
 * A function is one if all of this is so:
 *
 * 1. By its debug information it returns memory of no kind: a pointer to void,
 *    or to bytes that may be written. What builds a structure, keeps the block
 *    or returns a number does not.
 * 2. All that it allocates comes from at most two of its lines, in all stacks.
 * 3. In some stack it is the innermost call that is not folded or such a
 *    function.
 * 4. At least three functions that have names call it, or one that is a
 *    wrapper.
 *
 * Without debug information there is none.
 */
#pragma once

#include "tool/model/names/frame_names.h"
#include "tool/tables/text_pool.h"

/* Add the labels of those in stacks whose calls have been marked by rules. */
void wrappers_find(const struct profile *profile,
                   const struct frame_names *names, struct text_pool *found);

/* "folded, as they return the block they got: a, b", for the caller to free;
   NULL: none was found. */
char *wrappers_text(const struct text_pool *found);
