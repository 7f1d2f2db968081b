/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tracked_blocks.c - chains of entries, in stripes; see tracked_blocks.h
 *
 * This file is long because it is one table: what it holds, and who may run the
 * callbacks of an entry. Entries stay with their stripe for ever, so its lock
 * guards their fields, too, wherever they are.
 */
#include "sampling/countdown/tracked_blocks.h"

#include <stddef.h>
#include <string.h>

#include "core/base/own_memory.h"
#include "core/base/word_lock.h"
#include "format/invariant.h"
#include "sampling/countdown/block_filter.h"

enum {
    STRIPES_LOG2 = 4,
    STRIPES = 1 << STRIPES_LOG2,
    FIRST_HEADS = 512,
    CHUNK = 16384, /* bytes of entries taken at once */
};

struct stripe {
    uint32_t lock;
    uint32_t heads_mask; /* a power of two less 1 */
    uint64_t count;
    struct tracked **heads;
    struct tracked *unused;
    char padding[32]; /* a cache line for each */
};

static struct stripe stripes[STRIPES];

static struct stripe *stripe_of(uint64_t key)
{
    return &stripes[block_hash(key) & (STRIPES - 1)];
}

static struct tracked **head_of(const struct stripe *stripe, uint64_t key)
{
    return &stripe->heads[block_hash(key) >> STRIPES_LOG2 & stripe->heads_mask];
}

/* Where the entry hangs, or the end of its chain. */
static struct tracked **find(const struct stripe *stripe, uint64_t key)
{
    struct tracked **place = head_of(stripe, key);

    while (*place != NULL && (*place)->key != key)
        place = &(*place)->next;
    return place;
}

/* Others may ask without the lock what has happened to what they have
   lifted. */
static void set_loss(struct tracked *entry, enum tracked_loss loss)
{
    __atomic_store_n(&entry->is_dead, (uint8_t)loss, __ATOMIC_RELAXED);
}

static struct own_memory own = OWN_MEMORY_OF("tracked_blocks");

static void make_unused(struct stripe *stripe)
{
    struct tracked *chunk = own_memory_alloc(&own, CHUNK);

    if (chunk == NULL)
        return;
    for (size_t i = 0; i < CHUNK / sizeof *chunk; i++) {
        chunk[i].next = stripe->unused;
        stripe->unused = &chunk[i];
    }
}

struct tracked *tracked_make(uint64_t key)
{
    struct stripe *stripe = stripe_of(key);
    struct tracked *entry;

    word_lock_take(&stripe->lock);
    if (stripe->unused == NULL)
        make_unused(stripe);
    entry = stripe->unused;
    if (entry != NULL) {
        stripe->unused = entry->next;
        __atomic_store_n(&entry->key, key, __ATOMIC_RELAXED);
        entry->is_major = entry->is_inside = 0;
        entry->is_claimed = TRACKED_FREE;
        entry->is_dead = TRACKED_LIVES;
    }
    word_lock_give(&stripe->lock);
    return entry;
}

static void move_to(struct stripe *stripe, struct tracked **heads,
                    uint32_t heads_mask)
{
    struct stripe larger = { .heads = heads, .heads_mask = heads_mask };

    for (size_t i = 0; stripe->heads != NULL && i <= stripe->heads_mask; i++) {
        struct tracked *entry = stripe->heads[i], *next;

        for (; entry != NULL; entry = next) {
            struct tracked **head = head_of(&larger, entry->key);

            next = entry->next;
            entry->next = *head;
            *head = entry;
        }
    }
}

/* As many heads as entries; where there is no memory chains get longer. */
static bool make_room(struct stripe *stripe)
{
    uint32_t count =
        stripe->heads == NULL ? FIRST_HEADS : 2 * (stripe->heads_mask + 1);
    struct tracked **heads;

    if (stripe->heads != NULL && stripe->count <= stripe->heads_mask)
        return true;
    heads = own_memory_alloc(&own, count * sizeof(struct tracked *));
    if (heads == NULL)
        return stripe->heads != NULL;
    move_to(stripe, heads, count - 1);
    if (stripe->heads != NULL)
        own_memory_free(&own, stripe->heads,
                        (stripe->heads_mask + 1) * sizeof(struct tracked *));
    stripe->heads = heads;
    stripe->heads_mask = count - 1;
    return true;
}

/* With the lock held; others read it without. */
static void change_count(struct stripe *stripe, uint64_t count)
{
    __atomic_store_n(&stripe->count, count, __ATOMIC_RELAXED);
}

/* The filter is asked for addresses only, never for tokens. */
static bool is_filtered(uint64_t key)
{
    return (key & TRACKED_TOKEN) == 0;
}

/* Take out what hangs there. NULL: it is claimed, and has this loss. */
static struct tracked *take_out(struct stripe *stripe, struct tracked **place,
                                enum tracked_loss loss)
{
    struct tracked *entry = *place;

    *place = entry->next;
    entry->is_inside = 0;
    if (entry->profile != NULL)
        change_count(stripe, stripe->count - 1);
    if (is_filtered(entry->key))
        block_filter_drop(entry->key);
    if (entry->is_claimed == TRACKED_FREE)
        return entry;
    set_loss(entry, loss);
    return NULL;
}

