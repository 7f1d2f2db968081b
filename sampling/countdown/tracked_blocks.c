/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracked_blocks.c - tables of followed blocks, in stripes; see
 * tracked_blocks.h
 *
 * This file is long because the table and the right to run an entry's callbacks
 * share their locks. An entry always belongs to the same stripe, whose lock
 * also guards its fields outside of the table.
 */
#include "sampling/countdown/tracked_blocks.h"

#include <string.h>

#include "core/base/word_lock.h"
#include "format/invariant.h"

enum { STRIPES = 1 << BLOCK_TABLES_LOG2 };

struct stripe {
    uint32_t lock;
    uint64_t count; /* entries with a profile */
    struct block_table table;
    char padding[16]; /* one cache line per stripe */
};

static struct stripe stripes[STRIPES];

static struct block_table_kind kind = {
    .own = OWN_MEMORY_OF("tracked_blocks"),
    .entry = sizeof(struct tracked),
    .chunk = 16384,
    .heads = 512,
};

static struct stripe *lock_stripe(uint64_t key)
{
    struct stripe *stripe = &stripes[block_hash(key) & (STRIPES - 1)];

    word_lock_take(&stripe->lock);
    return stripe;
}

/* Other threads read without the lock what happened to entries they lifted. */
static void set_loss(struct tracked *entry, enum tracked_loss loss)
{
    __atomic_store_n(&entry->is_dead, (uint8_t)loss, __ATOMIC_RELAXED);
}

struct tracked *tracked_make(uint64_t key)
{
    struct stripe *stripe = lock_stripe(key);
    struct tracked *entry = block_table_make(&stripe->table, &kind);

    if (entry != NULL) {
        __atomic_store_n(&entry->block.key, key, __ATOMIC_RELAXED);
        entry->is_major = entry->is_inside = 0;
        entry->is_claimed = TRACKED_FREE;
        entry->is_dead = TRACKED_LIVES;
    }
    word_lock_give(&stripe->lock);
    return entry;
}

/* Set the count. With the lock held; others read it without. */
static void change_count(struct stripe *stripe, uint64_t count)
{
    __atomic_store_n(&stripe->count, count, __ATOMIC_RELAXED);
}

/* Remove the entry at a link. NULL: it is claimed, and gets this loss. */
static struct tracked *take_out(struct stripe *stripe, void **place,
                                enum tracked_loss loss)
{
    struct tracked *entry = block_table_remove(&stripe->table, place);

    entry->is_inside = 0;
    if (entry->profile != NULL)
        change_count(stripe, stripe->count - 1);
    if (entry->is_claimed == TRACKED_FREE)
        return entry;
    set_loss(entry, loss);
    return NULL;
}

struct tracked *tracked_take(uint64_t key, enum tracked_loss loss)
{
    struct stripe *stripe = lock_stripe(key);
    void **place = block_table_find(&stripe->table, key);
    struct tracked *entry = *place, *taken = NULL;

    if (entry != NULL)
        taken = take_out(stripe, place, loss);
    word_lock_give(&stripe->lock);
    return loss == TRACKED_LIFTED ? entry : taken;
}

struct tracked *tracked_insert(struct tracked *entry)
{
    struct stripe *stripe = lock_stripe(entry->block.key);
    struct tracked *before = NULL;
    void **place;

    if (entry->is_dead == TRACKED_OVER ||
        !block_table_make_room(&stripe->table, &kind)) {
        word_lock_give(&stripe->lock);
        return entry;
    }
    INVARIANT(T1, entry->is_inside == 0);
    place = block_table_find(&stripe->table, entry->block.key);
    if (*place != NULL)
        before = take_out(stripe, place, TRACKED_DEAD);
    entry->is_inside = 1;
    set_loss(entry, TRACKED_LIVES);
    block_table_insert(&stripe->table, entry);
    if (entry->profile != NULL)
        change_count(stripe, stripe->count + 1);
    word_lock_give(&stripe->lock);
    return before;
}

void tracked_release(struct tracked *entry)
{
    struct stripe *stripe = lock_stripe(entry->block.key);

    INVARIANT(T3, entry->is_inside == 0);
    entry->serial++;
    block_table_release(&stripe->table, entry);
    word_lock_give(&stripe->lock);
}

uint64_t tracked_count(void)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < STRIPES; i++)
        count += __atomic_load_n(&stripes[i].count, __ATOMIC_RELAXED);
    return count;
}

static struct tracked *take_from(struct stripe *stripe, struct tracked *list,
                                 bool (*is_wanted)(const struct tracked *,
                                                   const void *),
                                 const void *what)
{
    const struct block_table *table = &stripe->table;

    for (size_t i = 0; table->heads != NULL && i <= table->heads_mask; i++) {
        void **place = &table->heads[i];
        struct tracked *entry;

        while ((entry = *place) != NULL) {
            if (!is_wanted(entry, what)) {
                place = &entry->block.next;
                continue;
            }
            entry = take_out(stripe, place, TRACKED_DEAD);
            if (entry == NULL)
                continue;
            entry->block.next = list;
            list = entry;
        }
    }
    return list;
}

