/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip.h - skip a test that cannot run here, and say why
 *
 *     SKIP("only root can ...; run it as root");           in the test
 *     return skip_status(cmocka_run_group_tests(...));     in main()
 *
 * ctest then lists the program as skipped. Include after <cmocka.h>.
 */
#pragma once

#include <stdbool.h>

enum { SKIP_STATUS = 77 }; /* SKIP_RETURN_CODE */

static bool skip_was_called;

#define SKIP(why)                            \
    do {                                     \
        print_message("SKIPPED: %s\n", why); \
        skip_was_called = true;              \
        skip();                              \
    } while (0)

/* Return the exit status of a group of tests, of which `failed` have failed. */
static inline int skip_status(int failed)
{
    return failed == 0 && skip_was_called ? SKIP_STATUS : failed;
}
