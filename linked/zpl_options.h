/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zpl_options.h - what tally_zpl_start() is asked for: TARGET[,OPTION]...
 */
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
    bool is_off; /* at first */
};

/*
 * 0, or -EINVAL, also for NULL and for an option that there is not: letters,
 * with or without a `=` and what has no slash. Another comma is part of the
 * target.
 */
int zpl_options_read(const char *text, struct zpl_options *options);