static struct tracked *take_all(bool (*is_wanted)(const struct tracked *,
                                                  const void *),
                                const void *what)
{
    struct tracked *list = NULL;

    for (unsigned i = 0; i < STRIPES; i++) {
        word_lock_take(&stripes[i].lock);
        list = take_from(&stripes[i], list, is_wanted, what);
        word_lock_give(&stripes[i].lock);
    }
    return list;
}

struct range {
    uint64_t start, end, unit;
};

static bool is_in(const struct tracked *entry, const void *what)
{
    const struct range *range = what;

    return entry->block.key >= range->start && entry->block.key < range->end &&
           entry->block.key % range->unit == 0;
}

struct tracked *tracked_take_all(uint64_t start, uint64_t end, uint64_t unit)
{
    return take_all(is_in, &(struct range){ start, end, unit });
}

static bool is_of(const struct tracked *entry, const void *profile)
{
    return entry->profile == profile && entry->is_claimed == TRACKED_FREE;
}

uint32_t tracked_release_all(const struct memprof *profile)
{
    struct tracked *list = take_all(is_of, profile);
    uint32_t count = 0;

    while (list != NULL) {
        struct tracked *next = list->block.next;

        tracked_release(list);
        list = next;
        count++;
    }
    return count;
}

bool tracked_is_empty(void)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < STRIPES; i++) {
        word_lock_take(&stripes[i].lock);
        count += stripes[i].count;
        word_lock_give(&stripes[i].lock);
    }
    return count == 0;
}

void tracked_forget(void)
{
    memset(stripes, 0, sizeof stripes);
}

static uint64_t key_of(const struct tracked *entry)
{
    return __atomic_load_n(&entry->block.key, __ATOMIC_RELAXED);
}

static bool is_minor(struct tracked_name name)
{
    const struct tracked *entry = name.entry;

    return entry->serial == name.serial && entry->is_major == 0 &&
           (entry->is_inside != 0 || entry->is_dead == TRACKED_LIFTED);
}

bool tracked_is_minor(struct tracked_name name)
{
    struct stripe *stripe = lock_stripe(key_of(name.entry));
    bool is_so = is_minor(name);

    word_lock_give(&stripe->lock);
    return is_so;
}

bool tracked_claim(struct tracked_name name)
{
    struct tracked *entry = name.entry;
    struct stripe *stripe = lock_stripe(key_of(entry));
    bool is_claimed = is_minor(name) && entry->is_claimed == TRACKED_FREE;

    if (is_claimed)
        entry->is_claimed = TRACKED_CLAIMED;
    else if (is_minor(name) && entry->is_claimed == TRACKED_WAITS)
        entry->is_claimed = TRACKED_RIPE;
    word_lock_give(&stripe->lock);
    return is_claimed;
}

static enum tracked_end unclaim(struct stripe *stripe, struct tracked *entry,
                                bool is_kept, bool is_major)
{
    void **place;

    INVARIANT(T2, entry->is_claimed != TRACKED_FREE);
    if (entry->is_claimed == TRACKED_RIPE && is_kept && !is_major) {
        entry->is_claimed = TRACKED_CLAIMED;
        return TRACKED_IS_PROMOTED;
    }
    entry->is_claimed = TRACKED_FREE;
    entry->is_major = is_major;
    if (entry->is_dead == TRACKED_DEAD)
        return TRACKED_IS_CALLERS;
    if (is_kept)
        return TRACKED_STAYS;
    if (entry->is_dead == TRACKED_LIFTED) {
        set_loss(entry, TRACKED_OVER);
        return TRACKED_STAYS;
    }
    place = block_table_find(&stripe->table, entry->block.key);
    if (*place == entry) /* one of its callbacks may have forked and forgotten
                            it */
        take_out(stripe, place, TRACKED_DEAD);
    return TRACKED_IS_CALLERS;
}

enum tracked_end tracked_unclaim(struct tracked *entry, bool is_kept,
                                 bool is_major)
{
    struct stripe *stripe = lock_stripe(entry->block.key);
    enum tracked_end end = unclaim(stripe, entry, is_kept, is_major);

    word_lock_give(&stripe->lock);
    return end;
}

bool tracked_drop(struct tracked *lifted)
{
    struct stripe *stripe = lock_stripe(lifted->block.key);
    bool is_callers = lifted->is_claimed == TRACKED_FREE;

    if (!is_callers)
        set_loss(lifted, TRACKED_DEAD);
    word_lock_give(&stripe->lock);
    return is_callers;
}
