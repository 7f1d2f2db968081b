/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - the state of a recorded process; see process.h */
#include "ledger/space/process.h"

#include "format/ledger/ledger_layout.h"

/* alone on its pages: madvise() on them must not touch other variables */
_Alignas(LEDGER_PAGE) struct process process;

_Thread_local struct recorder_thread recorder_thread = {
    .fast_path = &process.fast_paths[0],
};

static const uint32_t off = LEDGER_CONTROL_OFF;

const uint32_t *process_control = &off;
struct site_table heap_sites;
struct site_table map_sites, space_sites;
struct site_table hook_sites;
uint32_t *site_places;
bool process_is_compressed;

void process_count(enum ledger_count which, uint64_t added)
{
    struct ledger_header *header = process.header;

    if (header != NULL)
        __atomic_fetch_add(&header->counts[which], added, __ATOMIC_RELAXED);
}

void process_set_control(uint32_t control)
{
    struct ledger_header *header = process.header;

    if (control == LEDGER_CONTROL_OFF)
        __atomic_fetch_or(&header->flags, LEDGER_FLAG_PAUSED, __ATOMIC_RELAXED);
    __atomic_store_n(&header->control, control, __ATOMIC_RELEASE);
}

void process_drop_stacks(void)
{
    for (uint32_t shard = 1; shard < LEDGER_TOTAL_CAPACITY; shard++)
        __atomic_store_n(&process.fast_paths[shard].stacks, NULL,
                         __ATOMIC_SEQ_CST);
}
