/* SPDX-License-Identifier: Apache-2.0 */
/*
 * place_list.h - slabs or heaps in the order in which they came, and by address
 *
 * Only where one lies counts: its memory may be garbage, or gone. A hash table has
 * each by the piece of PLACE_SPAN bytes in which it begins; what it overlaps began
 * there or in a piece beside it. So every call takes the same time on average,
 * however many there are. Under the port's lock.
 */
#ifndef TALLY_CORE_PLACE_LIST_H
#define TALLY_CORE_PLACE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/object_list.h"

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

/* Put at the end; NULL is in the order alone. And remove, if it is there. */
void place_enter(struct place_list *list, struct tally_listed *place,
                 void *object);
bool place_leave(struct place_list *list, struct tally_listed *place);

#endif /* TALLY_CORE_PLACE_LIST_H */
