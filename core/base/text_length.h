/* SPDX-License-Identifier: Apache-2.0 */
/* text_length.h - strlen, which firmware need not have */
#ifndef TALLY_CORE_TEXT_LENGTH_H
#define TALLY_CORE_TEXT_LENGTH_H

#include <stddef.h>

static inline size_t text_length(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0')
        length++;
    return length;
}

#endif /* TALLY_CORE_TEXT_LENGTH_H */
