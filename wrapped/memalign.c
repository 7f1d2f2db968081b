/* SPDX-License-Identifier: Apache-2.0 */
/* memalign.c - traced as malloc of what was asked for */
#include "wrapped/wrapped.h"

WRAP_AS(malloc, memalign, (size_t alignment, size_t size), (alignment, size),
        size)
