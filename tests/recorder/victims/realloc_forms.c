/* SPDX-License-Identifier: Apache-2.0 */
/* realloc_forms.c - realloc that moves, stays, shrinks, frees and fails */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void *first(void)
{
    return victim_keep(malloc(1000));
}

static void *grow(void *block, size_t size)
{
    return victim_keep(realloc(block, size));
}

/* The old block is untouched, and so must its account be. */
static void fail(void *block)
{
    errno = 0;
    REQUIRE(victim_keep(realloc(block, PTRDIFF_MAX)) == NULL);
    REQUIRE(errno == ENOMEM);
    errno = 0;
    REQUIRE(victim_keep(reallocarray(block, SIZE_MAX / 2, 4)) == NULL);
    REQUIRE(errno == ENOMEM);
}

int main(void)
{
    char *moving = first();
    char *staying = first();

    memset(moving, 'm', 1000);
    fail(moving);
    REQUIRE(moving[0] == 'm' && moving[999] == 'm');
    moving = grow(moving, 100000);
    REQUIRE(moving != NULL && moving[999] == 'm');
    moving = grow(moving, 500000);
    REQUIRE(moving != NULL && moving[999] == 'm');

    for (size_t size = 999; size >= 990; size--)
        staying = grow(staying, size);
    fail(staying);
    return 0;
}
