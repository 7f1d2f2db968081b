/* SPDX-License-Identifier: Apache-2.0 */
/* mem_slab.c - allocate and free blocks; mem_slab_list.h says how they lie */
#include "tally/mem_slab.h"

#include <stddef.h>

#include "core/charge.h"
#include "core/mem_slab_list.h"
#include "tally/hook.h"

/* As errno.h of POSIX systems and of Zephyr has them. */
enum { TRY_AGAIN = -11, NO_MEMORY = -12, INVALID = -22 };

enum { REFERENCE_MASK = INT32_MAX };

static inline void *hand_out(struct k_mem_slab *slab, uint32_t block,
                             uint32_t owner)
{
    void *mem = slab_block(slab, block);
    uint32_t reference;

    if (__builtin_expect(!slab_is_intact(mem, owner), 0))
        slab_report_fault(slab, mem, TALLY_SLAB_DAMAGED);
    reference = charge_in_force(slab->block_size) & REFERENCE_MASK;
    slab_owner_set(slab, block, SLAB_OWNER_OUT | reference);
    slab_publish(slab);
    return mem;
}

static __attribute__((noinline)) int
alloc_slowly(struct k_mem_slab *slab, void **mem, k_timeout_t timeout)
{
    uint32_t owner, block;

    if (timeout.ns == 0 || !wait_queue_is_open()) {
        slab_count(&slab->counts->refused);
        slab_publish(slab);
        *mem = NULL;
        return NO_MEMORY;
    }
    block = slab_wait_for_block(slab, timeout, &owner);
    if (block == SLAB_NONE)
        return TRY_AGAIN;
    *mem = hand_out(slab, block, owner);
    return 0;
}

int k_mem_slab_alloc(struct k_mem_slab *slab, void **mem, k_timeout_t timeout)
{
    uint32_t key, owner, block;

    if (slab == NULL || mem == NULL || slab->self != slab)
        return INVALID;
    key = slab_enter();
    block = slab_take(slab, &owner);
    slab_leave(key);
    if (__builtin_expect(block == SLAB_NONE, 0))
        return alloc_slowly(slab, mem, timeout);
    *mem = hand_out(slab, block, owner);
    return 0;
}

/*
 * x with x * odd == 1, by Newton's method: each step doubles the number of bits
 * that are right, and odd itself has three.
 */
static size_t invert(size_t odd)
{
    size_t inverse = odd;

    for (unsigned bits = 3; bits < 8 * sizeof inverse; bits *= 2)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/*
 * Which block begins at `mem`; num_blocks or more: none does. An offset times
 * the inverse of the block size's odd part, rotated by the rest, is the quotient
 * where the division leaves no remainder, and elsewhere more than any quotient.
 */
static inline size_t block_at(struct k_mem_slab *slab, const void *mem)
{
    size_t offset = (uintptr_t)mem - (uintptr_t)slab->buffer;
    size_t inverse = __atomic_load_n(&slab->inverse, __ATOMIC_RELAXED);
    unsigned shift = slab->shift;

    if (__builtin_expect(inverse == 0, 0)) {
        inverse = invert(slab->block_size >> shift);
        __atomic_store_n(&slab->inverse, inverse, __ATOMIC_RELAXED);
    }
    offset *= inverse;
    return offset >> shift |
           offset << ((0 - (size_t)shift) & (8 * sizeof offset - 1));
}

void k_mem_slab_free(struct k_mem_slab *slab, void *mem)
{
    uint32_t key, owner, block;
    size_t at;
    bool is_put;

    if (slab == NULL || slab->self != slab ||
        (at = block_at(slab, mem)) >= slab->num_blocks) {
        slab_report_fault(slab, mem, TALLY_SLAB_FOREIGN);
        return;
    }
    block = (uint32_t)at;
    key = slab_enter();
    owner = __atomic_load_n(&slab->owners[block], __ATOMIC_RELAXED);
    if (!slab_owner_claim(&slab->owners[block], owner)) {
        slab_leave(key);
        slab_report_fault(slab, mem, TALLY_SLAB_NOT_OUT);
        return;
    }
    if (slab->one_used == 0)
        slab_count(&slab->counts->frees);
    is_put = slab_put(slab, block);
    slab_leave(key);
    if (!is_put)
        slab_give_to_waiter(slab, block);
    slab_publish(slab);
    if (CHARGE_IS_LINKED)
        tally_hook_free(owner & REFERENCE_MASK, slab->block_size);
}
