/* SPDX-License-Identifier: Apache-2.0 */
/* zpl_options.h - the argument of tally_zpl_start(): TARGET[,OPTION]... */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct zpl_options {
    char target[PATH_MAX];
    uint32_t interval_ms;
    uint32_t delay_ms;
    uint8_t format; /* enum tally_zpl_format */
    uint8_t layout;
    bool is_bare;
    bool is_off; /* initially */
};

/*
 * Return 0, or -EINVAL for NULL and for an unknown option: letters, with or
 * without a `=` and a value without a slash. Other commas belong to the target.
 */
int zpl_options_read(const char *text, struct zpl_options *options);
