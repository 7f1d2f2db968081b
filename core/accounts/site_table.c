/* SPDX-License-Identifier: Apache-2.0 */
/*
 * site_table.c - update the site table; site_table.h has the invariants
 *
 * A dormant key is marked by its top bit, which no code address has, and keeps
 * its slot. Slots are never freed, or a search might end too early.
 */
#include "core/accounts/site_table.h"

#include "core/base/own_memory.h"
#include "tally/error.h"

/* added to `entering` for each entry, besides 1 while it is made */
#define ENTRY ((uintptr_t)1 << sizeof(uintptr_t) * 4)

#define DORMANT ((uintptr_t)1 << (sizeof(uintptr_t) * 8 - 1))

enum {
    EMPTIES = TALLY_HAS(OS), /* on firmware, discarded pages would still use
                                  memory */
    LEAVING_LOADS = 10000,   /* some microseconds: a few entries */
};

/* State of the table: slots and the mask that belongs to them. */
struct view {
    struct site_slot *slots;
    uintptr_t mask;
};

static struct view look(const struct site_table *table)
{
    struct view view;

    view.mask = __atomic_load_n(&table->mask, __ATOMIC_ACQUIRE);
    view.slots = __atomic_load_n(&table->slots, __ATOMIC_ACQUIRE);
    return view;
}

static struct site_slot *slots_alloc(uintptr_t count)
{
    static struct own_memory own = OWN_MEMORY;

    return own_memory_alloc(&own, count * sizeof(struct site_slot));
}

int site_table_open(struct site_table *table, uintptr_t count)
{
    struct site_slot *slots = slots_alloc(count);

    if (slots == NULL)
        return TALLY_E_NO_MEMORY;
    table->used = 0;
    table->growing = 0;
    table->entering = 0;
    table->has_slept = 0;
    __atomic_store_n(&table->slots, slots, __ATOMIC_RELEASE);
    __atomic_store_n(&table->mask, count - 1, __ATOMIC_RELEASE);
    return TALLY_OK;
}

/* Find the slot that holds `wanted`, or the empty slot, from the hash of `key`
   on. Several dormant places may share a key; 0: find the empty slot only. */
static struct site_slot *probe(struct view view, uintptr_t key,
                               uintptr_t wanted)
{
    for (uintptr_t i = key & ~DORMANT;; i++) {
        struct site_slot *slot = &view.slots[i & view.mask];
        uintptr_t held = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);

        if (held == wanted || held == 0)
            return slot;
    }
}

uint32_t site_table_search(const struct site_table *table, uintptr_t key)
{
    struct site_slot *slot;

    if (__atomic_load_n(&table->mask, __ATOMIC_ACQUIRE) == 0)
        return 0;
    slot = probe(look(table), key, key);
    if (__atomic_load_n(&slot->key, __ATOMIC_ACQUIRE) != key)
        return 0;
    return __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);
}

/*
 * Store a key and its id. A thread that finds a slot without an id stores its
 * own: the thread that took the slot may not exist any more, in a forked child.
 */
