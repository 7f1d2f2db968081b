/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_client.c - draw samples: the client of the countdown
 *
 * This file is long because it has the countdown's client, the scopes in which
 * its blocks wait, and memory that is not a block of malloc's.
 *
 * A block sampled in a marshal scope enters the table at once and waits there
 * until the scope ends: a thread that frees it meanwhile marks it as dead, and
 * one that ends its epoch marks it as ripe. The arguments of its callback are
 * kept in chunks, which the end of the scope frees.
 *
 * A bulk block with sampled objects has an entry without a profile, whose
 * metadata is a list of entries with the keys of its objects.
 */
#include "sampling/memprof/memprof_state.h"

#include <string.h>

static void begin_profile(struct counted_thread *thread,
                          struct memprof *profile)
{
    struct memprof_thread *room = memprof_room(thread);

    room->sampled = countdown_position(thread);
    room->epoch = profile->epoch;
    room->epoch_end = room->sampled + room->custom + room->epoch;
    sampler_seed(&room->sampler, profile->seed,
                 (uint64_t)profile->number << 32 | thread->number);
    sampler_start(&room->sampler, profile->rate);
}

static struct memprof *profile_of(const struct memprof_thread *room)
{
    return __atomic_load_n(&room->domain->profile, __ATOMIC_SEQ_CST);
}

/* P3: if a domain still has it, it stays unchanged. */
static struct memprof *publish_profile(struct memprof_thread *room)
{
    struct memprof *profile;

    do {
        profile = profile_of(room);
        __atomic_store_n(&room->profile, profile, __ATOMIC_SEQ_CST);
    } while (profile_of(room) != profile);
    return profile;
}

static void follow(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof *profile;
    bool is_new;

    memprof_domain_join(room);
    is_new = profile_of(room) != room->profile;
    profile = is_new ? publish_profile(room) : room->profile;
    if (profile != NULL && !memprof_has_stage(profile, MEMPROF_SAMPLING)) {
        profile = NULL;
        __atomic_store_n(&room->profile, NULL, __ATOMIC_RELEASE);
    }
    if (profile != NULL && is_new)
        begin_profile(thread, profile);
    limits_share(thread, profile != NULL ? profile->rate : 0);
}

static bool has_young(const struct memprof_thread *room)
{
    return __atomic_load_n(&room->young_count, __ATOMIC_RELAXED) != 0;
}

/* Sums of custom memory may wrap, but each step is below 2^62. */
static uint64_t until(uint64_t position, uint64_t now)
{
    return (int64_t)(position - now) > 0 ? position - now : 0;
}

static uint64_t distance(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);
    uint64_t now = countdown_position(thread);
    uint64_t nearest = COUNTDOWN_NEVER;

    if (room->marshal_depth != 0)
        return 0;
    if (room->profile != NULL)
        nearest =
            until(room->sampled + room->sampler.next * COUNTDOWN_WORD, now);
    if (has_young(room) && until(room->epoch_end, now + room->custom) < nearest)
        nearest = until(room->epoch_end, now + room->custom);
    return nearest;
}

/* Skip the trials up to `position`, none of which succeeded. */
static void skip_to(struct memprof_thread *room, uint64_t position)
{
    if (position > room->sampled)
        sampler_skip(&room->sampler,
                     (position - room->sampled) / COUNTDOWN_WORD);
    room->sampled = position;
}

