/* SPDX-License-Identifier: Apache-2.0 */
/* realloc_failing.c - realloc that fails and leaves the old block */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

static void *first(void)
{
    return victim_keep(malloc(1000));
}

/* The old block is untouched, so its figures must not change. */
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
    char *freed = first();
    char *kept = first();

    memset(kept, 'k', 1000);
    fail(kept);
    fail(freed);
    REQUIRE(kept[0] == 'k' && kept[999] == 'k');
    free(freed);
    errno = 0;
    REQUIRE(victim_keep(realloc(NULL, PTRDIFF_MAX)) == NULL);
    REQUIRE(errno == ENOMEM);
    return 0;
}
