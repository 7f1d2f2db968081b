/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tag.c - tags, their accounts, and tags of unloaded objects
 *
 * This file is long because a walk over all tags visits tags of loaded and of
 * unloaded objects.
 *
 * Two threads may open a tag at the same time without a lock; the second
 * account stays empty.
 */
#include "core/tags/alloc_tag.h"

#include <string.h>

#include "core/accounts/regions.h"
#include "core/base/console_line.h"
#include "core/base/own_memory.h"
#include "format/invariant.h"
#include "format/text_after.h"
#include "tally/port.h"
#include "tally/thread.h"

#if TALLY_HAS(THREADS) && !TALLY_HAS(OS)
struct alloc_tag **tally_tag_slot(void)
{
    return &tally_port_thread()->tag;
}
#else
TALLY_THREAD_LOCAL struct alloc_tag *tally_current_tag TALLY_TLS_MODEL;
#endif
TALLY_THREAD_LOCAL struct alloc_tag *tally_pending_tag TALLY_TLS_MODEL;

void alloc_tag_lose(struct alloc_tag *tag)
{
    __atomic_fetch_or(&tag->flags, ALLOC_TAG_INACCURATE, __ATOMIC_RELAXED);
}

/* Copies of a shared object's tags. They are never freed: a walk may be among
   them, and a program may have saved one. */
struct tally_kept_tags {
    struct tally_kept_tags *next;
    struct kept_tag *first, **last; /* tags of the range, and tags entered at
                                       use */
    uint32_t range_count;
    uint32_t is_awake; /* its object is loaded */
    char module[sizeof((struct tally_tag_object *)0)->module];
};

struct kept_tag {
    struct alloc_tag tag; /* first: cursors point here */
    struct kept_tag *next;
    struct tally_kept_tags *owner;
    struct alloc_tag *live; /* its original; NULL: not loaded or not used */
    char names[];
};

static struct tally_kept_tags *kept_first;
static bool is_at_end; /* the program ends, and then shared objects */

static uint32_t range_count(const struct tally_tag_object *object)
{
    return (uint32_t)(object->stop - object->start);
}

static bool is_same_place(const struct alloc_tag *a, const struct alloc_tag *b)
{
    return a->lineno == b->lineno && is_same_text(a->file, b->file) &&
           is_same_text(a->function, b->function);
}

static void take_over(struct alloc_tag *tag, const struct alloc_tag *from)
{
    if (from->site == 0)
        return;
    tag->word = from->word;
    tag->flags |= from->flags & ALLOC_TAG_INACCURATE;
    __atomic_store_n(&tag->site, from->site, __ATOMIC_RELEASE);
}

static bool is_kept_of(const struct tally_kept_tags *kept,
                       const struct tally_tag_object *object)
{
    const struct kept_tag *each = kept->first;

    if (kept->is_awake || kept->range_count != range_count(object) ||
        !is_same_text(kept->module, object->module))
        return false;
    for (uint32_t i = 0; i < kept->range_count; i++, each = each->next) {
        if (!is_same_place(&each->tag, &object->start[i]))
            return false;
    }
    return true;
}

/* Continue the accounts of an object that was loaded before. */
static void wake(struct tally_tag_object *object)
{
    struct tally_kept_tags *kept = kept_first;
    struct kept_tag *each;

    while (kept != NULL && !is_kept_of(kept, object))
        kept = kept->next;
    object->kept = kept;
    if (kept == NULL)
        return;
    kept->is_awake = 1;
    each = kept->first;
    for (uint32_t i = 0; i < kept->range_count; i++, each = each->next) {
        each->live = &object->start[i];
        take_over(each->live, &each->tag);
    }
}

/* Return the copy of `live`. With NULL, return the first copy for `tag` whose
   original is not loaded. */
static struct kept_tag *find_kept(const struct tally_kept_tags *kept,
                                  const struct alloc_tag *live,
                                  const struct alloc_tag *tag)
{
    struct kept_tag *each = kept == NULL ? NULL : kept->first;

    while (each != NULL && (each->live != live ||
                            (live == NULL && !is_same_place(&each->tag, tag))))
        each = each->next;
    return each;
}

