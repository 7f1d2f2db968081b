/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_table.c - writing the table; site_table.h has the invariants
 *
 * A dormant key is marked by its top bit, which no code address has, and keeps
 * its slot: a slot is never freed, or a search might end too early.
 */
#include "core/site_table.h"

#include "tally/error.h"
#include "tally/port.h"

enum { FIRST_SLOTS = 4096 };

#define DORMANT ((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 1))

static struct site_slots *slots_alloc(size_t count)
{
    size_t size =
        sizeof(struct site_slots) + count * sizeof(struct site_slot);
    struct site_slots *slots = tally_port_pages_alloc(size);

    if (slots == NULL)
        return NULL;
    slots->mask = count - 1;
    slots->size = size;
    return slots;
}

int site_table_open(struct site_table *table)
{
    struct site_slots *slots = slots_alloc(FIRST_SLOTS);

    if (slots == NULL)
        return TALLY_E_NO_MEMORY;
    table->used = 0;
    table->growing = 0;
    __atomic_store_n(&table->current, slots, __ATOMIC_RELEASE);
    return TALLY_OK;
}

/* The slot that holds `key`, or the empty one where it would go. */
static struct site_slot *probe(struct site_slots *slots, uintptr_t key,
                               uintptr_t hashed)
{
    for (uintptr_t i = hashed;; i++) {
        struct site_slot *slot = &slots->slots[i & slots->mask];
        uintptr_t held = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);

        if (held == key || held == 0)
            return slot;
    }
}

uint32_t site_table_search(const struct site_table *table, uintptr_t key)
{
    struct site_slots *slots =
        __atomic_load_n(&table->current, __ATOMIC_ACQUIRE);
    struct site_slot *slot = probe(slots, key, site_hash(key, slots->mask));

    if (__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) != key)
        return 0;
    return __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);
}

/* Enter into `slots`, hashed by the waking key so that wake finds it. */
static uint32_t enter(struct site_slots *slots, uintptr_t key, uint32_t id,
                      bool *is_new)
{
    uintptr_t hashed = site_hash(key & ~DORMANT, slots->mask);

    for (;;) {
        struct site_slot *slot = probe(slots, key, hashed);
        uintptr_t held = 0;

        if (__atomic_compare_exchange_n(&slot->key, &held, key, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            __atomic_store_n(&slot->id, id, __ATOMIC_RELEASE);
            *is_new = true;
            return id;
        }
        if (held == key) {
            uint32_t earlier = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);

            *is_new = false;
            return earlier != 0 ? earlier : id;
        }
    }
}

static void grow(struct site_table *table)
{
    uint32_t idle = 0;

    if (!__atomic_compare_exchange_n(&table->growing, &idle, 1, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;

    struct site_slots *old = table->current;
    struct site_slots *larger = slots_alloc(2 * (old->mask + 1));
    uint32_t used = 0;
    bool is_new;

    if (larger != NULL) {
        for (uintptr_t i = 0; i <= old->mask; i++) {
            uintptr_t key =
                __atomic_load_n(&old->slots[i].key, __ATOMIC_ACQUIRE);
            uint32_t id = __atomic_load_n(&old->slots[i].id, __ATOMIC_ACQUIRE);

            if (key != 0 && id != 0) {
                enter(larger, key, id, &is_new);
                used++;
            }
        }
        __atomic_store_n(&table->used, used, __ATOMIC_RELAXED);
        __atomic_store_n(&table->current, larger, __ATOMIC_RELEASE);
        /* The old slots stay: somebody may still be searching them. */
    }
    __atomic_store_n(&table->growing, 0, __ATOMIC_RELEASE);
}

static bool is_crowded(const struct site_table *table,
                       const struct site_slots *slots, uint32_t numerator)
{
    uint32_t used = __atomic_load_n(&table->used, __ATOMIC_RELAXED);

    return (uint64_t)used * 8 >= (uint64_t)(slots->mask + 1) * numerator;
}

uint32_t site_table_enter(struct site_table *table, uintptr_t key, uint32_t id)
{
    struct site_slots *slots =
        __atomic_load_n(&table->current, __ATOMIC_ACQUIRE);
    bool is_new = false;

    if (is_crowded(table, slots, 4)) {
        grow(table);
        slots = __atomic_load_n(&table->current, __ATOMIC_ACQUIRE);
        if (is_crowded(table, slots, 6)) /* no memory, or somebody is at it */
            return 0;
    }

    uint32_t found = enter(slots, key, id, &is_new);

    if (is_new)
        __atomic_fetch_add(&table->used, 1, __ATOMIC_RELAXED);
    return found;
}

void site_table_sleep(struct site_table *table, uintptr_t start, uintptr_t end)
{
    struct site_slots *slots =
        __atomic_load_n(&table->current, __ATOMIC_ACQUIRE);

    for (uintptr_t i = 0; i <= slots->mask; i++) {
        uintptr_t key = __atomic_load_n(&slots->slots[i].key, __ATOMIC_ACQUIRE);

        if (key >= start && key < end)
            __atomic_store_n(&slots->slots[i].key, key | DORMANT,
                             __ATOMIC_RELEASE);
    }
}

uint32_t site_table_wake(struct site_table *table, uintptr_t key,
                         bool (*is_wanted)(uint32_t id, void *context),
                         void *context)
{
    struct site_slots *slots =
        __atomic_load_n(&table->current, __ATOMIC_ACQUIRE);

    for (uintptr_t i = site_hash(key, slots->mask);; i++) {
        struct site_slot *slot = &slots->slots[i & slots->mask];
        uintptr_t held = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
        uint32_t id = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);

        if (held == 0)
            return 0;
        if (held == (key | DORMANT) && is_wanted(id, context) &&
            __atomic_compare_exchange_n(&slot->key, &held, key, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return id;
    }
}
