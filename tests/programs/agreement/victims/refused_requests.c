/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refused_requests.c - requests that fail, and sizes of zero, counts known
 *
 *                                          allocations  frees  bytes  failed
 *     malloc, calloc (overflow),
 *     realloc of NULL, of a block,
 *     reallocarray, posix_memalign,
 *     memalign, aligned_alloc, too large                                  8
 *     posix_memalign, alignment of 3                                      1
 *     the block whose realloc failed                 1      1    300
 *     realloc(block, 0) frees                        1      1     40
 *     realloc(NULL, 0), calloc(0, 9)                 2      2      0
 *     1,000 rounds: 24 bytes, grown to 48        2,000  2,000 72,000
 *                                                2,004  2,004 72,340      9
 */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static volatile size_t too_large = PTRDIFF_MAX;
static void *volatile kept;
static char *volatile held;

static void *seen(void *block)
{
    kept = block;
    return kept;
}

/* Make requests that fail; return the number that did not. `held` stays
   allocated. */
static int refuse(void)
{
    void *untouched = held;
    int wrong = 0;
    size_t size = too_large + 1;
    wrong += seen(malloc(size)) != NULL;
    wrong += seen(calloc(too_large, 3)) != NULL;
    wrong += seen(realloc(seen(NULL), size)) != NULL;
    wrong += seen(realloc(held, size)) != NULL;
    wrong += seen(reallocarray(held, too_large, 4)) != NULL;
    wrong += posix_memalign(&untouched, 64, size) == 0;
    wrong += seen(memalign(64, size)) != NULL;
    wrong += seen(aligned_alloc(64, size)) != NULL;
    wrong += posix_memalign(&untouched, (size_t)3 + (kept != NULL), 8) == 0;
    return wrong + (untouched != held);
}

int main(void)
{
    held = seen(malloc(300));
    memset(held, 7, 300);
    if (refuse() != 0 || held[0] != 7 || held[299] != 7)
        return 1;
    free(held);
    if (seen(realloc(seen(malloc(40)), 0)) != NULL)
        return 2;
    free(seen(realloc(seen(NULL), 0)));
    free(seen(calloc(0, 9)));
    for (int i = 0; i < 1000; i++)
        free(seen(realloc(seen(malloc(24)), 48)));
    return 0;
}
