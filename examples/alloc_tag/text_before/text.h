/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - copy and join texts in new blocks; the caller frees them */
#ifndef CATALOG_TEXT_H
#define CATALOG_TEXT_H

#include <stddef.h>

char *text_copy(const char *text, size_t length);

char *text_join(const char *first, const char *between, const char *last);

#endif /* CATALOG_TEXT_H */
