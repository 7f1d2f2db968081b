/* SPDX-License-Identifier: Apache-2.0 */
/* mem_slab_figures.c - how full a slab is, what happened to it, and faults */
#include "core/base/console_line.h"
#include "core/slabs/mem_slab_list.h"
#include "tally/mem_slab.h"

enum { INVALID = -22 };

static bool is_open(const struct k_mem_slab *slab)
{
    return slab != NULL && slab->self == slab;
}

/*
 * Of many blocks takes and frees lie in two words. Read until no block was
 * freed in between; where others never let up, all that is known is the bound.
 */
uint32_t tally_mem_slab_used(const struct k_mem_slab *slab)
{
    enum { TRIES = 8 };
    uint32_t before, used;

    if (!is_open(slab))
        return 0;
    for (unsigned i = 0; i < TRIES; i++) {
        before = slab_frees(slab->counts);
        used = slab_used(slab, slab_list_load(slab->counts), before);
        if (slab_frees(slab->counts) == before)
            return used;
    }
    return used < slab->num_blocks ? used : slab->num_blocks;
}

uint32_t tally_mem_slab_peak(const struct k_mem_slab *slab)
{
    return is_open(slab)
               ? __atomic_load_n(&slab->counts->peak, __ATOMIC_RELAXED)
               : 0;
}

int k_mem_slab_runtime_stats_get(struct k_mem_slab *slab,
                                 struct sys_memory_stats *stats)
{
    uint32_t used;

    if (slab == NULL || stats == NULL)
        return INVALID;
    used = tally_mem_slab_used(slab);
    stats->allocated_bytes = used * slab->block_size;
    stats->free_bytes = (slab->num_blocks - used) * slab->block_size;
    stats->max_allocated_bytes = tally_mem_slab_peak(slab) * slab->block_size;
    return 0;
}

int k_mem_slab_runtime_stats_reset_max(struct k_mem_slab *slab)
{
    if (slab == NULL)
        return INVALID;
    if (is_open(slab)) {
        __atomic_store_n(&slab->counts->peak, tally_mem_slab_used(slab),
                         __ATOMIC_RELAXED);
        slab_publish(slab);
    }
    return 0;
}

int tally_mem_slab_figures_get(const struct k_mem_slab *slab,
                               struct tally_slab_figures *figures)
{
    struct tally_slab_counts *counts;
    uint64_t kept;

    if (slab == NULL || figures == NULL)
        return INVALID;
    *figures = (struct tally_slab_figures){ 0 };
    if (!is_open(slab))
        return 0;
    counts = slab->counts;
    figures->used = tally_mem_slab_used(slab);
    figures->unused = slab->num_blocks - figures->used;
    figures->peak = tally_mem_slab_peak(slab);
    figures->refused = __atomic_load_n(&counts->refused, __ATOMIC_RELAXED);
    kept = tally_port_guard(&slab->state->guard);
    figures->timed_out = counts->timed_out;
    figures->waiting = counts->waiting;
    figures->longest_wait_ns = counts->longest_wait_ns;
    tally_port_unguard(&slab->state->guard, kept);
    for (unsigned i = 0; i < TALLY_SLAB_FAULTS; i++)
        figures->faults[i] =
            __atomic_load_n(&counts->faults[i], __ATOMIC_RELAXED);
    return 0;
}

const char *tally_mem_slab_name(const struct k_mem_slab *slab)
{
    return is_open(slab) ? __atomic_load_n(&slab->state->name, __ATOMIC_ACQUIRE)
                         : NULL;
}

static tally_slab_fault_fn fault_handler;

void tally_mem_slab_on_fault(tally_slab_fault_fn handler)
{
    __atomic_store_n(&fault_handler, handler, __ATOMIC_RELEASE);
}

static void handle(struct k_mem_slab *slab, const void *mem,
                   enum tally_slab_fault fault)
{
    static const char *const sentences[TALLY_SLAB_FAULTS] = {
        [TALLY_SLAB_FOREIGN] = "a pointer that is none of its blocks was freed",
        [TALLY_SLAB_NOT_OUT] = "a block that is not out was freed",
        [TALLY_SLAB_DAMAGED] = "an unused block was written over",
    };

    (void)mem;
    if (FAULT_IS_TOLD)
        console_tell_fault("memory slab", tally_mem_slab_name(slab),
                           sentences[fault]);
}

void slab_report_fault(struct k_mem_slab *slab, const void *mem,
                       enum tally_slab_fault fault)
{
    tally_slab_fault_fn handler =
        __atomic_load_n(&fault_handler, __ATOMIC_ACQUIRE);

    if (slab != NULL && slab->self == slab) {
        words_count(&slab->counts->faults[fault]);
        slab_publish(slab);
    }
    (handler == NULL ? handle : handler)(slab, mem, fault);
}
