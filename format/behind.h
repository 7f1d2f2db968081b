/* SPDX-License-Identifier: Apache-2.0 */
/* behind.h - text after a prefix, and after the last slash */
#pragma once

#include <stdbool.h>
#include <stddef.h> /* NULL */

/* Return the text after `prefix`, or NULL if `text` does not begin with it. */
static inline const char *behind(const char *text, const char *prefix)
{
    for (; *prefix != '\0'; text++, prefix++) {
        if (*text != *prefix)
            return NULL;
    }
    return text;
}

static inline const char *behind_folders(const char *path)
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
    const char *rest = behind(text, other);

    return rest != NULL && *rest == '\0';
}
