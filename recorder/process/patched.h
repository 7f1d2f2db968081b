/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patched.h - where the jump of a patched function leads
 *
 *     program  -->  its malloc: jump  -->  patched malloc  -->  malloc
 *                                                                 |
 *     its malloc, behind the jump  <--  moved code  <--  real.malloc
 */
#pragma once

/* Where the function of this name is to go; NULL: to none of ours. */
void *patched_entry(const char *name);