/* Make `trials` trials at a position; return the number of successes. */
static uint32_t make_trials(struct counted_thread *thread, uint64_t position,
                            uint64_t trials)
{
    struct memprof_thread *room = memprof_room(thread);
    uint64_t count;

    if (room->profile == NULL ||
        !memprof_has_stage(room->profile, MEMPROF_SAMPLING))
        return 0;
    skip_to(room, position);
    count = sampler_take(&room->sampler, trials);
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

/* Roll over epochs that ended unnoticed, before a block from `begin` to
   `end`. */
static void roll_epoch(struct memprof_thread *room, uint64_t begin,
                       uint64_t end)
{
    if (__atomic_exchange_n(&room->is_advanced, 0, __ATOMIC_RELAXED) != 0)
        room->epoch_end = begin + room->epoch;
    if (!has_young(room) && room->epoch != 0 &&
        until(room->epoch_end, end) == 0)
        room->epoch_end +=
            ((end - room->epoch_end) / room->epoch + 1) * room->epoch;
}

/* Begin the next epoch with the block just allocated, of `amount`. */
static void pass_epoch(struct counted_thread *thread, uint64_t amount)
{
    struct memprof_thread *room = memprof_room(thread);
    uint64_t end = countdown_position(thread) + room->custom;

    roll_epoch(room, end - amount, end);
    if (!has_young(room) || until(room->epoch_end, end) != 0 ||
        limits_are_masked(thread))
        return;
    room->epoch_end = end + room->epoch;
    memprof_end_epoch(thread);
}

/* Return a new, unique key. */
static uint64_t new_token(void)
{
    static uint64_t last;

    return BLOCK_TOKEN | __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

enum { BULKS = 4096, CHUNK = 65536 };

/* A block of the scope; only the last ones are remembered. */
struct memprof_bulk {
    uintptr_t address;
    size_t size;
    struct memprof_waiting *waiting; /* NULL: not sampled */
};

struct memprof_waiting {
    struct memprof_waiting *next;
    struct tracked *entry; /* NULL: it was a bulk block */
    struct memprof_allocation allocation;
    uintptr_t frames[];
};

struct memprof_chunk {
    struct memprof_chunk *next;
    size_t size, used;
};

static struct own_memory own = OWN_MEMORY_OF("memprof_marshal");

static void *take_room(struct memprof_thread *room, size_t size)
{
    struct memprof_chunk *chunk = room->chunks;
    void *taken;

    if (chunk == NULL || chunk->size - chunk->used < size) {
        size_t needed = sizeof *chunk + size;

        needed = needed < CHUNK ? CHUNK : needed;
        chunk = own_memory_alloc(&own, needed);
        if (chunk == NULL)
            return NULL;
        *chunk = (struct memprof_chunk){ room->chunks, needed, sizeof *chunk };
        room->chunks = chunk;
    }
    taken = (char *)chunk + chunk->used;
    chunk->used += size;
    return taken;
}

static void free_chunks(struct memprof_chunk *chunk)
{
    while (chunk != NULL) {
        struct memprof_chunk *next = chunk->next;

        own_memory_free(&own, chunk, chunk->size);
        chunk = next;
    }
}

static struct memprof_bulk *note(struct memprof_thread *room,
                                 const struct memprof_birth *birth)
{
    struct memprof_bulk *bulk;

    if (room->bulks == NULL)
        room->bulks = own_memory_alloc(&own, BULKS * sizeof *room->bulks);
    if (room->bulks == NULL)
        return NULL;
    bulk = &room->bulks[room->bulk_count++ % BULKS];
    *bulk = (struct memprof_bulk){ .address = (uintptr_t)birth->key,
                                   .size = birth->allocation.bytes };
    return bulk;
}

static struct memprof_bulk *find_bulk(const struct memprof_thread *room,
                                      uintptr_t object)
{
    uint32_t count = room->bulk_count < BULKS ? room->bulk_count : BULKS;

    for (uint32_t i = 1; room->bulks != NULL && i <= count; i++) {
        struct memprof_bulk *bulk =
            &room->bulks[(room->bulk_count - i) % BULKS];

        if (object - bulk->address < bulk->size)
            return bulk;
    }
    return NULL;
}

static struct memprof_waiting *keep(struct counted_thread *thread,
                                    struct memprof_birth *birth)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_allocation *allocation = &birth->allocation;
    struct memprof_waiting *waiting;
    size_t frame_bytes;

    memprof_find_call_stack(thread, birth);
    frame_bytes = allocation->callstack_size * sizeof(uintptr_t);
    waiting = take_room(room, sizeof *waiting + frame_bytes);
    if (waiting == NULL)
        return NULL;
    if (frame_bytes != 0)
        memcpy(waiting->frames, allocation->callstack, frame_bytes);
    waiting->next = NULL;
    waiting->allocation = *allocation;
    waiting->allocation.callstack = waiting->frames;
    return waiting;
}

/* Follow a sampled block, whose alloc callback waits for the end of the scope.
   NULL: there is no memory. */
static struct memprof_waiting *await(struct counted_thread *thread,
                                     struct memprof_birth *birth)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_waiting *waiting;
    struct tracked *entry = tracked_make(birth->key), *before;
    struct tracked_name name;

    if (entry == NULL)
        return NULL;
    name = (struct tracked_name){ entry, entry->serial };
    waiting = keep(thread, birth);
    memprof_set_profile(entry, birth->profile);
    entry->metadata = NULL;
    entry->is_claimed = TRACKED_WAITS;
    before = waiting == NULL ? entry : tracked_insert(entry);
    if (before == entry) {
        memprof_release(entry);
        return NULL;
    }
    if (before != NULL)
        memprof_end_life(thread, before);
    if (!memprof_is_major(birth->profile, &birth->allocation))
        memprof_add_young(room, name);
    waiting->entry = entry;
    if (room->waiting == NULL)
        room->waiting = waiting;
    else
        room->waiting_last->next = waiting;
    room->waiting_last = waiting;
    return waiting;
}

