/* SPDX-License-Identifier: Apache-2.0 */
/* shell.h - Zephyr's shell, with one command */
#pragma once

#include <stddef.h>

struct shell {
    int unused;
};

void shell_print(const struct shell *shell, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

extern int (*const stand_in_command)(const struct shell *shell, size_t argc,
                                     char **argv);

#define SHELL_CMD_REGISTER(name, subcommands, help, handler)               \
    int (*const stand_in_command)(const struct shell *, size_t, char **) = \
        (handler)
