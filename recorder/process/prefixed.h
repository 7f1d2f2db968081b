/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prefixed.h - a second allocator of the program, whose names have a prefix
 *
 * je_malloc, mi_free, _rjem_mallocx: named by --allocator=PREFIX. Its blocks
 * are accounted beside those of malloc, in the same accounts. Names are without
 * the prefix.
 */
#pragma once

/* Where the function of this name is to go; NULL: to none of ours. */
void *prefixed_entry(const char *name);

/* From now on that is what `code` was. */
void prefixed_set(const char *name, void *code);