/* Record a block allocated in the thread's scope, sampled or not. */
static void marshal_made(struct counted_thread *thread,
                         struct memprof_birth *birth)
{
    struct memprof_bulk *bulk = note(memprof_room(thread), birth);
    struct memprof_waiting *waiting;

    birth->allocation.source = MEMPROF_MARSHAL;
    waiting = birth->allocation.n_samples != 0 ? await(thread, birth) : NULL;
    if (bulk != NULL)
        bulk->waiting = waiting;
}

/* Forget a waiting block without a callback. */
static void forget(struct memprof_waiting *waiting)
{
    if (waiting->entry != NULL &&
        tracked_unclaim(waiting->entry, false, false) == TRACKED_IS_CALLERS)
        memprof_release(waiting->entry);
    waiting->entry = NULL;
}

void memprof_end_scope(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_waiting *waiting = room->waiting;
    struct memprof_chunk *chunks = room->chunks;

    room->waiting = room->waiting_last = NULL;
    room->chunks = NULL;
    room->bulk_count = 0;
    for (; waiting != NULL; waiting = waiting->next) {
        if (waiting->entry != NULL)
            memprof_begin_late(thread, waiting->entry, &waiting->allocation);
    }
    free_chunks(chunks);
}

/* Drop the scope of a thread that ends within it. */
static void drop_scope(struct memprof_thread *room)
{
    for (struct memprof_waiting *waiting = room->waiting; waiting != NULL;
         waiting = waiting->next)
        forget(waiting);
    free_chunks(room->chunks);
    room->waiting = NULL;
    room->chunks = NULL;
    if (room->bulks != NULL)
        own_memory_free(&own, room->bulks, BULKS * sizeof *room->bulks);
    room->bulks = NULL;
}

void memprof_flush_scope(void)
{
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL || memprof_room(thread)->waiting == NULL ||
        limits_are_masked(thread) || !countdown_is_process(thread->process) ||
        !countdown_enter(thread))
        return;
    memprof_end_scope(thread);
    memprof_catch_up(thread);
    countdown_leave(thread);
}

void memprof_local_marshal_begin(void)
{
    struct counted_thread *thread = countdown_thread_make();

    if (thread == NULL)
        return;
    memprof_room(thread)->marshal_depth++;
    if (countdown_enter(thread)) /* so that each block is announced */
        countdown_leave(thread);
}

void memprof_local_marshal_end(void)
{
    struct counted_thread *thread = countdown_thread_if_any();
    struct memprof_thread *room;

    if (thread == NULL || memprof_room(thread)->marshal_depth == 0)
        return;
    room = memprof_room(thread);
    if (--room->marshal_depth != 0 || !countdown_is_process(thread->process) ||
        !countdown_enter(thread))
        return;
    memprof_catch_up(thread);
    countdown_leave(thread);
    memprof_stop_if_idle();
}

/* Link an object to its bulk block, whose end ends its objects. */
static void add_to_bulk(struct counted_thread *thread, uintptr_t address,
                        uint64_t object)
{
    struct tracked *bulk = tracked_take(address, TRACKED_DEAD);
    struct tracked *link = tracked_make(object), *before;

    if (bulk != NULL && bulk->profile != NULL) {
        memprof_end_life(thread, bulk);
        bulk = NULL;
    }
    if (bulk == NULL) {
        bulk = tracked_make(address);
        if (bulk != NULL)
            bulk->metadata = bulk->profile = NULL;
    }
    if (bulk == NULL || link == NULL) /* no memory: they are never freed */
        return;
    link->block.next = bulk->metadata;
    bulk->metadata = link;
    before = tracked_insert(bulk);
    if (before != NULL)
        memprof_end_life(thread, before);
}

static void register_object(struct counted_thread *thread, uintptr_t object,
                            size_t bytes)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_bulk *bulk = find_bulk(room, object);
    bool is_followed;
    struct memprof_birth birth = {
        .key = bulk != NULL ? new_token() : object,
        .profile = room->profile,
        .allocation = { .size = memprof_words(bytes),
                        .bytes = bytes,
                        .source = MEMPROF_MARSHAL },
    };

    if (bulk != NULL && bulk->waiting != NULL) {
        forget(bulk->waiting);
        bulk->waiting = NULL;
    }
    birth.allocation.n_samples =
        make_trials(thread, countdown_position(thread),
                    (uint64_t)birth.allocation.size + 1);
    if (birth.allocation.n_samples == 0 || limits_are_masked(thread))
        return;
    is_followed = room->marshal_depth != 0
                      ? await(thread, &birth) != NULL
                      : memprof_begin_life(thread, &birth) == MEMPROF_FOLLOWED;
    if (is_followed && bulk != NULL)
        add_to_bulk(thread, bulk->address, birth.key);
}

