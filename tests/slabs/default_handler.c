/* SPDX-License-Identifier: Apache-2.0 */
/* default_handler.c - a double free without a handler */
#include <stdio.h>

#include <tally/mem_slab.h>

K_MEM_SLAB_DEFINE(blocks, 16, 2, 4);

int main(void)
{
    struct tally_slab_figures figures;
    void *mem;

    if (k_mem_slab_alloc(&blocks, &mem, K_NO_WAIT) != 0)
        return 1;
    k_mem_slab_free(&blocks, mem);
    k_mem_slab_free(&blocks, mem);
    tally_mem_slab_figures_get(&blocks, &figures);
    printf("counted %u\n", figures.faults[TALLY_SLAB_NOT_OUT]);
    return 0;
}
