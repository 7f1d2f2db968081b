/* SPDX-License-Identifier: Apache-2.0 */
/* loader_program.c - see loader_program.h */
#include "format/loader_program.h"

#include <stdbool.h>
#include <stddef.h>

#include "format/behind.h"

/* Options that take the next argument along. */
static const char *const with_value[] = {
    "--argv0",   "--audit",         "--glibc-hwcaps-mask",    "--library-path",
    "--preload", "--inhibit-rpath", "--glibc-hwcaps-prepend",
};

static bool is_loader(const char *path)
{
    const char *name = behind_folders(path), *rest = behind(name, "ld.so");

    return behind(name, "ld-linux") != NULL || behind(name, "ld-2.") != NULL ||
           (rest != NULL && *rest == '\0');
}

static bool has_value(const char *option)
{
    for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++) {
        const char *rest = behind(option, with_value[i]);

        if (rest != NULL && *rest == '\0')
            return true;
    }
    return false;
}

const char *loader_program(const char *path, char *const arguments[])
{
    size_t at = 1;

    if (!is_loader(path) || arguments == NULL || arguments[0] == NULL)
        return path;
    while (arguments[at] != NULL && behind(arguments[at], "--") != NULL)
        at += has_value(arguments[at]) && arguments[at + 1] != NULL ? 2 : 1;
    return arguments[at] == NULL ? path : arguments[at];
}
