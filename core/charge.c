/* SPDX-License-Identifier: Apache-2.0 */
/* charge.c - charge what slabs and heaps hand out to the hook that is in force */
#include "core/charge.h"

#include "core/alloc_tag.h"
#include "core/mem_profiling.h"

tally_reference charge_tag(struct alloc_tag *tag, size_t size)
{
    uint32_t site = mem_profiling_is_on() ? alloc_tag_site(tag) : 0;

    if (site == 0)
        return 0;
    mem_profiling_expect_frees();
    return tally_hook_alloc(site, size);
}
