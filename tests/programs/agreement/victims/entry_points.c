/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry_points.c - each function of the malloc family, counts known
 *
 *                              allocations  frees  bytes
 *     malloc(100), malloc(0)             2           100
 *     calloc(10, 7)                      1            70
 *     realloc(NULL, 50)                  1            50
 *     realloc to 5,000, to 20            2      2   5,020
 *     reallocarray(NULL, 8, 9)           1            72
 *     reallocarray to 16 x 9             1      1    144
 *     posix_memalign 64, 1,001           1          1,001
 *     aligned_alloc 256, 512             1            512
 *     memalign 4,096, 33                 1             33
 *     valloc 77                          1             77
 *     strdup, strndup                    2          6 + 3
 *     all freed but the valloc                  10
 *     free(NULL), three times                    0
 *                                       14     13  7,088
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* Compilers must neither merge nor remove the calls. */
static void *volatile kept;

static void *seen(void *block)
{
    kept = block;
    return kept;
}

int main(void)
{
    void *blocks[10];
    blocks[0] = seen(malloc(100));
    blocks[1] = seen(malloc(0));
    blocks[2] = seen(calloc(10, 7));
    blocks[3] = seen(realloc(NULL, 50));
    blocks[3] = seen(realloc(blocks[3], 5000));
    blocks[3] = seen(realloc(blocks[3], 20));
    blocks[4] = seen(reallocarray(NULL, 8, 9));
    blocks[4] = seen(reallocarray(blocks[4], 16, 9));
    if (posix_memalign(&blocks[5], 64, 1001) != 0)
        return 1;
    blocks[6] = seen(aligned_alloc(256, 512));
    blocks[7] = seen(memalign(4096, 33));
    blocks[8] = seen(strdup("five!"));
    blocks[9] = seen(strndup("two and more", 2));
    seen(valloc(77));
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (!blocks[i])
            return 2;
        free(blocks[i]);
    }
    void *nothing = seen(NULL);
    for (int i = 0; i < 3; i++)
        free(nothing);
    return 0;
}
