/* SPDX-License-Identifier: Apache-2.0 */
/*
 * held.h - what limits_set_global() compares with, found out by asking
 *
 * Sets a limit, and takes it away again; from then on the process counts what
 * it holds, with every call.
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
    free(
        malloc(1)); /* who notices the change; what comes next is as any call */
    return least;
}
