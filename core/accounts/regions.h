/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.h - slabs and heaps: in the ledger, and in lists
 *
 * Each has a record there once the accounts are open, which its operations keep
 * up to date: one more branch each while there is none. The accounts open with
 * the first hooked allocation, or the first region that is made at run time or
 * used; where the process is recorded, with the first region. Not when a
 * macro's objects are entered: the program may still say what it wants.
 *
 * A list has its objects in order of arrival, and finds them by address. Only
 * the address counts: the memory may be garbage, or gone. A hash table finds
 * each by the piece of PLACE_SPAN bytes in which it begins; an object that
 * overlaps it begins there or in a piece beside it. So calls take constant time
 * on average. Under the port's lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "format/ledger/regions_layout.h"
#include "tally/private/object_list.h"

#if __STDC_HOSTED__
/* Whether there is a ledger to enter regions in; opened now if it is due. */
bool regions_are_open(void);

/* Open the accounts, if that is not decided yet. With no lock held. */
static inline void regions_open(void)
{
    (void)mem_profiling_decide();
}

/* A slab's record until that is decided: the slab's next call asks again. */
extern struct ledger_region regions_undecided;

/*
 * A region, or NULL, is gone with the object it lies in, unless the program
 * ends before any object is unloaded. Under the port's lock.
 */
void regions_leave(struct ledger_region *region);
#else
#define regions_are_open()    false
#define regions_open()        ((void)0)
#define regions_leave(region) ((void)(region))
#endif

/*
 * Whether the object with `address`, which is taken down, may be unloaded from
 * a program that goes on. When the program ends, its own object comes first;
 * regions of the other objects then stay, for other code may still use them.
 */
bool regions_are_unloaded(const void *address);

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
