/* SPDX-License-Identifier: Apache-2.0 */
/*
 * foreign_block.c - blocks allocated by libc past the recorder
 *
 * __libc_malloc is libc's internal name of malloc. Freeing and resizing such
 * blocks must work and change no figure.
 */
#include <malloc.h>
#include <stdlib.h>

#include "tests/recorder/victims/victim.h"

void *__libc_malloc(size_t size);

static void *resize(void *block)
{
    return victim_keep(realloc(block, 500));
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        char *block = __libc_malloc(1000);

        REQUIRE(malloc_usable_size(block) >= 1000);
        memset(block, i, 1000);
        if (i % 2 == 0) {
            block = resize(block);
            REQUIRE(block != NULL && block[499] == i);
        }
        free(block);
    }
    return 0;
}
