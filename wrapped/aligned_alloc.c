/* SPDX-License-Identifier: Apache-2.0 */
/* aligned_alloc.c - traced as malloc of the requested size */
#include "wrapped/wrapped.h"

WRAP_AS(malloc, aligned_alloc, (size_t alignment, size_t size),
        (alignment, size), size)
