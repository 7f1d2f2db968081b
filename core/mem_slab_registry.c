/* SPDX-License-Identifier: Apache-2.0 */
/* mem_slab_registry.c - the list of all slabs; see mem_slab_registry.h */
#include "core/mem_slab_registry.h"

#include <stdbool.h>
#include <stddef.h>

#include "core/engine.h"
#include "core/regions.h"
#include "core/registry_memory.h"
#include "tally/port.h"

static struct tally_slab_state *first;
static struct tally_slab_state *spare; /* of slabs that were forgotten */

static void append(struct tally_slab_state *state)
{
    struct tally_slab_state **link = &first;

    while (*link != NULL)
        link = &(*link)->next;
    state->next = NULL;
    *link = state;
}

static bool unlink_state(struct tally_slab_state *state)
{
    struct tally_slab_state **link = &first;

    while (*link != NULL && *link != state)
        link = &(*link)->next;
    if (*link == NULL)
        return false;
    *link = state->next;
    return true;
}

static void leave_ledger(const struct tally_slab_state *state)
{
    if (state->counts.region != NULL && engine_has_ledger())
        state->counts.region->is_gone = 1;
}

/* For the next slab, if it will be there. */
static void keep(struct tally_slab_state *state)
{
    leave_ledger(state);
    state->slab = NULL;
    state->name = NULL;
    if (state->is_defined)
        return;
    state->next = spare;
    spare = state;
}

static struct tally_slab_state *find(const struct k_mem_slab *slab)
{
    struct tally_slab_state *state = first;

    while (state != NULL && state->slab != slab)
        state = state->next;
    return state;
}

static bool is_listed(const struct tally_slab_state *state)
{
    const struct tally_slab_state *other = first;

    while (other != NULL && other != state)
        other = other->next;
    return other != NULL;
}

static void enter(struct tally_slab_item *start, struct tally_slab_item *stop)
{
    for (struct tally_slab_item *item = start; item < stop; item++) {
        if (is_listed(item->state))
            continue; /* another source of this object has told of it */
        if (item->slab != NULL && find(item->slab) != NULL)
            continue; /* a constructor came before and initialised it anew */
        item->state->slab = item->slab;
        append(item->state);
        slab_region_enter(item->state);
    }
}

#if __STDC_HOSTED__
static void enter_program(void)
{
}
#else
/* Nobody calls constructors: the program's slabs are entered when asked for. */
extern struct tally_slab_item __start_tally_slabs[] __attribute__((weak));
extern struct tally_slab_item __stop_tally_slabs[] __attribute__((weak));

static void enter_program(void)
{
    static bool is_entered;

    if (!is_entered) {
        is_entered = true;
        enter(__start_tally_slabs, __stop_tally_slabs);
    }
}
#endif

void tally_slabs_enter(struct tally_slab_item *start,
                       struct tally_slab_item *stop)
{
    uint32_t key = tally_port_lock();

    enter(start, stop);
    tally_port_unlock(key);
}

/*
 * Those of the object's own; one that was initialised there is forgotten. What
 * another object defines under the same name is that object's.
 */
void tally_slabs_leave(struct tally_slab_item *start,
                       struct tally_slab_item *stop)
{
    struct tally_slab_state *state;
    uint32_t key;

    if (!regions_are_unloaded(start))
        return;
    key = tally_port_lock();

    for (struct tally_slab_item *item = start; item < stop; item++) {
        if (unlink_state(item->state))
            regions_leave(item->state->counts.region);
        state = item->slab == NULL ? NULL : find(item->slab);
        if (state != NULL && !state->is_defined) {
            tally_mem_slab_forget(item->slab);
            regions_leave(state->counts.region);
        }
    }
    tally_port_unlock(key);
}

static bool overlap(const struct k_mem_slab *a, const struct k_mem_slab *b)
{
    uintptr_t distance = (uintptr_t)a - (uintptr_t)b;

    return b != NULL && distance + sizeof *a - 1 < 2 * sizeof *a - 1;
}

void slab_regions_enter(void)
{
    for (struct tally_slab_state *state = first; state != NULL;
         state = state->next)
        slab_region_enter(state);
}

/* One that a slab gone from this place had, else a forgotten one, else new. */
static struct tally_slab_state *find_or_make(struct k_mem_slab *slab)
{
    struct tally_slab_state *state = find(slab);

    for (state = state == NULL ? first : state; state != NULL;
         state = state->next) {
        if (overlap(slab, state->slab))
            return state;
    }
    state = spare;
    if (state != NULL)
        spare = state->next;
    else
        state = registry_memory_take(sizeof *state);
    if (state != NULL)
        append(state);
    return state;
}

struct tally_slab_state *slab_registry_open(struct k_mem_slab *slab,
                                            uint32_t blocks)
{
    struct tally_slab_state *state;
    uint32_t *owners = NULL;
    size_t size;

    enter_program();
    state = find_or_make(slab);
    if (state == NULL)
        return NULL;
    if (state->capacity < blocks) {
        if (!__builtin_mul_overflow((size_t)blocks, sizeof *owners, &size))
            owners = registry_memory_take(size);
        if (owners == NULL) {
            if (state->slab != slab) {
                unlink_state(state);
                keep(state);
            }
            return NULL;
        }
        state->owners = owners;
        state->capacity = blocks;
    }
    if (state->slab != slab) {
        state->slab = slab;
        state->name = NULL;
        state->waiters = NULL;
    }
    return state;
}

const struct tally_slab_state *slab_registry_first(void)
{
    enter_program();
    return first;
}

struct k_mem_slab *tally_mem_slab_next(const struct k_mem_slab *slab)
{
    uint32_t key = tally_port_lock();
    struct tally_slab_state *state;

    enter_program();
    state = first;
    if (slab != NULL) {
        state = find(slab);
        if (state != NULL)
            state = state->next;
    }
    while (state != NULL && state->slab == NULL)
        state = state->next;
    tally_port_unlock(key);
    return state == NULL ? NULL : state->slab;
}

void tally_mem_slab_forget(struct k_mem_slab *slab)
{
    uint32_t key = tally_port_lock();
    struct tally_slab_state *state = find(slab);

    if (state != NULL) {
        unlink_state(state);
        keep(state);
        slab->self = NULL;
    }
    tally_port_unlock(key);
}
