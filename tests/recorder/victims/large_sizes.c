/* SPDX-License-Identifier: Apache-2.0 */
/* large_sizes.c - untouched blocks of more than 4 GiB */
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

#define GIB ((size_t)1 << 30)

static void *request(size_t size)
{
    return victim_keep(malloc(size));
}

static void *resize(void *block, size_t size)
{
    return victim_keep(realloc(block, size));
}

int main(void)
{
    static const size_t sizes[] = {
        2 * GIB - 1, 2 * GIB, 2 * GIB + 1, 4 * GIB - 1, 4 * GIB, 4 * GIB + 1,
        32767,       32768,   65535,       65536,       1 << 24,
    };

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *block = request(sizes[i]);

        REQUIRE(block != NULL);
        if (i % 2 == 0)
            free(block);
    }
    REQUIRE(resize(request(1 << 24), 5 * GIB) != NULL);
    free(resize(resize(request(1), 6 * GIB), 1));
    return 0;
}
