/* SPDX-License-Identifier: Apache-2.0 */
/* expect.h - what is not so is said, and the program ends with 1 */
#ifndef TALLY_TESTS_LIMITS_EXPECT_H
#define TALLY_TESTS_LIMITS_EXPECT_H

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

#endif /* TALLY_TESTS_LIMITS_EXPECT_H */
