/* SPDX-License-Identifier: Apache-2.0 */
/* load_pages.c - pages of a ledger that go while it is loaded */
#include <sys/mman.h>

#include "tool/model/sources/load_ledger_parts.h"

void load_lets_go(struct ledger_load *load, uint32_t id)
{
    const uintptr_t page = LEDGER_PAGE;
    uint32_t index = id / LEDGER_SITES_PER_SEGMENT;
    struct ledger_segment segment;
    uintptr_t start, end;

    if (index == load->index)
        return;
    if (load->profile->uses_up && !load->is_earlier &&
        ledger_reader_segment(&load->reader, LEDGER_SEGMENT_SITES, load->index,
                              &segment) > 0) {
        start = (uintptr_t)load->reader.bytes + segment.offset;
        end = (start + segment.size) & ~(page - 1);
        start = (start + page - 1) & ~(page - 1);
        if (start < end)
            madvise((void *)start, end - start, MADV_DONTNEED);
    }
    load->index = index;
}
