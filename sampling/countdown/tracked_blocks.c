/* SPDX-License-Identifier: Apache-2.0 */
/* tracked_blocks.c - chains of entries, in stripes; see tracked_blocks.h */
#include "sampling/countdown/tracked_blocks.h"

#include <stddef.h>
#include <string.h>

#include "core/base/own_memory.h"
#include "core/base/word_lock.h"
#include "sampling/countdown/block_filter.h"
#include "sampling/countdown/tracked_stripes.h"

enum {
    FIRST_HEADS = 512,
    CHUNK = 16384, /* bytes of entries taken at once */
};

struct tracked_stripe tracked_stripes[TRACKED_STRIPES];

static struct own_memory own = {
    .tag = { .file = __FILE__,
             .function = "tracked_blocks",
             .modname = "tally",
             .lineno = __LINE__,
             .flags = ALLOC_TAG_OWN },
};

static void make_unused(struct tracked_stripe *stripe)
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
    struct tracked_stripe *stripe = tracked_stripe_of(key);
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

static void move_to(struct tracked_stripe *stripe, struct tracked **heads,
                    uint32_t heads_mask)
{
    struct tracked_stripe larger = { .heads = heads, .heads_mask = heads_mask };

    for (size_t i = 0; stripe->heads != NULL && i <= stripe->heads_mask; i++) {
        struct tracked *entry = stripe->heads[i], *next;

        for (; entry != NULL; entry = next) {
            struct tracked **head = tracked_head_of(&larger, entry->key);

            next = entry->next;
            entry->next = *head;
            *head = entry;
        }
    }
}

/* As many heads as entries; where there is no memory chains get longer. */
static bool make_room(struct tracked_stripe *stripe)
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
static void change_count(struct tracked_stripe *stripe, uint64_t count)
{
    __atomic_store_n(&stripe->count, count, __ATOMIC_RELAXED);
}

/* The filter is asked for addresses only, never for tokens. */
static bool is_filtered(uint64_t key)
{
    return (key & TRACKED_TOKEN) == 0;
}

struct tracked *tracked_take_out(struct tracked_stripe *stripe,
                                 struct tracked **place, enum tracked_loss loss)
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
    tracked_set_loss(entry, loss);
    return NULL;
}

static struct tracked *take(uint64_t key, enum tracked_loss loss)
{
    struct tracked_stripe *stripe = tracked_stripe_of(key);
    struct tracked *entry = NULL, *taken = NULL;

    word_lock_take(&stripe->lock);
    if (stripe->heads != NULL) {
        struct tracked **place = tracked_find(stripe, key);

        entry = *place;
        if (entry != NULL)
            taken = tracked_take_out(stripe, place, loss);
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
    struct tracked_stripe *stripe = tracked_stripe_of(entry->key);
    struct tracked *before = NULL;
    struct tracked **place;

    word_lock_take(&stripe->lock);
    if (entry->is_dead == TRACKED_OVER || !make_room(stripe)) {
        word_lock_give(&stripe->lock);
        return entry;
    }
    place = tracked_find(stripe, entry->key);
    if (*place != NULL)
        before = tracked_take_out(stripe, place, TRACKED_DEAD);
    place = tracked_head_of(stripe, entry->key);
    entry->next = *place;
    entry->is_inside = 1;
    tracked_set_loss(entry, TRACKED_LIVES);
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
    struct tracked_stripe *stripe = tracked_stripe_of(entry->key);

    word_lock_take(&stripe->lock);
    entry->serial++;
    entry->next = stripe->unused;
    stripe->unused = entry;
    word_lock_give(&stripe->lock);
}

uint64_t tracked_count(void)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < TRACKED_STRIPES; i++)
        count += __atomic_load_n(&tracked_stripes[i].count, __ATOMIC_RELAXED);
    return count;
}

static struct tracked *
take_from(struct tracked_stripe *stripe, struct tracked *list,
          bool (*is_wanted)(const struct tracked *, const void *),
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
            taken = tracked_take_out(stripe, place, TRACKED_DEAD);
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

    for (unsigned i = 0; i < TRACKED_STRIPES; i++) {
        word_lock_take(&tracked_stripes[i].lock);
        list = take_from(&tracked_stripes[i], list, is_wanted, what);
        word_lock_give(&tracked_stripes[i].lock);
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

    for (unsigned i = 0; i < TRACKED_STRIPES; i++) {
        word_lock_take(&tracked_stripes[i].lock);
        count += tracked_stripes[i].count;
        word_lock_give(&tracked_stripes[i].lock);
    }
    return count == 0;
}

void tracked_forget(void)
{
    memset(tracked_stripes, 0, sizeof tracked_stripes);
}
