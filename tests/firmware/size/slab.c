/* SPDX-License-Identifier: Apache-2.0 */
/* slab.c - a slab defined by a macro, and its queries */
#include "board.h"
#include "tally/mem_slab.h"

K_MEM_SLAB_DEFINE(slab, 32, 8, 4);

int main(void)
{
    struct sys_memory_stats stats;
    void *block;

    if (k_mem_slab_alloc(&slab, &block, K_NO_WAIT) == 0)
        k_mem_slab_free(&slab, block);
    (void)k_mem_slab_runtime_stats_get(&slab, &stats);
    (void)k_mem_slab_runtime_stats_reset_max(&slab);
    return (int)(k_mem_slab_num_used_get(&slab) +
                 k_mem_slab_max_used_get(&slab) +
                 k_mem_slab_num_free_get(&slab) + stats.free_bytes);
}
