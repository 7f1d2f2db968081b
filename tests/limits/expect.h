/* SPDX-License-Identifier: Apache-2.0 */
/* expect.h - report a failed expectation; the program then exits with 1 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

static int failures;

static inline void expect(const char *subject, const char *what, bool is_so)
{
    if (is_so)
        return;
    fprintf(stderr, "not so: %s: %s\n", subject, what);
    failures++;
}

static inline int expect_status(void)
{
    return failures == 0 ? 0 : 1;
}
