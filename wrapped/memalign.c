/* SPDX-License-Identifier: Apache-2.0 */
/* memalign.c - traced as malloc of the requested size */
#include "wrapped/wrapped.h"

WRAP_AS(malloc, memalign, (size_t alignment, size_t size), (alignment, size),
        size)
