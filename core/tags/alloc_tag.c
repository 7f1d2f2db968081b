/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tag.c - the tag in force, the accounts of tags, and which tags there
 * are
 *
 * Two threads may open a tag at once; the account of the one that comes second
 * stays empty, and no lock is needed.
 */
#include "core/tags/alloc_tag.h"

#include <stdbool.h>
#include <string.h>

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "core/base/console_line.h"
#include "core/base/own_memory.h"
#include "core/tags/kept_tags.h"
#include "format/invariant.h"
#include "tally/hook.h"
#include "tally/port.h"

TALLY_THREAD_LOCAL struct alloc_tag *tally_current_tag TALLY_TLS_MODEL;
TALLY_THREAD_LOCAL struct alloc_tag *tally_pending_tag TALLY_TLS_MODEL;

void alloc_tag_lose(struct alloc_tag *tag)
{
    __atomic_fetch_or(&tag->flags, ALLOC_TAG_INACCURATE, __ATOMIC_RELAXED);
}

static bool is_program(const struct tally_tag_object *object)
{
    return !__STDC_HOSTED__ || object->module[0] == '\0';
}

/* Enter the tag into its object's list, if it is not there yet. */
static void enter_used(struct tally_used_tag *used)
{
    struct tally_tag_object *object = used->object;
    uint32_t key = tally_port_lock();

    if ((used->tag.flags & ALLOC_TAG_LISTED) == 0) {
        if (!is_program(object)) {
            used->tag.modname = object->module;
            kept_tags_wake_one(object, &used->tag);
        }
        used->next = NULL;
        if (object->first_used == NULL)
            object->first_used = used;
        else
            object->last_used->next = used;
        object->last_used = used;
        __atomic_fetch_or(&used->tag.flags, ALLOC_TAG_LISTED, __ATOMIC_RELEASE);
    }
    tally_port_unlock(key);
}

