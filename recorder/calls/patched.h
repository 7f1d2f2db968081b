/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patched.h - a malloc that the program brings itself, and that comes here
 *
 *     program  -->  its malloc: jump  -->  patched_malloc  -->  malloc
 *                                                                 |
 *     its malloc, behind the jump  <--  moved code  <--  real.malloc
 *
 * What such an allocator asks of itself, as calloc asks malloc, counts once:
 * for the call that came from outside.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ledger/export.h"

/* How deep the thread is in calls that are accounted already. */
extern HIDDEN _Thread_local uint32_t patched_depth;

/* Entry points of MODE_FAR: the program's malloc may hand on to ours. */
void *far_malloc(size_t size);
void *far_calloc(size_t count, size_t size);
void *far_realloc(void *block, size_t size);
void far_free(void *block);

/* Where the function of this name is to go; NULL: to none of ours. */
void *patched_entry(const char *name);

/* From now on `moved` is what `name` was. Of a name that has no pointer in
   `real` nothing is kept. */
void patched_set(const char *name, void *moved);
