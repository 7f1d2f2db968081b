/* SPDX-License-Identifier: Apache-2.0 */
/*
 * little_address_space.c - allocate up to the limit of ulimit -v
 *
 * 64 MB in small blocks must fit beside the recorder in 256 MiB; then the
 * program allocates large blocks until malloc refuses. Records that the
 * recorder had no room for are counted as lost.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 64000, LARGE = 1000000 };

static void *small(void)
{
    return victim_keep(malloc(1000));
}

static void *large(void)
{
    return victim_keep(malloc(LARGE));
}

int main(void)
{
    static char text[200];
    int count = 0;

    for (int i = 0; i < BLOCKS; i++)
        REQUIRE(small() != NULL);
    errno = 0;
    while (large() != NULL)
        count++;
    REQUIRE(errno == ENOMEM && count > 0);
    snprintf(text, sizeof text, "allocations_and_lost %d\n", BLOCKS + count);
    victim_say(text);
    return 0;
}
