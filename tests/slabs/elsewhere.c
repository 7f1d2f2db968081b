/* SPDX-License-Identifier: Apache-2.0 */
/* elsewhere.c - a slab that objects.c uses by name */
#include <tally/mem_slab.h>

K_MEM_SLAB_DEFINE(elsewhere, 24, 3, 8);
