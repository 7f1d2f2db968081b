/* SPDX-License-Identifier: Apache-2.0 */
/* charge.h - charge what slabs and heaps hand out to the hook that is in force */
#ifndef TALLY_CORE_CHARGE_H
#define TALLY_CORE_CHARGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tally/alloc_tag.h"
#include "tally/hook.h"

/* The reference to keep with a block of `size` bytes, or 0: not recorded. */
tally_reference charge_tag(struct alloc_tag *tag, size_t size);

#if __STDC_HOSTED__
#define CHARGE_IS_LINKED true
#else
/*
 * A firmware without a hook has no tag that anything could be charged to, and
 * what keeps accounts stays out of it: all that asks for it here is weak. A hook
 * asks for tally_current_tag, and charge_tag() comes with it.
 */
#pragma weak tally_current_tag
#pragma weak charge_tag
#pragma weak tally_hook_listen_free
#pragma weak tally_site_count
#define CHARGE_IS_LINKED (&tally_current_tag != NULL)
#endif

/* The same for the tag of the innermost hook; 0 without a tag. */
static inline tally_reference charge_in_force(size_t size)
{
    struct alloc_tag *tag = CHARGE_IS_LINKED ? tally_current_tag : NULL;

    return __builtin_expect(tag == NULL, 1) ? 0 : charge_tag(tag, size);
}

/*
 * End a charge whose reference the program may have overwritten: one that names
 * no site is ignored.
 */
static inline void charge_end(tally_reference reference, size_t size)
{
    if (CHARGE_IS_LINKED && reference != 0 && reference <= tally_site_count())
        tally_hook_free(reference, size);
}

#endif /* TALLY_CORE_CHARGE_H */
