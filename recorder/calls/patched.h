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

#include "ledger/export.h"

/* Where the function of this name is to go; NULL: to none of ours. */
void *patched_entry(const char *name);

/* From now on `moved` is what `name` was. Of a name that has no pointer in
   `real` nothing is kept. */
void patched_set(const char *name, void *moved);
