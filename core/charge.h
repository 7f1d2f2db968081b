/* SPDX-License-Identifier: Apache-2.0 */
/* charge.h - charge what slabs and heaps hand out to the hook that is in force */
#ifndef TALLY_CORE_CHARGE_H
#define TALLY_CORE_CHARGE_H

#include <stddef.h>

#include "tally/alloc_tag.h"
#include "tally/hook.h"

/* The reference to keep with a block of `size` bytes, or 0: nobody records. */
tally_reference charge_tag(struct alloc_tag *tag, size_t size);

/* The same for the tag of the innermost hook; none: it is nobody's. */
static inline tally_reference charge_in_force(size_t size)
{
    struct alloc_tag *tag = tally_current_tag;

    return __builtin_expect(tag == NULL, 1) ? 0 : charge_tag(tag, size);
}

/*
 * End a charge whose reference lay where somebody may have written over it: what
 * no site has is nobody's.
 */
static inline void charge_end(tally_reference reference, size_t size)
{
    if (reference != 0 && reference <= tally_site_count())
        tally_hook_free(reference, size);
}

#endif /* TALLY_CORE_CHARGE_H */
