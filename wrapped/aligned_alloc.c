/* SPDX-License-Identifier: Apache-2.0 */
/* aligned_alloc.c - traced as malloc of what was asked for */
#include "wrapped/wrapped.h"

WRAP_AS(malloc, aligned_alloc, (size_t alignment, size_t size),
        (alignment, size), size)
