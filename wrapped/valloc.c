/* SPDX-License-Identifier: Apache-2.0 */
/* valloc.c - traced as malloc of what was asked for */
#include "wrapped/wrapped.h"

WRAP_AS(malloc, valloc, (size_t size), (size), size)
