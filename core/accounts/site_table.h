/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_table.h - map the key of a place to the id of its account
 *
 * This is a hash table with open addressing, read on every allocation and
 * written once for each place that allocates. Readers and writers take no lock.
 * A handler may interrupt them anywhere and call them again.
 *
 * A key is an address other than 0 and 1. Invariants:
 *
 *   I1  a slot's key is set once; after that only its dormant mark changes; its
 *       id is set once, after the key
 *   I2  a thread that finds a key without an id opens a second id for the
 *       place, and stores it if the slot still has none. Two ids for one place
 *       are harmless: readers of the ledger add them up by place
 *   I3  a table is never full (half, while there is memory to grow), so a
 *       search ends at an empty slot
 *   I4  when a table grows, searches use the old one until the new one is
 *       published; a place entered in between is entered in both, and one
 *       searched meanwhile may get a second id (I2). The old table stays
 *       mapped, and is emptied when no thread can write to it any more
 *
 * A place whose code is unloaded becomes dormant: its key is marked, so that
 * searches miss it. site_table_wake() finds the id again when the same file is
 * loaded at the same address.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/plain_load.h"

struct site_slot {
    uintptr_t key;
    uint32_t id;
};

/* `slots` is stored before a larger `mask`, and read after it: a reader of the
   larger mask sees the larger slots. */
struct site_table {
    struct site_slot *slots;
    uintptr_t mask;    /* number of slots - 1 */
    uint32_t used;     /* slots in use, approximately */
    uint32_t growing;  /* 1 while a thread grows it */
    uint32_t entering; /* threads that may write into old slots */
};

/*
 * Initial number of slots, a power of 2. Tables searched by every allocation
 * are large, so that collisions are rare; the address space counts against the
 * limit of programs that lock their memory.
 */
enum {
    SITE_TABLE_LARGE = __STDC_HOSTED__ ? 8192 : 32,
    SITE_TABLE_SMALL = __STDC_HOSTED__ ? 1024 : 32,
};

/* Allocate the first slots from tally_port_pages_alloc(). Return 0 or
   TALLY_E_NO_MEMORY. */
int site_table_open(struct site_table *table, uintptr_t count);

/* Return the id of `key`, or 0 if it is not there (yet: I2). */
uint32_t site_table_search(const struct site_table *table, uintptr_t key);

/* Search the first slot only, which almost always hits; return 0 if not. */
static inline uint32_t site_table_find(const struct site_table *table,
                                       uintptr_t key)
{
    uintptr_t mask = __atomic_load_n(&table->mask, __ATOMIC_ACQUIRE);
    const struct site_slot *slot =
        &__atomic_load_n(&table->slots, __ATOMIC_ACQUIRE)[key & mask];

    if (__builtin_expect(PLAIN_LOAD(&slot->key) != key, 0))
        return 0;
    return __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);
}

/*
 * Enter `key` with `id`. Return the id that searches find from now on, `id` or
 * an earlier one; 0 if there is no room: the place then has no entry and will
 * be opened again.
 */
uint32_t site_table_enter(struct site_table *table, uintptr_t key, uint32_t id);

/* Return true if a place may be opened: there is room for its entry, or another
   thread is making room, in which case the place may still get no entry. */
bool site_table_takes_more(struct site_table *table);

/* Reset state of other threads, in a forked child. */
void site_table_adopt(struct site_table *table);

/* Make all keys in [start, end) dormant. */
void site_table_sleep(struct site_table *table, uintptr_t start, uintptr_t end);

/* Wake a dormant `key` whose id `is_wanted`; return the id, or 0 if there is
   none. Several dormant places may share a key. */
uint32_t site_table_wake(struct site_table *table, uintptr_t key,
                         bool (*is_wanted)(uint32_t id, void *context),
                         void *context);
