/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.h - records of slabs and heaps in the ledger, and lists of them
 *
 * Each region has a record in the ledger once the accounts are open, which its
 * operations update; without a record they cost one more branch. The accounts
 * open with the first hooked allocation, or when the first region is created at
 * run time or used; in a recorded process, with the first region. Entering the
 * objects of macros does not open them: the program may still choose its
 * setting.
 *
 * A list keeps its objects in order of arrival and finds them by address,
 * without reading their memory, which may be garbage or gone. A hash table maps
 * the piece of PLACE_SPAN bytes in which an object begins; an overlapping
 * object begins in the same or an adjacent piece. So calls take constant time
 * on average. Under the port's lock.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "format/ledger/segments_layout.h"
#include "tally/private/object_list.h"

#if TALLY_HAS(OS)
/* Return true if there is a ledger for regions; open it if it is due. */
bool regions_are_open(void);

/* Apply the setting if it is undecided. With no lock held. */
static inline void regions_open(void)
{
    (void)mem_profiling_decide();
}

/* Record of a slab until the setting is decided: the slab's next call checks
   again. */
extern struct ledger_region regions_undecided;

/* Mark a region (or NULL) as gone with its object, unless the program ends
   before any object is unloaded. Under the port's lock. */
void regions_leave(struct ledger_region *region);
#else
#define regions_are_open()    false
#define regions_open()        ((void)0)
#define regions_leave(region) ((void)(region))
#endif

/*
 * Return true if the object that contains `address`, whose destructors run, may
 * be unloaded from a running program. At the end of the program, its own object
 * comes first; regions of other objects then stay, since other code may still
 * use them.
 */
bool regions_are_unloaded(const void *address);

enum { PLACE_SPAN = 128 };

struct place_list {
    struct tally_listed *first, **last; /* last: link of the last object; or
                                           NULL */
    uint32_t count, mask;               /* objects; buckets - 1 */
    struct tally_listed *few,
        **buckets; /* `few` is the only bucket until there are more */
};

/* Return the entry of `object`, or NULL; or of an object that overlaps it, if
   all are of `size` bytes, at most PLACE_SPAN. */
struct tally_listed *place_find(const struct place_list *list,
                                const void *object);
struct tally_listed *place_overlapping(const struct place_list *list,
                                       const void *object, size_t size);

/* Append an object (NULL: to the order only), or remove it if it is there. */
void place_enter(struct place_list *list, struct tally_listed *place,
                 void *object);
bool place_leave(struct place_list *list, struct tally_listed *place);

/*
 * Allocate memory for such objects and their lists: zeroed, aligned to 16,
 * never freed. NULL: the port has none. Hosts split pages; firmware allocates
 * the exact size.
 */
void *registry_memory_take(size_t size);
