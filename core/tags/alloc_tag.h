/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tag.h - tags and their accounts, for code that records
 *
 * Unloading a shared object removes its tags. If anything was allocated there,
 * a copy is kept, names included; if alloc_tag_record() saved a tag, the copy
 * exists before, and the two share their account. When the same object (the
 * same name with the same tags) is loaded again, its tags continue with their
 * accounts:
 *
 *     loaded    object -> start ... stop, first_used -> ... -> last_used
 *                 | kept
 *     unloaded  kept   -> first: range_count copies of start ... stop,
 *                         then copies of those entered at use
 *
 * Invariants, all under the port's lock:
 *
 *   I1  an object is in the list once, the program first, others in order of
 *       arrival
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

/* Open the tag's account at its first allocation; return its site, or 0: not
   recorded. */
uint32_t alloc_tag_open(struct alloc_tag *tag);

/* Return the site of the tag's account, or 0 if it cannot have one. */
static inline uint32_t alloc_tag_site(struct alloc_tag *tag)
{
    uint32_t site = __atomic_load_n(&tag->site, __ATOMIC_ACQUIRE);

    return __builtin_expect(site != 0, 1) ? site : alloc_tag_open(tag);
}

/* Mark the tag's row as inaccurate: an event was lost. */
void alloc_tag_lose(struct alloc_tag *tag);

/* Position of a walk over all tags; zero: the start. */
struct tag_cursor {
    uint32_t phase;
    uint32_t sequence; /* sequence number of the object */
    uint32_t index;    /* in the object */
    /* valid while nothing is loaded or unloaded */
    uint32_t generation;
    const void *place;
    struct tally_used_tag *used;
};

/* Return the next tag, or NULL. The caller holds the port's lock, and may
   release it between calls. */
struct alloc_tag *tag_cursor_next(struct tag_cursor *cursor);

/* Return the reference to keep with a block of `size` bytes; 0: not
   recorded. */
tally_reference charge_tag(struct alloc_tag *tag, size_t size);

#if TALLY_HAS(OS)
#define CHARGE_IS_LINKED true
#else
/*
 * Firmware without hooks has no tags, and links without the accounts: all
 * references to them are weak. A hook refers to tally_current_tag or its slot,
 * which bring charge_tag().
 */
#pragma weak charge_tag
#pragma weak tally_hook_listen_free
#pragma weak tally_site_count
#if TALLY_HAS(THREADS)
#pragma weak tally_tag_slot
#define CHARGE_IS_LINKED (tally_tag_slot != NULL)
#else
#pragma weak tally_current_tag
#define CHARGE_IS_LINKED (&tally_current_tag != NULL)
#endif
#endif

/* Return the reference for the tag of the innermost hook; 0 without a tag. */
static inline tally_reference charge_in_force(size_t size)
{
    struct alloc_tag *tag = CHARGE_IS_LINKED ? tally_current_tag : NULL;

    return __builtin_expect(tag == NULL, 1) ? 0 : charge_tag(tag, size);
}

/* End a charge. The program may have overwritten the reference: one that names
   no site is ignored. */
static inline void charge_end(tally_reference reference, size_t size)
{
    if (CHARGE_IS_LINKED && reference != 0 && reference <= tally_site_count())
        tally_hook_free(reference, size);
}