static uint32_t enter(struct view view, uintptr_t key, uint32_t id,
                      bool *is_new)
{
    for (;;) {
        struct site_slot *slot = probe(view, key, key);
        uintptr_t held = 0;
        uint32_t none = 0;

        *is_new = __atomic_compare_exchange_n(
            &slot->key, &held, key, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        if (!*is_new && held != key)
            continue;
        if (__atomic_compare_exchange_n(&slot->id, &none, id, false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            none = id;
        INVARIANT(I1, *is_new == (held == 0));
        INVARIANT(I2, none != 0);
        return none;
    }
}

/* Copy into slots that are not published yet. */
static void copy_slots(struct site_table *table, struct view from,
                       struct view to)
{
    uint32_t used = 0;

    for (uintptr_t i = 0; i <= from.mask; i++) {
        uintptr_t key = __atomic_load_n(&from.slots[i].key, __ATOMIC_ACQUIRE);
        uint32_t id = __atomic_load_n(&from.slots[i].id, __ATOMIC_ACQUIRE);

        if (key != 0 && id != 0) {
            *probe(to, key, 0) = (struct site_slot){ key, id };
            used++;
        }
    }
    __atomic_store_n(&table->used, used, __ATOMIC_RELAXED);
}

static bool is_held(struct view view, uintptr_t key)
{
    return __atomic_load_n(&probe(view, key, key)->key, __ATOMIC_ACQUIRE) != 0;
}

/* Copy entries made meanwhile. Threads that enter from now on see the new slots
   and write there, too; entries by others are found here. */
static void copy_late_slots(struct site_table *table, struct view from,
                            struct view to)
{
    for (uintptr_t i = 0; i <= from.mask; i++) {
        uintptr_t key = __atomic_load_n(&from.slots[i].key, __ATOMIC_SEQ_CST);
        uint32_t id = __atomic_load_n(&from.slots[i].id, __ATOMIC_SEQ_CST);
        bool is_new = false;

        if (key == 0 || id == 0 || (key & DORMANT) != 0 || is_held(to, key) ||
            is_held(to, key | DORMANT))
            continue;
        enter(to, key, id, &is_new);
        __atomic_fetch_add(&table->used, is_new, __ATOMIC_RELAXED);
    }
}

/*
 * Return true if all threads that may see the old slots have left
 * site_table_enter(). Emptying the slots while a thread is between its key and
 * its id would give the id to another key. A thread that is suspended there
 * only delays the release of the old slots.
 */
static bool is_left(const struct site_table *table)
{
    for (int i = 0; i < LEAVING_LOADS; i++) {
        if (__atomic_load_n(&table->entering, __ATOMIC_SEQ_CST) % ENTRY == 0)
            return true;
    }
    return false;
}

/* Grow the table; return false if there is no memory. */
static bool grow(struct site_table *table)
{
    struct view old = look(table), larger;
    uintptr_t before = __atomic_load_n(&table->entering, __ATOMIC_SEQ_CST);

    larger.mask = 2 * old.mask + 1;
    larger.slots = slots_alloc(larger.mask + 1);
    if (larger.slots == NULL)
        return false;
    copy_slots(table, old, larger);
    __atomic_store_n(&table->slots, larger.slots, __ATOMIC_SEQ_CST);
    __atomic_store_n(&table->mask, larger.mask, __ATOMIC_RELEASE);
    if (!EMPTIES || before % ENTRY != 0 ||
        __atomic_load_n(&table->entering, __ATOMIC_SEQ_CST) != before)
        copy_late_slots(table, old, larger);
    INVARIANT(I4, look(table).slots == larger.slots);
    /* A thread may still search them, and finds them empty: I4. */
    if (EMPTIES && is_left(table))
        tally_port_pages_forget(old.slots, (old.mask + 1) * sizeof *old.slots);
    return true;
}

/* Return true if more than `eighths` of the slots are taken. */
static bool is_crowded(const struct site_table *table, uint32_t eighths)
{
    uint32_t used = __atomic_load_n(&table->used, __ATOMIC_RELAXED);

    uintptr_t mask = __atomic_load_n(&table->mask, __ATOMIC_ACQUIRE);

    return (uint64_t)used * 8 >= (uint64_t)(mask + 1) * eighths;
}

void site_table_adopt(struct site_table *table)
{
    table->growing = 0;
    table->entering = 0;
}

/*
 * Grow until half of the slots are free, since others fill slots meanwhile.
 * Return false if there is no memory; true if done, or another thread is
 * growing it.
 */
static __attribute__((noinline)) bool make_room(struct site_table *table)
{
    bool is_made = true;

    while (is_made && is_crowded(table, 4)) {
        if (__atomic_exchange_n(&table->growing, 1, __ATOMIC_ACQ_REL) != 0)
            return true;
        is_made = !is_crowded(table, 4) || grow(table);
        __atomic_store_n(&table->growing, 0, __ATOMIC_RELEASE);
    }
    return is_made;
}

bool site_table_takes_more(struct site_table *table)
{
    return !is_crowded(table, 4) || make_room(table) || !is_crowded(table, 7);
}

uint32_t site_table_enter(struct site_table *table, uintptr_t key, uint32_t id)
{
    struct view view;
    bool is_new;

    if (is_crowded(table, 4)) {
        make_room(table);
        if (is_crowded(table, 7))
            return 0;
    }
    if (EMPTIES) {
        __atomic_fetch_add(&table->entering, ENTRY + 1, __ATOMIC_SEQ_CST);
        __atomic_thread_fence(__ATOMIC_SEQ_CST); /* before look() */
    }
    do {
        view = look(table);
        id = enter(view, key, id, &is_new);
    } while (view.slots != __atomic_load_n(&table->slots, __ATOMIC_SEQ_CST));
    if (EMPTIES)
        __atomic_fetch_sub(&table->entering, 1, __ATOMIC_RELEASE);
    if (is_new)
        __atomic_fetch_add(&table->used, 1, __ATOMIC_RELAXED);
    INVARIANT(I3, !is_crowded(table, 8));
    return id;
}

void site_table_sleep(struct site_table *table, uintptr_t start, uintptr_t end)
{
    struct view view = look(table);

    if (view.slots == NULL ||
        __atomic_load_n(&table->used, __ATOMIC_RELAXED) == 0)
        return;
    /* A call that does not see this yet came before the unloading. */
    __atomic_store_n(&table->has_slept, 1, __ATOMIC_RELAXED);
    for (uintptr_t i = 0; i <= view.mask; i++) {
        uintptr_t key = __atomic_load_n(&view.slots[i].key, __ATOMIC_ACQUIRE);

        if (key != 0 && key >= start && key < end)
            __atomic_store_n(&view.slots[i].key, key | DORMANT,
                             __ATOMIC_RELEASE);
    }
}

uint32_t site_table_wake(struct site_table *table, uintptr_t key,
                         bool (*is_wanted)(uint32_t id, void *context),
                         void *context)
{
    struct view view = look(table);

    if (__atomic_load_n(&table->has_slept, __ATOMIC_RELAXED) == 0)
        return 0;
    for (uintptr_t i = key;; i++) {
        struct site_slot *slot = &view.slots[i & view.mask];
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
