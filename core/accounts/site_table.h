/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_table.h - from the key of a place to the id of its account
 *
 * The registry of tags: open addressing, read on every allocation, written once
 * for each place that allocates. Readers and writers take no lock and may be
 * interrupted anywhere, by a handler that comes back here.
 *
 * A key is an address other than 0 and 1. Invariants:
 *
 *   I1  a slot's key is set once, from 0, and after that only its mark of sleep
 *       changes; its id is set once, after the key
 *   I2  a thread that meets a key without an id opens a second id for the
 *       place, and sets the slot's if it still has none. Two ids for one place
 *       are harmless: readers of the ledger add them up by place
 *   I3  a table is never full (half, while there is memory to grow), so a
 *       search ends at an empty slot
 *   I4  when a table grows, searches go on in the old one until the new one is
 *       published; a place entered in between is entered in both, and one that
 *       is searched meanwhile may get a second id (I2). The old one stays where
 *       it is, and is emptied when no thread can write into it any more
 *
 * A place whose code is unloaded is made dormant: its key is marked, so that a
 * search misses it, and site_table_wake() finds the id again when the same file
 * comes back to the same address.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/base/plain_load.h"

struct site_slot {
    uintptr_t key;
    uint32_t id;
};

/*
 * `slots` is stored before a larger `mask`, and read after it: a reader of the
 * larger mask sees the larger slots.
 */
struct site_table {
    struct site_slot *slots;
    uintptr_t mask;    /* number of slots - 1 */
    uint32_t used;     /* slots taken, about */
    uint32_t growing;  /* 1 while a thread grows it */
    uint32_t entering; /* threads that may write into old slots */
};

/*
 * How many slots a table begins with, a power of 2. Where every allocation
 * searches it there are many, so that keys have their own; it is address space
 * that a program which locks its memory has less.
 */
enum {
    SITE_TABLE_LARGE = __STDC_HOSTED__ ? 8192 : 32,
    SITE_TABLE_SMALL = __STDC_HOSTED__ ? 1024 : 32,
};

/* First memory, from tally_port_pages_alloc. 0 or TALLY_E_NO_MEMORY. */
int site_table_open(struct site_table *table, uintptr_t count);

/* The id of `key`, or 0 when it is not there, or not there yet (I2). */
uint32_t site_table_search(const struct site_table *table, uintptr_t key);

/* The first probe alone: it almost always hits. 0 when it does not. */
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
 * Enter `key` with `id`. Returns the id that searches will find from now on,
 * `id` or an earlier one, or 0 when there was no room: the place then has no
 * entry and will be opened again.
 */
uint32_t site_table_enter(struct site_table *table, uintptr_t key, uint32_t id);

/*
 * Whether a place may be opened: there is room for its entry, or another thread
 * is making room; then the place may have to go without.
 */
bool site_table_takes_more(struct site_table *table);

/* In a forked child: no other thread is at the table. */
void site_table_adopt(struct site_table *table);

/* Hide all keys in [start, end). */
void site_table_sleep(struct site_table *table, uintptr_t start, uintptr_t end);

/*
 * Find a hidden `key` again whose id `is_wanted`, and show it. Several places
 * may be asleep under one key. 0 when there is none.
 */
uint32_t site_table_wake(struct site_table *table, uintptr_t key,
                         bool (*is_wanted)(uint32_t id, void *context),
                         void *context);
