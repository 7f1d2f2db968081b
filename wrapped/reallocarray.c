/* SPDX-License-Identifier: Apache-2.0 */
/* reallocarray.c - traced as realloc of the product; SIZE_MAX if it wraps */
#include <stdint.h>

#include "wrapped/wrapped.h"

static size_t product(size_t count, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

WRAP_AS(realloc, reallocarray, (void *block, size_t count, size_t size),
        (block, count, size), block, product(count, size))
