/* SPDX-License-Identifier: Apache-2.0 */
/*
 * segment_holes.c - an executable whose segments lie apart
 *
 * It is linked with pages of 2 MiB, so that the loader knows each segment by
 * itself: its code lies in another than its build-id.
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
