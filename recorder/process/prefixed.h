/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixed.h - functions of an allocator beside malloc
 *
 * mallocx, mi_malloc and tc_free, which are known, or je_malloc and
 * _rjem_mallocx, whose prefix --allocator=PREFIX names. Their blocks are in the
 * same accounts as those of malloc. Names are without the prefix.
 */
#pragma once

/* Return where the function of this name is to go, or NULL: it is none that we
   know, or `code`, which it was, is not NULL and not what it was before. */
void *prefixed_entry(const char *name, void *code);
