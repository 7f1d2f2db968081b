/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - seccomp filters of the program; watched_calls.c detects them */
#include "ports/posix/raw_calls.h"

/* Filters installed or being installed. */
static uint32_t closed;

bool sandbox_is_closed(void)
{
    return __atomic_load_n(&closed, __ATOMIC_RELAXED) != 0;
}

void sandbox_close(void)
{
    __atomic_fetch_add(&closed, 1, __ATOMIC_RELAXED);
}

void sandbox_open(void)
{
    __atomic_fetch_sub(&closed, 1, __ATOMIC_RELAXED);
}