void memprof_local_marshal_object(void *object, size_t bytes)
{
    struct counted_thread *thread = countdown_thread();

    if (thread == NULL || !countdown_enter(thread))
        return;
    register_object(thread, (uintptr_t)object, bytes);
    memprof_catch_up(thread);
    countdown_leave(thread);
}

static struct memprof_announced *
announced_of(const struct counted_block *counted)
{
    return counted->announcement != NULL
               ? countdown_kept(counted, COUNTDOWN_MEMPROF)
               : NULL;
}

static struct memprof_birth birth_of(const struct memprof_thread *room,
                                     const struct counted_block *counted)
{
    return (struct memprof_birth){
        .key = (uintptr_t)counted->block,
        .profile = room->profile,
        .origin = counted->origin,
        .caller = counted->caller,
        .allocation = { .size = memprof_words(counted->size),
                        .bytes = counted->size },
    };
}

/* Draw the block's samples; return true if it is within limits. */
static bool draw(struct counted_thread *thread,
                 const struct counted_block *counted, uint64_t begin,
                 uint32_t *n_samples)
{
    *n_samples =
        make_trials(thread, begin, (uint64_t)memprof_words(counted->size) + 1);
    memprof_room(thread)->sampled = countdown_position(thread);
    if (*n_samples != 0 && !counted->is_suballocated &&
        !limits_sampled(thread, *n_samples))
        return false;
    if (limits_are_masked(thread)) /* no callback, now or later */
        *n_samples = 0;
    return true;
}

/* Sample a block that begins at `begin`, or an announced one. */
static bool sample(struct counted_thread *thread,
                   const struct counted_block *counted, uint64_t begin)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_announced *announced = announced_of(counted);
    struct memprof_birth birth = birth_of(room, counted);

    if (!draw(thread, counted, begin, &birth.allocation.n_samples))
        return false;
    if (announced != NULL) {
        announced->n_samples = birth.allocation.n_samples;
        /* In a marshal scope the callback runs later, and cannot refuse. */
        return room->marshal_depth != 0 || announced->n_samples == 0 ||
               memprof_announce(thread, &birth, announced);
    }
    if (room->marshal_depth != 0)
        marshal_made(thread, &birth);
    else if (birth.allocation.n_samples != 0)
        return memprof_begin_life(thread, &birth) != MEMPROF_REFUSED;
    return true;
}

static bool count_now(struct counted_thread *thread,
                      const struct counted_block *counted)
{
    struct memprof_thread *room = memprof_room(thread);
    uint64_t amount =
        ((uint64_t)memprof_words(counted->size) + 1) * COUNTDOWN_WORD;
    bool may_be;

    memprof_catch_up(thread); /* with a masked section, before the block */
    pass_epoch(thread, amount);
    may_be = room->profile == NULL ||
             sample(thread, counted, countdown_position(thread) - amount);
    memprof_catch_up(thread);
    return may_be;
}

static void finish(struct counted_thread *thread,
                   const struct counted_block *counted)
{
    struct memprof_thread *room = memprof_room(thread);
    const struct memprof_announced *announced = announced_of(counted);
    struct memprof_birth birth = birth_of(room, counted);

    birth.allocation.n_samples = announced->n_samples;
    if (announced->metadata != NULL)
        memprof_begin_announced(thread, birth.key, announced);
    else if (room->marshal_depth != 0 && room->profile != NULL &&
             counted->block != NULL)
        marshal_made(thread, &birth);
    memprof_catch_up(thread);
}

static bool count(struct counted_thread *thread,
                  const struct counted_block *counted)
{
    if (counted->announcement == NULL)
        return count_now(thread, counted);
    finish(thread, counted);
    return true;
}

/* Its words were trials: countdown.h. */
static void fail(struct counted_thread *thread, size_t size)
{
    struct memprof_thread *room = memprof_room(thread);

    skip_to(room, countdown_position(thread));
    sampler_skip(&room->sampler, (uint64_t)memprof_words(size) + 1);
}