uint32_t alloc_tag_open(struct alloc_tag *tag)
{
    struct tally_place place = {
        .file = tag->file,
        .function = tag->function,
        .module = tag->modname,
        .line = tag->lineno,
    };
    uint32_t none = 0;
    uint32_t site;

    if ((tag->flags & ALLOC_TAG_AT_USE) != 0) {
        enter_used((struct tally_used_tag *)(void *)tag);
        place.module = tag->modname;
        site = __atomic_load_n(&tag->site, __ATOMIC_ACQUIRE);
        if (site != 0) {
            engine_move_site(site, (uintptr_t)tag);
            return site;
        }
    }
    /* Firmware's engine needs no names, and is spared putting them together. */
    site =
        tally_site_open_place((uintptr_t)tag, __STDC_HOSTED__ ? &place : NULL);
    if (site == 0) {
        alloc_tag_lose(tag);
        if (engine_is_exhausted())
            mem_profiling_end();
        return 0;
    }
    return __atomic_compare_exchange_n(&tag->site, &none, site, false,
                                       __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
               ? site
               : none;
}

tally_reference charge_tag(struct alloc_tag *tag, size_t size)
{
    uint32_t site = mem_profiling_is_on() ? alloc_tag_site(tag) : 0;

    if (site == 0)
        return 0;
    mem_profiling_expect_frees();
    return tally_hook_alloc(site, size);
}

static struct alloc_tag_counters read_own(const struct alloc_tag *tag)
{
    const struct own_memory *own = (const void *)tag;

    size_t bytes = __atomic_load_n(&own->live_bytes, __ATOMIC_RELAXED);

    return (struct alloc_tag_counters){
        .bytes = bytes,
        .peak_seen = bytes,
        .calls = __atomic_load_n(&own->live_calls, __ATOMIC_RELAXED),
        .total_bytes = __atomic_load_n(&own->total_bytes, __ATOMIC_RELAXED),
        .total_calls = __atomic_load_n(&own->total_calls, __ATOMIC_RELAXED),
    };
}

struct alloc_tag_counters alloc_tag_read(const struct alloc_tag *tag)
{
    uint32_t site = __atomic_load_n(&tag->site, __ATOMIC_ACQUIRE);
    struct tally_site_account account;

    if ((tag->flags & ALLOC_TAG_OWN) != 0)
        return read_own(tag);
    if (site == 0)
        return (struct alloc_tag_counters){ 0 };
    account = tally_site_read(site);
    return (struct alloc_tag_counters){
        .bytes = account.live_bytes,
        .calls = account.live_blocks,
        .total_bytes = account.total_bytes,
        .total_calls = account.total_blocks,
        .peak_seen = account.peak_seen,
        .unseen_frees = account.unseen_frees,
    };
}

void tally_debug_untagged(struct tally_debug_place *place)
{
    struct console_line line;

    if (tally_current_tag != NULL || !mem_profiling_is_on() ||
        __atomic_exchange_n(&place->is_said, 1, __ATOMIC_RELAXED) != 0)
        return;
    line = console_line(place->file);
    console_line_add(&line, ":");
    console_line_add_number(&line, place->line);
    console_line_add(&line, ": ");
    console_line_add(&line, place->function);
    console_line_add(&line, "() allocates with no tag in force; this is not "
                            "accounted until alloc_hooks() is around it");
    console_line_say(&line);
}

enum phase { PHASE_OBJECTS, PHASE_KEPT, PHASE_OWN };

#if __STDC_HOSTED__
static struct tally_tag_object *objects;
#else
/* Firmware has no loader: the program's tags are all there are. */
extern struct alloc_tag __start_alloc_tags[] __attribute__((weak));
extern struct alloc_tag __stop_alloc_tags[] __attribute__((weak));

struct tally_tag_object tally_tag_object = {
    .start = __start_alloc_tags,
    .stop = __stop_alloc_tags,
    .is_entered = 1,
};
static struct tally_tag_object *objects = &tally_tag_object;
#endif

static uint32_t generation = 1;
static uint32_t last_sequence;

/* The program first, whenever it comes. */
static void link_object(struct tally_tag_object *object)
{
    struct tally_tag_object **link = &objects;

    if (is_program(object)) {
        object->sequence = 0;
    } else {
        object->sequence = ++last_sequence;
        while (*link != NULL)
            link = &(*link)->next;
    }
    object->next = *link;
    *link = object;
    generation++;
    INVARIANT(I1,
              is_program(object) ? objects == object : object->next == NULL);
}

static void unlink_object(struct tally_tag_object *object)
{
    struct tally_tag_object **link = &objects;

    while (*link != object)
        link = &(*link)->next;
    *link = object->next;
    generation++;
}

/* False: there is no room for more. */
static bool open_tags(const struct tally_tag_object *object)
{
    for (struct alloc_tag *tag = object->start; tag < object->stop; tag++) {
        if (alloc_tag_site(tag) == 0)
            return false;
    }
    return true;
}

/* The accounts are open: mem_profiling_at_opening(). */
static void open_all_tags(void)
{
    const struct tally_tag_object *object = objects;

    if (!engine_wants_all_tags())
        return;
    while (object != NULL && open_tags(object))
        object = object->next;
}

void tally_tags_enter(struct tally_tag_object *object, struct alloc_tag *start,
                      struct alloc_tag *stop)
{
    uint32_t key = tally_port_lock();

    if (!object->is_entered) {
        object->is_entered = 1;
        object->start = start;
        object->stop = stop;
        if (tally_port_module_name(object, object->module,
                                   sizeof object->module)) {
            for (struct alloc_tag *tag = start; tag < stop; tag++)
                tag->modname = object->module;
            kept_tags_wake(object);
        }
        link_object(object);
        mem_profiling_at_opening(MEM_PROFILING_TAGS, open_all_tags);
    }
    tally_port_unlock(key);
    /* Without the lock: it takes the loader's, whose holder may wait for it. */
    for (struct alloc_tag *tag = start; tag < stop; tag++) {
        if (tag->site != 0)
            engine_move_site(tag->site, (uintptr_t)tag);
    }
    if (mem_profiling_is_open() && engine_wants_all_tags())
        open_tags(object);
}

/* What the program has stays: others may still print it at its end. */
void tally_tags_leave(struct tally_tag_object *object)
{
    uint32_t key = tally_port_lock();

    if (object->is_entered && !is_program(object)) {
        object->is_entered = 0;
        unlink_object(object);
        kept_tags_sleep(object);
    }
    tally_port_unlock(key);
    if (!is_program(object))
        engine_leave(object);
}

static void next_phase(struct tag_cursor *cursor)
{
    *cursor = (struct tag_cursor){ .phase = cursor->phase + 1 };
}

static struct tally_used_tag *used_at(const struct tally_tag_object *object,
                                      uint32_t index)
{
    struct tally_used_tag *used = object->first_used;

    while (index-- > 0)
        used = used->next;
    return used;
}

/* The object the cursor stands in; another one if that has gone. */
static const struct tally_tag_object *find_object(struct tag_cursor *cursor)
{
    const struct tally_tag_object *object = objects;
    uint32_t count;

    if (cursor->generation == generation)
        return cursor->place;
    while (object != NULL && object->sequence < cursor->sequence)
        object = object->next;
    if (object != NULL && object->sequence != cursor->sequence)
        cursor->index = 0;
    cursor->generation = generation;
    cursor->place = object;
    cursor->used = NULL;
    if (object == NULL)
        return NULL;
    cursor->sequence = object->sequence;
    count = (uint32_t)(object->stop - object->start);
    if (cursor->index > count)
        cursor->used = used_at(object, cursor->index - count - 1);
    return object;
}

static struct alloc_tag *next_in_objects(struct tag_cursor *cursor)
{
    const struct tally_tag_object *object;

    while ((object = find_object(cursor)) != NULL) {
        struct tally_used_tag *used =
            cursor->used == NULL ? object->first_used : cursor->used->next;

        if (cursor->index < (uint32_t)(object->stop - object->start))
            return &object->start[cursor->index++];
        if (used != NULL) {
            cursor->index++;
            cursor->used = used;
            return &used->tag;
        }
        cursor->place = object->next;
        cursor->sequence = object->sequence + 1;
        cursor->index = 0;
        cursor->used = NULL;
        if (object->next != NULL)
            cursor->sequence = object->next->sequence;
    }
    return NULL;
}

/* The next one that still holds something. */
static struct alloc_tag *next_kept(struct tag_cursor *cursor)
{
    struct alloc_tag *tag;
    struct alloc_tag_counters counters;

    do {
        tag = kept_tags_next(&cursor->sequence, &cursor->index);
        if (tag != NULL)
            counters = alloc_tag_read(tag);
    } while (tag != NULL && counters.calls == 0 && counters.bytes == 0);
    return tag;
}

static struct alloc_tag *next_own(struct tag_cursor *cursor)
{
    const struct own_memory *last = cursor->place;
    struct own_memory *own = last == NULL ? own_memory_first() : last->next;

    cursor->place = own;
    return own == NULL ? NULL : &own->tag;
}

struct alloc_tag *tag_cursor_next(struct tag_cursor *cursor)
{
    struct alloc_tag *tag = NULL;

    while (tag == NULL && cursor->phase <= PHASE_OWN) {
        if (cursor->phase == PHASE_OBJECTS)
            tag = next_in_objects(cursor);
        else if (cursor->phase == PHASE_KEPT)
            tag = next_kept(cursor);
        else
            tag = next_own(cursor);
        if (tag == NULL)
            next_phase(cursor);
    }
    return tag;
}

int alloc_tag_for_each(int (*visit)(struct alloc_tag *tag, void *context),
                       void *context)
{
    struct tag_cursor cursor = { 0 };
    struct alloc_tag *tag;
    uint32_t key = tally_port_lock();
    int result = 0;

    while (result == 0 && (tag = tag_cursor_next(&cursor)) != NULL)
        result = visit(tag, context);
    tally_port_unlock(key);
    return result;
}