/* Return true if anything was ever allocated there. */
static bool has_accounts(const struct tally_tag_object *object)
{
    for (uint32_t i = 0; i < range_count(object); i++) {
        if (object->start[i].site != 0)
            return true;
    }
    return object->first_used != NULL;
}

/* Keep a copy of a tag; return false if there is no memory. */
static bool keep_tag(struct tally_kept_tags *kept, struct alloc_tag *tag)
{
    size_t file = text_length(tag->file) + 1;
    size_t function = text_length(tag->function) + 1;
    struct kept_tag *made =
        registry_memory_take(sizeof *made + file + function);

    if (made == NULL)
        return false;
    made->tag = *tag;
    made->tag.file = memcpy(made->names, tag->file, file);
    made->tag.function = memcpy(made->names + file, tag->function, function);
    made->tag.modname = kept->module;
    made->tag.flags = (tag->flags & ALLOC_TAG_INACCURATE) | ALLOC_TAG_UNLOADED;
    made->owner = kept;
    made->live = tag;
    *kept->last = made;
    kept->last = &made->next;
    return true;
}

/* Keep copies of the range, all or none; return NULL if there is no memory. */
static struct tally_kept_tags *keep_range(const struct tally_tag_object *object)
{
    struct tally_kept_tags *kept = registry_memory_take(sizeof *kept);
    struct tally_kept_tags **link = &kept_first;

    if (kept == NULL)
        return NULL;
    kept->last = &kept->first;
    kept->range_count = range_count(object);
    kept->is_awake = 1;
    memcpy(kept->module, object->module, sizeof kept->module);
    for (uint32_t i = 0; i < kept->range_count; i++) {
        if (!keep_tag(kept, &object->start[i]))
            return NULL;
    }
    while (*link != NULL)
        link = &(*link)->next;
    *link = kept;
    return kept;
}

/* Keep copies of all tags; return false if there is no memory. */
static bool keep_all(struct tally_tag_object *object)
{
    if (object->kept == NULL)
        object->kept = keep_range(object);
    if (object->kept == NULL)
        return false;
    for (struct tally_used_tag *used = object->first_used; used != NULL;
         used = used->next) {
        if (find_kept(object->kept, &used->tag, NULL) == NULL &&
            !keep_tag(object->kept, &used->tag))
            return false; /* a later one would get this one's account */
    }
    return true;
}

/* Keep the tags of an object that is being unloaded, if they have accounts.
   Without memory rows are lost; their accounts continue. */
static void put_to_sleep(struct tally_tag_object *object)
{
    if (object->kept != NULL || has_accounts(object))
        (void)keep_all(object);
    if (object->kept == NULL)
        return;
    INVARIANT(I2, object->kept->is_awake &&
                      object->kept->range_count == range_count(object));
    for (struct kept_tag *each = object->kept->first; each != NULL;
         each = each->next) {
        if (each->live != NULL)
            take_over(&each->tag, each->live);
        each->live = NULL;
        if (is_at_end)
            each->tag.flags &= ~(uint32_t)ALLOC_TAG_UNLOADED;
    }
    object->kept->is_awake = 0;
    object->kept = NULL;
}

static bool is_program(const struct tally_tag_object *object)
{
    return !TALLY_HAS(OS) || object->module[0] == '\0';
}

