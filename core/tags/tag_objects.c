/* SPDX-License-Identifier: Apache-2.0 */
/* tag_objects.c - which tags there are; tag_objects.h has the invariants */
#include "core/tags/tag_objects.h"

#include <stdbool.h>
#include <string.h>

#include "core/accounts/engine.h"
#include "core/accounts/mem_profiling.h"
#include "core/base/own_memory.h"
#include "core/tags/alloc_tag.h"
#include "core/tags/kept_tags.h"
#include "tally/port.h"

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

static bool is_program(const struct tally_tag_object *object)
{
    return !__STDC_HOSTED__ || object->module[0] == '\0';
}

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

void tag_objects_open_all(void)
{
    uint32_t key = tally_port_lock();

    for (const struct tally_tag_object *object = objects;
         object != NULL && open_tags(object); object = object->next)
        ;
    tally_port_unlock(key);
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
    }
    tally_port_unlock(key);
    /* Without the lock: it takes the loader's, whose holder may wait for it. */
    for (struct alloc_tag *tag = start; tag < stop; tag++) {
        if (tag->site != 0)
            engine_move_site(tag->site, (uintptr_t)tag);
    }
    if (mem_profiling_is_settled() && engine_wants_all_tags())
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

void tag_objects_use(struct tally_used_tag *used)
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
            tag = kept_tags_next(&cursor->sequence, &cursor->index);
        else
            tag = next_own(cursor);
        if (tag == NULL)
            next_phase(cursor);
    }
    return tag;
}
