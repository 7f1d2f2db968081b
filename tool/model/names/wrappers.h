/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wrappers.h - allocation wrappers: functions that return a block to many
 * callers
 *
 * A function is a wrapper if all of this is true:
 *
 * 1. Its debug information says that it returns raw memory: a pointer to void
 *    or to writable bytes. A function that builds a structure, keeps the block
 *    or returns a number does not.
 * 2. It allocates in at most two of its lines, in all stacks.
 * 3. In some stack all calls inside it are folded or wrappers.
 * 4. At least three functions with names call it, or one wrapper.
 *
 * Without debug information no wrapper is found.
 */
#pragma once

#include "tool/model/names/names.h"
#include "tool/tables/tables.h"

/* Add the labels of wrappers. Rules have marked the calls that they fold. */
void wrappers_find(const struct profile *profile,
                   const struct frame_names *names, struct text_pool *found);

/* Return "folded, as they return the block they got: a, b", for the caller to
   free; NULL without wrappers. */
char *wrappers_text(const struct text_pool *found);
