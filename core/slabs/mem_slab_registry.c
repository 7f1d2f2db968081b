/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_slab_registry.c - the list of all slabs and their figures in the ledger
 *
 * Figures are written without a lock, so a thread must detect that it overwrote
 * newer figures with old ones: after a fence it reads the source again, and
 * repeats until the source has not changed. A thread that changes the source
 * later writes later.
 */
#include "core/slabs/mem_slab_list.h"

#include <stddef.h>

#include "core/accounts/regions.h"
#include "format/invariant.h"

STATIC_ASSERT(sizeof(struct k_mem_slab) <= PLACE_SPAN);
STATIC_ASSERT(offsetof(struct tally_slab_state, place) == 0);

static struct place_list slabs;
static struct tally_slab_state *spare; /* states of slabs that were forgotten */

#define READ_REGION(counts) __atomic_load_n(&(counts)->region, __ATOMIC_RELAXED)

#define READ(field)          __atomic_load_n(&counts->field, __ATOMIC_RELAXED)
#define WRITE(field, value)  words_store_figure(&counts->region->field, value)
#define SETTLE(field, value) words_settle_figure(&counts->region->field, value)

static void publish_used(const struct tally_slab_state *state)
{
    const struct tally_slab_counts *counts = &state->counts;
    uint64_t size = state->block_size;
    uint64_t list;
    uint32_t frees, peak;

    do {
        list = slab_list_load(counts);
        frees = slab_frees(counts);
        peak = READ(peak);
        WRITE(peak, size * peak);
        SETTLE(used,
               size * slab_used_of(TALLY_SLAB_USED_UNIT(state->num_blocks),
                                   list, frees));
    } while (slab_list_load(counts) != list || slab_frees(counts) != frees ||
             READ(peak) != peak);
}

static void publish_events(const struct tally_slab_counts *counts)
{
    uint32_t refused, timed_out, waiting, faults;
    uint64_t longest;

    do {
        refused = READ(refused);
        timed_out = READ(timed_out);
        waiting = READ(waiting);
        faults = READ(faults[0]) + READ(faults[1]) + READ(faults[2]);
        longest = words_load_figure(&counts->longest_wait_ns);
        WRITE(refused, refused);
        WRITE(timed_out, timed_out);
        WRITE(waiting, waiting);
        WRITE(faults, faults);
        SETTLE(longest_wait_ns, longest);
    } while (READ(refused) != refused || READ(timed_out) != timed_out ||
             READ(waiting) != waiting ||
             READ(faults[0]) + READ(faults[1]) + READ(faults[2]) != faults ||
             words_load_figure(&counts->longest_wait_ns) != longest);
}

/* Return true if there is a record of this process's; create it at the first
   use. */
static bool has_record(struct tally_slab_state *state)
{
#if TALLY_HAS(OS)
    if (READ_REGION(&state->counts) == &regions_undecided) {
        uint32_t key;

        regions_open();
        key = tally_port_lock();
        slab_region_enter(state);
        tally_port_unlock(key);
    }
#endif
    return slab_has_region(&state->counts) && engine_has_ledger();
}

void slab_publish_blocks(struct tally_slab_state *state)
{
    if (has_record(state))
        publish_used(state);
}

void slab_publish_events(struct tally_slab_state *state)
{
    if (!has_record(state))
        return;
    publish_used(state);
    publish_events(&state->counts);
}

#if TALLY_HAS(OS)
void slab_region_enter(struct tally_slab_state *state)
{
    struct ledger_region *region = READ_REGION(&state->counts);
    bool is_open = regions_are_open();

    if (region == NULL || region == &regions_undecided)
        region = mem_profiling_is_decided() ? NULL : &regions_undecided;
    if (!is_open) {
        __atomic_store_n(&state->counts.region, region, __ATOMIC_RELAXED);
        return;
    }
    region = engine_write_region(region, LEDGER_REGION_SLAB,
                                 (uintptr_t)state->place.object, state->name);
    if (region == NULL)
        return;
    region->size = (uint64_t)state->num_blocks * state->block_size;
    region->block_size = state->block_size;
    __atomic_store_n(&state->counts.region, region, __ATOMIC_SEQ_CST);
    slab_publish_events(state);
}
#else
void slab_region_enter(struct tally_slab_state *state)
{
    (void)state;
}
#endif

/* Remove a state from the list, and keep it for another slab if its memory
   stays. */
