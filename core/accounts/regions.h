/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regions.h - slabs and heaps in the ledger
 *
 * Each has a record there once the accounts are open, which its operations keep
 * up to date: one more branch each while there is none. The accounts open with
 * the first hooked allocation, or the first region that is made at run time or
 * used; where the process is recorded, with the first region. Not when a
 * macro's objects are entered: the program may still say what it wants.
 */
#ifndef TALLY_CORE_REGIONS_H
#define TALLY_CORE_REGIONS_H

#include <stdbool.h>

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "format/ledger/regions_layout.h"

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

#endif /* TALLY_CORE_REGIONS_H */
