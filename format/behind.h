/* SPDX-License-Identifier: Apache-2.0 */
/* behind.h - what stands behind a prefix */
#ifndef TALLY_FORMAT_BEHIND_H
#define TALLY_FORMAT_BEHIND_H

#include <stddef.h> /* NULL */

/* NULL: the text has another beginning. */
static inline const char *behind(const char *text, const char *prefix)
{
    for (; *prefix != '\0'; text++, prefix++) {
        if (*text != *prefix)
            return NULL;
    }
    return text;
}

#endif /* TALLY_FORMAT_BEHIND_H */
