/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tag.h - tags and their accounts, for code that records
 *
 * A shared object that is unloaded takes its tags with it. When something was
 * ever allocated there, a copy is kept, names included, and when the same
 * object comes back, which is to say the same name with the same tags, its tags
 * go on with the accounts they had:
 *
 *     loaded    object -> start ... stop, first_used -> ... -> last_used
 *                 | kept
 *     unloaded  kept   -> first: range_count copies of start ... stop,
 *                         then copies of those entered at use
 *
 * Invariants, all under the port's lock:
 *
 *   I1  an object is in the list once, the program first, others as they came
 *   I2  there is one copy for each distinct content: rounds of dlopen and
 *       dlclose do not grow it
 *   I3  a copy that is awake (its object is loaded) is never shown
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/alloc_tag.h"
#include "tally/hook.h"

/* Open the tag's account, on its first allocation. 0: not recorded. */
uint32_t alloc_tag_open(struct alloc_tag *tag);

/* The site of the tag's account, or 0 when it cannot have one. */
static inline uint32_t alloc_tag_site(struct alloc_tag *tag)
{
    uint32_t site = __atomic_load_n(&tag->site, __ATOMIC_ACQUIRE);

    return __builtin_expect(site != 0, 1) ? site : alloc_tag_open(tag);
}

/* An event of this tag was lost: its row says so from now on. */
void alloc_tag_lose(struct alloc_tag *tag);

/* Where a walk over all tags stands. Zero: at the start. */
struct tag_cursor {
    uint32_t phase;
    uint32_t sequence; /* of the object */
    uint32_t index;    /* in the object */
    /* Good while nothing was loaded or unloaded. */
    uint32_t generation;
    const void *place;
    struct tally_used_tag *used;
};

/* The next tag, or NULL. Call with the port's lock held; it may be let go
   between two calls. */
struct alloc_tag *tag_cursor_next(struct tag_cursor *cursor);

/* The reference to keep with a block of `size` bytes, or 0: not recorded. */
tally_reference charge_tag(struct alloc_tag *tag, size_t size);

#if __STDC_HOSTED__
#define CHARGE_IS_LINKED true
#else
/*
 * A firmware without a hook has no tag that anything could be charged to, and
 * what keeps accounts stays out of it: all that asks for it here is weak. A
 * hook asks for tally_current_tag, and charge_tag() comes with it.
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
