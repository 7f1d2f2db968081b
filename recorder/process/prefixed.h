/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixed.h - functions of an allocator besides malloc
 *
 * Known names are mallocx, mi_malloc and tc_free; --allocator=PREFIX adds a
 * prefix, as in je_malloc and _rjem_mallocx. Their blocks are in the same sites
 * as malloc's. Names are without the prefix.
 */
#pragma once

/* Return the hook for the function of this name. NULL: the name is unknown, or
   `code`, its own code, is neither NULL nor the code given before. */
void *prefixed_entry(const char *name, void *code);
