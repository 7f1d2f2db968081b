/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memprof_marshal.c - scopes of deserialisers, and objects in bulk blocks
 *
 * A block that was sampled in a scope is in the table at once, and waits there
 * until the scope ends: a thread that frees it meanwhile marks it dead, and one
 * that ends its epoch marks it ripe. The callback's arguments are kept in
 * chunks, which the scope's end gives back.
 *
 * A bulk block whose objects were sampled has an entry without a profile, whose
 * metadata is a list of entries with the keys of its objects.
 */
#include <string.h>

#include "core/base/own_memory.h"
#include "sampling/memprof/memprof_sources.h"
#include "sampling/memprof/memprof_state.h"

enum { BULKS = 4096, CHUNK = 65536 };

/* A block of the scope; the last ones are remembered. */
struct memprof_bulk {
    uintptr_t address;
    size_t size;
    struct memprof_waiting *waiting; /* NULL: it is not sampled */
};

struct memprof_waiting {
    struct memprof_waiting *next;
    struct tracked *entry; /* NULL: it turned out to be a bulk block */
    struct memprof_allocation allocation;
    uintptr_t frames[];
};

struct memprof_chunk {
    struct memprof_chunk *next;
    size_t size, used;
};

static struct own_memory own = {
    .tag = { .file = __FILE__,
             .function = "memprof_marshal",
             .modname = "tally",
             .lineno = __LINE__,
             .flags = ALLOC_TAG_OWN },
};

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

static void append(struct memprof_thread *room, struct memprof_waiting *waiting)
{
    if (room->waiting == NULL)
        room->waiting = waiting;
    else
        room->waiting_last->next = waiting;
    room->waiting_last = waiting;
}

enum memprof_born memprof_marshal_made(struct counted_thread *thread,
                                       struct memprof_birth *birth)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_bulk *bulk = note(room, birth);
    struct memprof_waiting *waiting;
    struct tracked *entry, *before;
    struct tracked_name name;

    birth->allocation.source = MEMPROF_MARSHAL;
    if (birth->allocation.n_samples == 0)
        return MEMPROF_IGNORED;
    entry = tracked_make(birth->key);
    if (entry == NULL)
        return MEMPROF_IGNORED;
    name = (struct tracked_name){ entry, entry->serial };
    waiting = keep(thread, birth);
    entry->profile = birth->profile;
    entry->metadata = NULL;
    entry->is_claimed = TRACKED_WAITS;
    before = waiting == NULL ? entry : tracked_insert(entry);
    if (before == entry) {
        tracked_release(entry);
        return MEMPROF_IGNORED;
    }
    if (before != NULL)
        memprof_end_life(thread, before);
    if (!memprof_is_major(birth->profile, &birth->allocation))
        memprof_is_young(room, name);
    waiting->entry = entry;
    append(room, waiting);
    if (bulk != NULL)
        bulk->waiting = waiting;
    return MEMPROF_FOLLOWED;
}

/* No callback runs for it. */
static void forget(struct memprof_waiting *waiting)
{
    if (waiting->entry != NULL &&
        tracked_unclaim(waiting->entry, false, false) == TRACKED_IS_CALLERS)
        tracked_release(waiting->entry);
    waiting->entry = NULL;
}

static void run(struct counted_thread *thread)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_waiting *waiting = room->waiting;
    struct memprof_chunk *chunks = room->chunks;

    room->waiting = room->waiting_last = NULL;
    room->chunks = NULL;
    room->bulk_count = 0;
    for (; waiting != NULL; waiting = waiting->next) {
        if (waiting->entry != NULL)
            memprof_bear_late(thread, waiting->entry, &waiting->allocation);
    }
    free_chunks(chunks);
    memprof_catch_up(thread);
}

void memprof_marshal_drop(struct memprof_thread *room)
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

void memprof_marshal_flush(void)
{
    struct counted_thread *thread = countdown_thread_if_any();

    if (thread == NULL || memprof_room(thread)->waiting == NULL ||
        !countdown_is_process(thread->process) || !countdown_enter(thread))
        return;
    run(thread);
    countdown_leave(thread);
}

void memprof_own_marshal_begin(void)
{
    struct counted_thread *thread = countdown_thread_make();

    if (thread == NULL)
        return;
    memprof_room(thread)->marshal_depth++;
    if (countdown_enter(thread)) /* to be asked for each block */
        countdown_leave(thread);
}

void memprof_own_marshal_end(void)
{
    struct counted_thread *thread = countdown_thread_if_any();
    struct memprof_thread *room;

    if (thread == NULL || memprof_room(thread)->marshal_depth == 0)
        return;
    room = memprof_room(thread);
    if (--room->marshal_depth != 0 || !countdown_is_process(thread->process) ||
        !countdown_enter(thread))
        return;
    run(thread);
    countdown_leave(thread);
    memprof_turn_if_over();
}

/* The bulk block's entry, which ends the lives of its objects. */
static void add_to_bulk(struct counted_thread *thread, uintptr_t address,
                        uint64_t object)
{
    struct tracked *bulk = tracked_take(address);
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
    if (bulk == NULL || link == NULL) /* they live for ever */
        return;
    link->next = bulk->metadata;
    bulk->metadata = link;
    before = tracked_insert(bulk);
    if (before != NULL)
        memprof_end_life(thread, before);
}

void memprof_marshal_end_bulk(struct counted_thread *thread,
                              struct tracked *bulk)
{
    struct tracked *link = bulk->metadata;

    tracked_release(bulk);
    while (link != NULL) {
        struct tracked *next = link->next;
        struct tracked *object = tracked_take(link->key);

        if (object != NULL)
            memprof_end_life(thread, object);
        tracked_release(link);
        link = next;
    }
}

static void register_object(struct counted_thread *thread, uintptr_t object,
                            size_t bytes)
{
    struct memprof_thread *room = memprof_room(thread);
    struct memprof_bulk *bulk = find_bulk(room, object);
    struct memprof_birth birth = {
        .key = bulk != NULL ? memprof_new_token() : object,
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
        memprof_try(thread, countdown_position(thread),
                    (uint64_t)birth.allocation.size + 1);
    if (birth.allocation.n_samples != 0 &&
        memprof_bear(thread, &birth) == MEMPROF_FOLLOWED && bulk != NULL)
        add_to_bulk(thread, bulk->address, birth.key);
}

void memprof_own_marshal_object(void *object, size_t bytes)
{
    struct counted_thread *thread = countdown_thread();

    if (thread == NULL || !countdown_enter(thread))
        return;
    register_object(thread, (uintptr_t)object, bytes);
    memprof_catch_up(thread);
    countdown_leave(thread);
}
