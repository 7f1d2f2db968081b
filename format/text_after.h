/* SPDX-License-Identifier: Apache-2.0 */
/* text_after.h - text after a prefix, and after the last slash */
#pragma once

#include <stdbool.h>
#include <stddef.h> /* NULL */

/* Return the text after `prefix`, or NULL if `text` does not begin with it. */
static inline const char *text_after(const char *text, const char *prefix)
{
    for (; *prefix != '\0'; text++, prefix++) {
        if (*text != *prefix)
            return NULL;
    }
    return text;
}

/* Return the part of a path after its last slash. */
static inline const char *base_name(const char *path)
{
    const char *name = path;

    for (; *path != '\0'; path++) {
        if (*path == '/')
            name = path + 1;
    }
    return name;
}

static inline bool is_same_text(const char *text, const char *other)
{
    const char *rest = text_after(text, other);

    return rest != NULL && *rest == '\0';
}
