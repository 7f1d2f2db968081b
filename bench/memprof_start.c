/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_start.c - a library that starts a profile in whatever program has it
 *
 * Preloaded behind the recorder. MEMPROF_RATE is the sampling rate; without it
 * nothing starts. Callbacks that do nothing but keep a block tracked, and whole
 * stacks.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "tally/memprof.h"

static char anything; /* whose address stands for a block */

static void *follow(const struct memprof_allocation *allocation, void *context)
{
    (void)allocation;
    (void)context;
    return &anything;
}

static void *promote(void *block, void *context)
{
    (void)context;
    return block;
}

static void forget(void *block, void *context)
{
    (void)block;
    (void)context;
}

static __attribute__((constructor)) void start(void)
{
    static const struct memprof_tracker tracker = {
        follow, follow, promote, forget, forget, NULL,
    };
    const char *rate = getenv("MEMPROF_RATE");
    struct memprof *profile;
    int error;

    if (rate == NULL)
        return;
    error = memprof_start(strtod(rate, NULL), INT_MAX, &tracker, &profile);
    if (error != 0) {
        fprintf(stderr, "memprof_start: rate %s: error %d\n", rate, error);
        exit(1);
    }
}
