/* SPDX-License-Identifier: Apache-2.0 */
/* valloc.c - traced as malloc of the requested size */
#include "wrapped/wrapped.h"

WRAP_AS(malloc, valloc, (size_t size), (size), size)
