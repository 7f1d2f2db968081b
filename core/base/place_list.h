/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place_list.h - slabs or heaps in order of arrival, and by address
 *
 * Only the address counts: the memory may be garbage, or gone. A hash table
 * finds each by the piece of PLACE_SPAN bytes in which it begins; an object
 * that overlaps it begins there or in a piece beside it. So calls take constant
 * time on average. Under the port's lock.
 */
#ifndef TALLY_CORE_PLACE_LIST_H
#define TALLY_CORE_PLACE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/private/object_list.h"

enum { PLACE_SPAN = 128 };

struct place_list {
    struct tally_listed *first, **last; /* the link behind the last; or NULL */
    uint32_t count, mask;               /* entered; buckets, less 1 */
    struct tally_listed *few,
        **buckets; /* the only one, until there are more */
};

/* The place of `object`, or NULL; and one of an object that overlaps it, where
   all are of `size` bytes, at most PLACE_SPAN. */
struct tally_listed *place_find(const struct place_list *list,
                                const void *object);
struct tally_listed *place_overlapping(const struct place_list *list,
                                       const void *object, size_t size);

/* Add at the end; NULL: to the order only. And remove, if it is there. */
void place_enter(struct place_list *list, struct tally_listed *place,
                 void *object);
bool place_leave(struct place_list *list, struct tally_listed *place);

/*
 * Memory for such objects and their lists: zeroed, aligned to 16, never given
 * back. NULL: the port has none. Pieces of pages on hosts, on firmware as much
 * as is asked for.
 */
void *registry_memory_take(size_t size);

#endif /* TALLY_CORE_PLACE_LIST_H */
