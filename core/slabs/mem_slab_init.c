/* SPDX-License-Identifier: Apache-2.0 */
/* mem_slab_init.c - make a slab of a buffer, at run time */
#include <string.h>

#include "core/accounts/regions.h"
#include "core/slabs/mem_slab_list.h"
#include "core/slabs/mem_slab_registry.h"
#include "tally/mem_slab.h"

enum { NO_MEMORY = -12, INVALID = -22 };

enum { LINK = sizeof(slab_link) };

static bool is_valid(const struct k_mem_slab *slab, const void *buffer,
                     size_t block_size, uint32_t num_blocks)
{
    size_t total;

    return slab != NULL && buffer != NULL && block_size != 0 &&
           num_blocks != 0 && (uintptr_t)buffer % LINK == 0 &&
           block_size % LINK == 0 && num_blocks <= TALLY_SLAB_MOST_BLOCKS &&
           !__builtin_mul_overflow(block_size, (size_t)num_blocks, &total) &&
           total <= SIZE_MAX - (uintptr_t)buffer;
}

/* Every block unused, in order: zeroed words, zeroed links. */
static void clear(struct tally_slab_state *state, unsigned char *buffer,
                  size_t block_size, uint32_t num_blocks)
{
    uint32_t waiting = state->counts.waiting;

    if (state->waiters == NULL)
        waiting = 0;
    memset(state->owners, 0, num_blocks * sizeof state->owners[0]);
    for (uint32_t block = 0; block < num_blocks; block++)
        *(slab_link *)(void *)(buffer + block * block_size) = 0;
    state->block_size = block_size;
    state->num_blocks = num_blocks;
    state->counts = (struct tally_slab_counts){
        .waiting = waiting,
        .region = state->counts.region,
    };
}

int k_mem_slab_init(struct k_mem_slab *slab, void *buffer, size_t block_size,
                    uint32_t num_blocks)
{
    struct tally_slab_state *state;
    uint64_t kept;
    uint32_t key;

    if (!is_valid(slab, buffer, block_size, num_blocks))
        return INVALID;
    regions_open();
    key = tally_port_lock();
    state = slab_registry_open(slab, num_blocks);
    if (state == NULL) {
        tally_port_unlock(key);
        return NO_MEMORY;
    }
    kept = tally_port_guard(&state->guard);
    clear(state, buffer, block_size, num_blocks);
    *slab = (struct k_mem_slab){
        .self = slab,
        .buffer = buffer,
        .block_size = block_size,
        .shift = (uint32_t)__builtin_ctzl(block_size),
        .num_blocks = num_blocks,
        .head_mask = TALLY_SLAB_HEAD_MASK(num_blocks),
        .one_used = TALLY_SLAB_USED_UNIT(num_blocks),
        .owners = state->owners,
        .counts = &state->counts,
        .state = state,
    };
    tally_port_unguard(&state->guard, kept);
    if (WAIT_QUEUE_IS_USED)
        slab_serve_waiters(slab);
    slab_region_enter(state);
    tally_port_unlock(key);
    return 0;
}
