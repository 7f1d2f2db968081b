/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.h - find the live bytes that limits_set_global() compares with
 *
 * Set a limit and remove it again; from then on every call counts the process's
 * live bytes.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>

#include "tally/limits.h"

static inline int64_t held(void)
{
    int64_t least = 0, most = INT64_C(1) << 40;

    while (least < most) {
        int64_t middle = least + (most - least) / 2;
        struct limit_scope scope;

        limits_set_global(middle);
        limits_begin_global(&scope, LIMIT_FLAG);
        if (limits_interrupted() != 0)
            least = middle + 1;
        else
            most = middle;
        limits_end(&scope, 0);
    }
    limits_set_global(-1);
    free(malloc(1)); /* notices the change, so that later calls are normal */
    return least;
}
