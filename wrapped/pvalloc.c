/* SPDX-License-Identifier: Apache-2.0 */
/* pvalloc.c - traced as malloc of the requested size, not of whole pages */
#include "wrapped/wrapped.h"

WRAP_AS(malloc, pvalloc, (size_t size), (size), size)
