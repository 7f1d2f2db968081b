/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tag_objects.h - which tags there are: the program's, and those of its objects
 *
 * A shared object that is unloaded takes its tags with it. When something was
 * ever allocated there, a copy is kept, names included, and when the same
 * object comes back, which is to say the same name with the same tags, its tags
 * go on with the accounts they had:
 *
 *     loaded    object -> start ... stop, first_used -> ... -> last_used
 *                 | kept
 *     unloaded  kept   -> tags[0 .. range_count) copies of start ... stop
 *                         tags[range_count .. count) of those entered at use
 *
 * Invariants, all under the port's lock:
 *
 *   I1  an object is in the list once, the program first, others as they came
 *   I2  there is one copy for each distinct content: rounds of dlopen and
 *       dlclose do not grow it
 *   I3  a copy that is awake (its object is loaded) is never shown
 */
#ifndef TALLY_CORE_TAG_OBJECTS_H
#define TALLY_CORE_TAG_OBJECTS_H

#include <stdint.h>

#include "tally/alloc_tag.h"

/* Accounts are kept from now on: give one to each tag that there is. */
void tag_objects_open_all(void);

/* Enter the tag into its object's list, if it is not there yet. */
void tag_objects_use(struct tally_used_tag *used);

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

#endif /* TALLY_CORE_TAG_OBJECTS_H */
