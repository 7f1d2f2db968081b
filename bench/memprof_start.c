/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_start.c - a library that starts a profile in any program
 *
 * Preload it after the recorder. MEMPROF_RATE is the sampling rate; without it
 * no profile starts. The callbacks only keep blocks tracked, with whole stacks.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/memprof_callbacks.h"

static __attribute__((constructor)) void start(void)
{
    const char *rate = getenv("MEMPROF_RATE");
    struct memprof *profile;
    int error;

    if (rate == NULL)
        return;
    error =
        memprof_start(strtod(rate, NULL), INT_MAX, &memprof_keeping, &profile);
    if (error != 0) {
        fprintf(stderr, "memprof_start: rate %s: error %d\n", rate, error);
        exit(1);
    }
}