/* Enter the tag into its object's list unless it is there. */
static void enter_used(struct tally_used_tag *used)
{
    struct tally_tag_object *object = used->object;
    struct kept_tag *copy;
    uint32_t key = tally_port_lock();

    if ((used->tag.flags & ALLOC_TAG_LISTED) == 0) {
        if (!is_program(object)) {
            used->tag.modname = object->module;
            copy = find_kept(object->kept, NULL, &used->tag);
            if (copy != NULL) {
                copy->live = &used->tag;
                take_over(copy->live, &copy->tag);
            }
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
    /* Firmware's engine needs no names; skip building them. */
    site = tally_site_open_place((uintptr_t)tag, TALLY_HAS(OS) ? &place : NULL);
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

#if TALLY_HAS(OS)
static struct tally_tag_object *objects;
#else
/* Firmware has no loader: there are only the program's tags. */
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

/* Insert an object; the program is first, whenever it arrives. */
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

/* A copy gets its account here, so that its original has the same. */
struct alloc_tag *alloc_tag_keep(struct alloc_tag *tag)
{
    struct tally_tag_object *object = objects;
    struct kept_tag *copy;
    uint32_t key;

    if (tag == NULL || !mem_profiling_is_available())
        return NULL;
    (void)alloc_tag_site(tag);
    key = tally_port_lock();
    if ((tag->flags & ALLOC_TAG_AT_USE) != 0)
        object = ((struct tally_used_tag *)(void *)tag)->object;
    else
        while (object != NULL && (tag < object->start || tag >= object->stop))
            object = object->next;
    if (object != NULL && !is_program(object)) {
        (void)keep_all(object);
        copy = find_kept(object->kept, tag, NULL);
        tag = copy == NULL ? NULL : &copy->tag;
    }
    tally_port_unlock(key);
    return tag;
}

/* Open the tags' accounts; return false if there is no room for more. */
static bool open_tags(const struct tally_tag_object *object)
{
    for (struct alloc_tag *tag = object->start; tag < object->stop; tag++) {
        if (alloc_tag_site(tag) == 0)
            return false;
    }
    return true;
}

/* Open all tags once the accounts are open: mem_profiling_at_opening(). */
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
            wake(object);
        }
        link_object(object);
        mem_profiling_at_opening(MEM_PROFILING_TAGS, open_all_tags);
    }
    tally_port_unlock(key);
    /* Without the lock: this takes the loader's lock, whose holder may wait for
       ours. */
    for (struct alloc_tag *tag = start; tag < stop; tag++) {
        if (tag->site != 0)
            engine_move_site(tag->site, (uintptr_t)tag);
    }
    if (mem_profiling_is_open() && engine_wants_all_tags())
        open_tags(object);
}

/* The program's tags stay: others may still print them at its end. */
void tally_tags_leave(struct tally_tag_object *object)
{
    uint32_t key = tally_port_lock();

    if (object->is_entered && !is_program(object)) {
        object->is_entered = 0;
        unlink_object(object);
        put_to_sleep(object);
    }
    is_at_end = is_at_end || is_program(object);
    tally_port_unlock(key);
    if (!is_program(object))
        engine_leave(object);
}

/* Return the object of the cursor, or another one if that has gone. */
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
    count = range_count(object);
    for (; count < cursor->index; count++)
        cursor->used =
            cursor->used == NULL ? object->first_used : cursor->used->next;
    return object;
}

static struct alloc_tag *next_in_objects(struct tag_cursor *cursor)
{
    const struct tally_tag_object *object;

    while ((object = find_object(cursor)) != NULL) {
        struct tally_used_tag *used =
            cursor->used == NULL ? object->first_used : cursor->used->next;

        if (cursor->index < range_count(object))
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

/* Return the next kept tag that has live blocks or left at the end. */
static struct alloc_tag *next_kept(struct tag_cursor *cursor)
{
    const struct kept_tag *last = cursor->place;
    const struct tally_kept_tags *kept = kept_first;
    struct alloc_tag_counters counters;
    struct kept_tag *each = NULL;

    if (last != NULL) {
        kept = last->owner->next;
        each = last->owner->is_awake ? NULL : last->next;
    }
    do {
        for (; each == NULL && kept != NULL; kept = kept->next)
            each = kept->is_awake ? NULL : kept->first;
        if (each == NULL)
            return NULL;
        INVARIANT(I3, !each->owner->is_awake);
        counters = alloc_tag_read(&each->tag);
        cursor->place = each;
        last = each;
        each = each->next;
    } while (counters.calls == 0 && counters.bytes == 0 &&
             (last->tag.flags & ALLOC_TAG_UNLOADED) != 0);
    return &((struct kept_tag *)cursor->place)->tag;
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
            *cursor = (struct tag_cursor){ .phase = cursor->phase + 1 };
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
