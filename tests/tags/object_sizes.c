/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_sizes.c - the compiler knows the size of tagged blocks
 *
 * _FORTIFY_SOURCE and -fsanitize=object-size guard blocks by it.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "tally/malloc.h"

static int wrong;

/* clang does not see at compile time that both ways to allocate a block give it
   the same size, and knows nothing of functions that it does not inline. */
#ifdef __clang__
#define SIZE_OF(block)  __builtin_dynamic_object_size(block, 0)
#define CHECK_MORE(...) ((void)0)
#else
#define SIZE_OF(block)  __builtin_object_size(block, 0)
#define CHECK_MORE(...) CHECK(__VA_ARGS__)
#endif

#define CHECK(call, wanted)                                              \
    do {                                                                 \
        void *block = call;                                              \
        size_t size = SIZE_OF(block);                                    \
                                                                         \
        if (size != (wanted)) {                                          \
            printf("%s: %zu bytes, not %d\n", #call, size, (int)wanted); \
            wrong++;                                                     \
        }                                                                \
        free(block);                                                     \
    } while (0)

int main(void)
{
    CHECK(malloc(8), 8);
    CHECK(calloc(3, 8), 24);
    CHECK(aligned_alloc(64, 128), 128);
    CHECK(memalign(64, 100), 100);
    CHECK_MORE(realloc(NULL, 40), 40);
    CHECK_MORE(reallocarray(NULL, 5, 8), 40);
    CHECK_MORE(valloc(50), 50);
    return wrong > 0;
}
