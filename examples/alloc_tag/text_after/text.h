/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - copy and join texts in new blocks; the caller frees them
 *
 * Blocks are charged to the calling line.
 */
#ifndef CATALOG_TEXT_H
#define CATALOG_TEXT_H

#include <stddef.h>

#include "tally/alloc_tag.h"

char *text_copy_noprof(const char *text, size_t length);
#define text_copy(...) alloc_hooks(text_copy_noprof(__VA_ARGS__))

char *text_join_noprof(const char *first, const char *between,
                       const char *last);
#define text_join(...) alloc_hooks(text_join_noprof(__VA_ARGS__))

#endif /* CATALOG_TEXT_H */
