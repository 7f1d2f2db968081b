/* SPDX-License-Identifier: Apache-2.0 */
/* without.c - a shared object that includes the headers and has no slabs */
#include <tally/k_heap.h>
#include <tally/mem_slab.h>

int use_nothing(void);

int use_nothing(void)
{
    return 0;
}
