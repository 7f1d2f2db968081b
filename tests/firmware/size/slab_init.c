/* SPDX-License-Identifier: Apache-2.0 */
/* slab_init.c - a slab initialized at run time */
#include "board.h"
#include "tally/mem_slab.h"

static struct k_mem_slab slab;
static _Alignas(4) unsigned char blocks[256];

int main(void)
{
    void *block;

    if (k_mem_slab_init(&slab, blocks, 32, 8) == 0 &&
        k_mem_slab_alloc(&slab, &block, K_NO_WAIT) == 0)
        k_mem_slab_free(&slab, block);
    return 0;
}