static void leave(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);

    drop_scope(room);
    memprof_end_epoch(thread);
    memprof_catch_up(thread);
    memprof_free_young(room);
    memprof_domain_drop(memprof_domain_of(thread));
}

/* Waiting blocks remain the parent's. */
static void inherit(struct counted_thread *thread,
                    const struct counted_thread *parent)
{
    const struct memprof_thread *before =
        (const void *)parent->rooms[COUNTDOWN_MEMPROF];

    memprof_room(thread)->marshal_depth = before->marshal_depth;
}

const struct countdown_client memprof_client = {
    .counts = COUNTDOWN_WORDS,
    .follow = follow,
    .distance = distance,
    .count = count,
    .announce = count_now,
    .fail = fail,
    .leave = leave,
    .inherit = inherit,
    .take = memprof_take_block,
    .retire = memprof_retire_taken,
    .put_back = memprof_put_back_taken,
};

static bool had_maps; /* some file map was sampled at some time */

/* Record memory without a header. */
static enum memprof_outcome begin_bare_life(uint64_t key, size_t bytes,
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
    enum memprof_outcome born = MEMPROF_IGNORED;
    uint64_t amount = bytes < COUNTDOWN_NEVER
                          ? (uint64_t)birth.allocation.size * COUNTDOWN_WORD
                          : COUNTDOWN_NEVER;

    if (thread == NULL || !countdown_enter(thread))
        return MEMPROF_IGNORED;
    if (source == MEMPROF_CUSTOM) {
        memprof_room(thread)->custom += amount;
        pass_epoch(thread, amount);
    }
    birth.profile = memprof_room(thread)->profile;
    birth.allocation.n_samples =
        make_trials(thread, countdown_position(thread), birth.allocation.size);
    if (source == MEMPROF_CUSTOM)
        limits_charge(thread, bytes, birth.allocation.n_samples);
    if (birth.allocation.n_samples != 0 && !limits_are_masked(thread))
        born = memprof_begin_life(thread, &birth);
    memprof_catch_up(thread);
    countdown_leave(thread);
    return born;
}

uint64_t memprof_local_custom_alloc(size_t bytes)
{
    uint64_t token;

    if (!countdown_is_on())
        return 0;
    token = new_token();
    return begin_bare_life(token, bytes, MEMPROF_CUSTOM, NULL) ==
                   MEMPROF_FOLLOWED
               ? token
               : 0;
}

static struct tracked *take(uint64_t key, enum tracked_loss loss)
{
    struct counted_thread *thread = countdown_thread_make();
    struct tracked *entry;

    if (thread != NULL && !countdown_begin_take(thread))
        return NULL;
    entry = tracked_take(key, loss);
    if (thread != NULL)
        countdown_end_take(thread);
    return entry;
}

static void end(uint64_t key)
{
    struct tracked *entry = take(key, TRACKED_DEAD);

    if (entry != NULL)
        memprof_retire_here(entry);
}

void memprof_local_custom_free(uint64_t token)
{
    if ((token & BLOCK_TOKEN) != 0 && countdown_is_on())
        end(token);
}

bool memprof_mapped(void *map, size_t bytes, const void *origin)
{
    enum memprof_outcome born =
        begin_bare_life((uintptr_t)map, bytes, MEMPROF_MAP_FILE, origin);

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
        struct tracked *next = list->block.next;

        memprof_retire_here(list);
        list = next;
    }
}

/* Look up each page or walk the whole table, whichever is less work. */
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
    return block_filter_may_have(map) ? take((uintptr_t)map, TRACKED_LIFTED)
                                      : NULL;
}

/* Copy an entry to another key. NULL: it was claimed, or there is no memory. */
static struct tracked *copy_to(uint64_t key, const struct tracked *entry)
{
    struct tracked *copy =
        tracked_was_claimed(entry) ? NULL : tracked_make(key);

    if (copy == NULL)
        return NULL;
    copy->metadata = entry->metadata;
    memprof_set_profile(copy, entry->profile);
    copy->is_major = entry->is_major;
    return copy;
}

void memprof_put_back_map(struct tracked *lifted, void *map)
{
    struct tracked *moved = lifted;

    if (lifted->block.key != (uintptr_t)map)
        moved = copy_to((uintptr_t)map, lifted);
    if (moved == NULL)
        memprof_retire_taken(countdown_thread_if_any(), lifted, false);
    else
        memprof_put_back(moved);
    if (moved != NULL && moved != lifted)
        memprof_release(lifted);
}

bool memprof_has_maps(void)
{
    return __atomic_load_n(&had_maps, __ATOMIC_RELAXED) && countdown_is_on();
}
