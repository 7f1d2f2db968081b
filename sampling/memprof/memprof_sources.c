/* SPDX-License-Identifier: Apache-2.0 */
/* memprof_sources.c - memory that is no block of malloc's */
#include "sampling/memprof/memprof_sources.h"

#include "sampling/countdown/block_filter.h"
#include "sampling/limits/limits.h"
#include "sampling/memprof/memprof_state.h"

static bool had_maps; /* some file was sampled at some time */

uint64_t memprof_new_token(void)
{
    static uint64_t last;

    return TRACKED_TOKEN | __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

/* Memory without a header. */
static enum memprof_born bear_bare(uint64_t key, size_t bytes,
                                   enum memprof_source source,
                                   const void *origin)
{
    struct counted_thread *thread = countdown_thread();
    struct memprof_birth birth = {
        .key = key,
        .origin = origin,
        .allocation = { .size = memprof_words(bytes),
                        .bytes = bytes,
                        .source = source },
    };
    enum memprof_born born = MEMPROF_IGNORED;

    if (thread == NULL || !countdown_enter(thread))
        return MEMPROF_IGNORED;
    if (source == MEMPROF_CUSTOM)
        memprof_charge_epoch(thread, bytes);
    birth.profile = memprof_room(thread)->profile;
    birth.allocation.n_samples =
        memprof_try(thread, countdown_position(thread), birth.allocation.size);
    if (source == MEMPROF_CUSTOM)
        limits_charge(thread, bytes, birth.allocation.n_samples);
    if (birth.allocation.n_samples != 0)
        born = memprof_bear(thread, &birth);
    memprof_catch_up(thread);
    countdown_leave(thread);
    return born;
}

uint64_t memprof_own_custom_alloc(size_t bytes)
{
    uint64_t token;

    if (!countdown_is_on())
        return 0;
    token = memprof_new_token();
    return bear_bare(token, bytes, MEMPROF_CUSTOM, NULL) == MEMPROF_FOLLOWED
               ? token
               : 0;
}

/* By tracked_take() or tracked_lift(). */
static struct tracked *take(uint64_t key, struct tracked *(*out)(uint64_t))
{
    struct counted_thread *thread = countdown_thread_make();
    struct tracked *entry;

    if (thread != NULL && !countdown_begin_take(thread))
        return NULL;
    entry = out(key);
    if (thread != NULL)
        countdown_end_take(thread);
    return entry;
}

static void end(uint64_t key)
{
    struct tracked *entry = take(key, tracked_take);

    if (entry != NULL)
        memprof_retire_here(entry);
}

void memprof_own_custom_free(uint64_t token)
{
    if ((token & TRACKED_TOKEN) != 0 && countdown_is_on())
        end(token);
}

bool memprof_mapped(void *map, size_t bytes, const void *origin)
{
    enum memprof_born born =
        bear_bare((uintptr_t)map, bytes, MEMPROF_MAP_FILE, origin);

    if (born == MEMPROF_FOLLOWED)
        __atomic_store_n(&had_maps, true, __ATOMIC_RELAXED);
    return born != MEMPROF_REFUSED;
}

static void end_all(uint64_t from, uint64_t to, size_t page)
{
    struct counted_thread *thread = countdown_thread_make();
    struct tracked *list;

    if (thread != NULL && !countdown_begin_take(thread))
        return;
    list = tracked_take_all(from, to, page);
    if (thread != NULL)
        countdown_end_take(thread);
    while (list != NULL) {
        struct tracked *next = list->next;

        memprof_retire_here(list);
        list = next;
    }
}

/* Look up each page, or walk the whole table: whichever is less work. */
void memprof_unmapped(void *at, size_t bytes, size_t page)
{
    uint64_t from = (uintptr_t)at, to = from + bytes;

    if (bytes / page > page && bytes / page > tracked_count()) {
        end_all(from, to, page);
        return;
    }
    for (; from < to; from += page) {
        if (block_filter_may_have((void *)(uintptr_t)from))
            end(from);
    }
}

struct tracked *memprof_lift_map(void *map)
{
    return block_filter_may_have(map) ? take((uintptr_t)map, tracked_lift)
                                      : NULL;
}

/* An entry keeps its key. NULL: it was claimed, or there is no memory. */
static struct tracked *copy_to(uint64_t key, const struct tracked *entry)
{
    struct tracked *copy =
        tracked_was_claimed(entry) ? NULL : tracked_make(key);

    if (copy == NULL)
        return NULL;
    copy->metadata = entry->metadata;
    copy->profile = entry->profile;
    copy->is_major = entry->is_major;
    return copy;
}

void memprof_put_down_map(struct tracked *lifted, void *map)
{
    struct tracked *moved = lifted;

    if (lifted->key != (uintptr_t)map)
        moved = copy_to((uintptr_t)map, lifted);
    if (moved == NULL)
        memprof_retire_taken(countdown_thread_if_any(), lifted);
    else
        memprof_put_back(moved);
    if (moved != NULL && moved != lifted)
        tracked_release(lifted);
}

bool memprof_has_maps(void)
{
    return __atomic_load_n(&had_maps, __ATOMIC_RELAXED) && countdown_is_on();
}