static struct tracked *take(uint64_t key, enum tracked_loss loss)
{
    struct stripe *stripe = stripe_of(key);
    struct tracked *entry = NULL, *taken = NULL;

    word_lock_take(&stripe->lock);
    if (stripe->heads != NULL) {
        struct tracked **place = find(stripe, key);

        entry = *place;
        if (entry != NULL)
            taken = take_out(stripe, place, loss);
    }
    word_lock_give(&stripe->lock);
    return loss == TRACKED_LIFTED ? entry : taken;
}

struct tracked *tracked_take(uint64_t key)
{
    return take(key, TRACKED_DEAD);
}

struct tracked *tracked_lift(uint64_t key)
{
    return take(key, TRACKED_LIFTED);
}

struct tracked *tracked_insert(struct tracked *entry)
{
    struct stripe *stripe = stripe_of(entry->key);
    struct tracked *before = NULL;
    struct tracked **place;

    word_lock_take(&stripe->lock);
    if (entry->is_dead == TRACKED_OVER || !make_room(stripe)) {
        word_lock_give(&stripe->lock);
        return entry;
    }
    INVARIANT(T1, entry->is_inside == 0);
    place = find(stripe, entry->key);
    if (*place != NULL)
        before = take_out(stripe, place, TRACKED_DEAD);
    place = head_of(stripe, entry->key);
    entry->next = *place;
    entry->is_inside = 1;
    set_loss(entry, TRACKED_LIVES);
    *place = entry;
    if (entry->profile != NULL)
        change_count(stripe, stripe->count + 1);
    if (is_filtered(entry->key))
        block_filter_add(entry->key);
    word_lock_give(&stripe->lock);
    return before;
}

void tracked_release(struct tracked *entry)
{
    struct stripe *stripe = stripe_of(entry->key);

    word_lock_take(&stripe->lock);
    INVARIANT(T3, entry->is_inside == 0);
    entry->serial++;
    entry->next = stripe->unused;
    stripe->unused = entry;
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
    for (size_t i = 0; stripe->heads != NULL && i <= stripe->heads_mask; i++) {
        struct tracked **place = &stripe->heads[i];

        while (*place != NULL) {
            struct tracked *taken;

            if (!is_wanted(*place, what)) {
                place = &(*place)->next;
                continue;
            }
            taken = take_out(stripe, place, TRACKED_DEAD);
            if (taken == NULL)
                continue;
            taken->next = list;
            list = taken;
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

    return entry->key >= range->start && entry->key < range->end &&
           entry->key % range->unit == 0;
}

struct tracked *tracked_take_all(uint64_t start, uint64_t end, uint64_t unit)
{
    return take_all(is_in, &(struct range){ start, end, unit });
}

static bool is_of(const struct tracked *entry, const void *profile)
{
    return entry->profile == profile && entry->is_claimed == TRACKED_FREE;
}

void tracked_release_all(const struct memprof *profile)
{
    struct tracked *list = take_all(is_of, profile);

    while (list != NULL) {
        struct tracked *next = list->next;

        tracked_release(list);
        list = next;
    }
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
    return __atomic_load_n(&entry->key, __ATOMIC_RELAXED);
}

static bool is_minor(struct tracked_name name)
{
    const struct tracked *entry = name.entry;

    return entry->serial == name.serial && entry->is_major == 0 &&
           (entry->is_inside != 0 || entry->is_dead == TRACKED_LIFTED);
}

bool tracked_is_minor(struct tracked_name name)
{
    struct stripe *stripe = stripe_of(key_of(name.entry));
    bool is_so;

    word_lock_take(&stripe->lock);
    is_so = is_minor(name);
    word_lock_give(&stripe->lock);
    return is_so;
}

bool tracked_claim(struct tracked_name name)
{
    struct tracked *entry = name.entry;
    struct stripe *stripe = stripe_of(key_of(entry));
    bool is_claimed;

    /* Entries stay with their stripe, so that this is the right lock. */
    word_lock_take(&stripe->lock);
    is_claimed = is_minor(name) && entry->is_claimed == TRACKED_FREE;
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
    take_out(stripe, find(stripe, entry->key), TRACKED_DEAD);
    return TRACKED_IS_CALLERS;
}

enum tracked_end tracked_unclaim(struct tracked *entry, bool is_kept,
                                 bool is_major)
{
    struct stripe *stripe = stripe_of(entry->key);
    enum tracked_end end;

    word_lock_take(&stripe->lock);
    end = unclaim(stripe, entry, is_kept, is_major);
    word_lock_give(&stripe->lock);
    return end;
}

bool tracked_drop(struct tracked *lifted)
{
    struct stripe *stripe = stripe_of(lifted->key);
    bool is_callers;

    word_lock_take(&stripe->lock);
    is_callers = lifted->is_claimed == TRACKED_FREE;
    if (!is_callers)
        set_loss(lifted, TRACKED_DEAD);
    word_lock_give(&stripe->lock);
    return is_callers;
}
