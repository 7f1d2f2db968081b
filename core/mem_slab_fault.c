/* SPDX-License-Identifier: Apache-2.0 */
/* mem_slab_fault.c - pointers that are no blocks, and blocks written over */
#include "core/console_line.h"
#include "core/mem_slab_list.h"
#include "tally/mem_slab.h"

static tally_slab_fault_fn fault_handler;

void tally_mem_slab_on_fault(tally_slab_fault_fn handler)
{
    __atomic_store_n(&fault_handler, handler, __ATOMIC_RELEASE);
}

#ifdef TALLY_DEBUG
static void handle(struct k_mem_slab *slab, const void *mem,
                   enum tally_slab_fault fault)
{
    static const char *const sentences[TALLY_SLAB_FAULTS] = {
        [TALLY_SLAB_FOREIGN] = "a pointer that is none of its blocks was freed",
        [TALLY_SLAB_NOT_OUT] = "a block that is not out was freed",
        [TALLY_SLAB_DAMAGED] = "an unused block was written over",
    };
    struct console_line line = console_line("memory slab ");
    const char *name = tally_mem_slab_name(slab);

    (void)mem;
    console_line_add(&line, name == NULL ? "without a name" : name);
    console_line_add(&line, ": ");
    console_line_add(&line, sentences[fault]);
    console_line_say(&line);
    tally_port_abort();
}
#else
static void handle(struct k_mem_slab *slab, const void *mem,
                   enum tally_slab_fault fault)
{
    (void)slab;
    (void)mem;
    (void)fault;
}
#endif

void slab_report_fault(struct k_mem_slab *slab, const void *mem,
                       enum tally_slab_fault fault)
{
    tally_slab_fault_fn handler =
        __atomic_load_n(&fault_handler, __ATOMIC_ACQUIRE);

    if (slab != NULL && slab->self == slab) {
        slab_count(&slab->counts->faults[fault]);
        slab_publish(slab);
    }
    (handler == NULL ? handle : handler)(slab, mem, fault);
}
