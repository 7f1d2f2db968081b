/* SPDX-License-Identifier: Apache-2.0 */
/* realloc_forms.c - realloc that moves, stays and shrinks */
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

int main(void)
{
    char *moving = first();
    char *staying = first();

    memset(moving, 'm', 1000);
    moving = grow(moving, 100000);
    REQUIRE(moving != NULL && moving[999] == 'm');
    moving = grow(moving, 500000);
    REQUIRE(moving != NULL && moving[999] == 'm');

    for (size_t size = 999; size >= 990; size--)
        staying = grow(staying, size);
    return 0;
}
