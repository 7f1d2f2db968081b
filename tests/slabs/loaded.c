/* SPDX-License-Identifier: Apache-2.0 */
/* loaded.c - a shared object with slabs and a heap, used before main and after
   it */
#include <stdlib.h>

#include <tally/k_heap.h>
#include <tally/mem_slab.h>

K_MEM_SLAB_DEFINE(of_library, 400, 6, 4);
K_MEM_SLAB_DEFINE_STATIC(hidden_in_library, 8, 4, 8);
K_MEM_SLAB_DEFINE(to_be_forgotten, 8, 1, 8);
K_HEAP_DEFINE(heap_of_library, 512);

int use_library(void);

static int use(struct k_mem_slab *slab)
{
    void *mem;

    return k_mem_slab_alloc(slab, &mem, K_FOREVER);
}

int use_library(void)
{
    return use(&of_library) + use(&hidden_in_library) +
           (k_heap_alloc(&heap_of_library, 100, K_NO_WAIT) == NULL);
}

__attribute__((constructor(101))) static void before_all_others(void)
{
    if (use(&of_library) != 0)
        abort();
}

__attribute__((destructor(101))) static void behind_all_others(void)
{
    if (use(&of_library) != 0)
        abort();
}
