/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixed.h - a second allocator of the program, whose names have a prefix
 *
 * je_malloc, mi_free, _rjem_mallocx: named by --allocator=PREFIX. Its blocks
 * are accounted beside those of malloc, in the same accounts. Names are without
 * the prefix.
 */
#pragma once

/* Where the function of this name is to go; NULL: to none of ours. From now on
   it was what `code` is, if that is not NULL. */
void *prefixed_entry(const char *name, void *code);
