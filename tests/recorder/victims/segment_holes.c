/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment_holes.c - an executable whose segments lie apart
 *
 * Linked with pages of 2 MiB, so that the loader maps each segment separately:
 * code and build-id lie in different ones.
 */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void *request(size_t size)
{
    return victim_keep(malloc(size));
}

int main(void)
{
    REQUIRE(request(100) != NULL);
    free(request(20));
    return 0;
}
