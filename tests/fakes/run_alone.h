/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_alone.h - tests of events that happen once in a process
 *
 * Each test runs in a child process, on a fresh fake port. Include after
 * <cmocka.h>.
 */
#pragma once

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fakes/fake_port.h"

/* Run a test; return the number of failures, 0 or 1. */
static inline int run_alone(const struct CMUnitTest *test)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        const struct CMUnitTest alone[] = { *test };

        fake_port_reset();
        status = _cmocka_run_group_tests(test->name, alone, 1, NULL, NULL);
        fflush(stdout);
        _exit(status);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        printf("%s: failed, wait status %#x\n", test->name, (unsigned)status);
        return 1;
    }
    return 0;
}

static inline int run_all_alone(const struct CMUnitTest *tests, size_t count)
{
    int failed = 0;

    for (size_t i = 0; i < count; i++)
        failed += run_alone(&tests[i]);
    return failed;
}