static void drop(struct tally_slab_state *state)
{
    place_leave(&slabs, &state->place);
    if (state->counts.region != NULL && engine_has_ledger())
        state->counts.region->is_gone = 1;
    state->place.object = NULL;
    state->name = NULL;
    if (state->is_defined)
        return;
    state->place.next = spare != NULL ? &spare->place : NULL;
    spare = state;
}

static struct tally_slab_state *find(const struct k_mem_slab *slab)
{
    return (struct tally_slab_state *)(void *)place_find(&slabs, slab);
}

/* Enter existing slabs once the accounts are open:
   mem_profiling_at_opening(). */
static void enter_all_regions(void)
{
    for (struct tally_listed *place = slabs.first; place != NULL;
         place = place->next)
        slab_region_enter((struct tally_slab_state *)(void *)place);
}

static void enter(struct tally_slab_item *start, struct tally_slab_item *stop)
{
    for (struct tally_slab_item *item = start; item < stop; item++) {
        if (item->state->place.link != NULL)
            continue; /* another source of this object has entered it */
        if (item->slab != NULL && find(item->slab) != NULL)
            continue; /* an earlier constructor has initialised it again */
        place_enter(&slabs, &item->state->place, item->slab);
        mem_profiling_at_opening(MEM_PROFILING_SLABS, enter_all_regions);
        slab_region_enter(item->state);
    }
}

#if TALLY_HAS(OS)
#define enter_program() ((void)0)
#else
/* Firmware runs no constructors: the program's slabs are entered on demand. */
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

/* Remove the object's own slabs; forget those initialised there. A slab that
   another object defines under the same name is that object's. */
void tally_slabs_leave(struct tally_slab_item *start,
                       struct tally_slab_item *stop)
{
    struct tally_slab_state *state;
    uint32_t key;

    if (!regions_are_unloaded(start))
        return;
    key = tally_port_lock();

    for (struct tally_slab_item *item = start; item < stop; item++) {
        if (place_leave(&slabs, &item->state->place))
            regions_leave(item->state->counts.region);
        state = item->slab == NULL ? NULL : find(item->slab);
        if (state != NULL && !state->is_defined) {
            tally_mem_slab_forget(item->slab);
            regions_leave(state->counts.region);
        }
    }
    tally_port_unlock(key);
}

/* Return the slab's state, a forgotten one at this address, or a new one. */
static struct tally_slab_state *find_or_make(struct k_mem_slab *slab)
{
    struct tally_slab_state *state = find(slab);
    struct tally_listed *gone;

    if (state != NULL)
        return state;
    while ((gone = place_overlapping(&slabs, slab, sizeof *slab)) != NULL)
        drop((struct tally_slab_state *)(void *)gone);
    state = spare;
    if (state != NULL)
        spare = (struct tally_slab_state *)(void *)state->place.next;
    else
        state = registry_memory_take(sizeof *state);
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
            if (state->place.link == NULL)
                drop(state);
            return NULL;
        }
        state->owners = owners;
        state->capacity = blocks;
    }
    if (state->place.link == NULL) {
        place_enter(&slabs, &state->place, slab);
        mem_profiling_at_opening(MEM_PROFILING_SLABS, enter_all_regions);
        state->waiters = NULL;
    }
    return state;
}

const struct tally_slab_state *slab_registry_first(void)
{
    enter_program();
    return (struct tally_slab_state *)(void *)slabs.first;
}

struct k_mem_slab *tally_mem_slab_next(const struct k_mem_slab *slab)
{
    uint32_t key = tally_port_lock();
    struct tally_listed *place;

    enter_program();
    place = slabs.first;
    if (slab != NULL) {
        place = place_find(&slabs, slab);
        if (place != NULL)
            place = place->next;
    }
    while (place != NULL && place->object == NULL)
        place = place->next;
    tally_port_unlock(key);
    return place == NULL ? NULL : place->object;
}

void tally_mem_slab_forget(struct k_mem_slab *slab)
{
    uint32_t key = tally_port_lock();
    struct tally_slab_state *state = find(slab);

    if (state != NULL) {
        drop(state);
        slab->self = NULL;
    }
    tally_port_unlock(key);
}

void tally_mem_slab_name_set(struct k_mem_slab *slab, const char *name)
{
    uint32_t key;

    if (slab == NULL || slab->self != slab)
        return;
    (void)mem_profiling_decide();
    key = tally_port_lock();
    __atomic_store_n(&slab->state->name, name, __ATOMIC_RELEASE);
    slab_region_enter(slab->state);
    tally_port_unlock(key);
}
