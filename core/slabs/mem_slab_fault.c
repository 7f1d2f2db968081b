/* SPDX-License-Identifier: Apache-2.0 */
/* mem_slab_fault.c - pointers that are no blocks, and blocks written over */
#include "core/base/fault.h"
#include "core/slabs/mem_slab_list.h"
#include "tally/mem_slab.h"

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
        fault_tell("memory slab", tally_mem_slab_name(slab), sentences[fault]);
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
