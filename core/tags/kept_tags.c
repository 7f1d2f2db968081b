/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kept_tags.c - the tags of shared objects that were unloaded
 *
 * One piece of pages for each content:
 *
 *     | struct tally_kept_tags | tags, count of them | their names |
 *
 * It is made when the object first goes, and made again only when tags entered
 * the object's list that it does not have.
 */
#include "core/tags/kept_tags.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/console_line.h"
#include "core/base/own_memory.h"
#include "format/invariant.h"

struct tally_kept_tags {
    struct tally_kept_tags *next;
    size_t size;
    uint32_t sequence; /* in the order of the list, from 1 */
    uint32_t is_awake; /* its object is loaded */
    uint32_t range_count;
    uint32_t count;
    char module[sizeof((struct tally_tag_object *)0)->module];
    struct alloc_tag tags[];
};

static struct tally_kept_tags *kept_first;
static uint32_t last_sequence;

static uint32_t range_count(const struct tally_tag_object *object)
{
    return (uint32_t)(object->stop - object->start);
}

static bool is_same_text(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

static bool is_same_place(const struct alloc_tag *a, const struct alloc_tag *b)
{
    return a->lineno == b->lineno && is_same_text(a->file, b->file) &&
           is_same_text(a->function, b->function);
}

static void take_over(struct alloc_tag *tag, const struct alloc_tag *from)
{
    tag->word = from->word;
    tag->flags |= from->flags & ALLOC_TAG_INACCURATE;
    __atomic_store_n(&tag->site, from->site, __ATOMIC_RELEASE);
}

static bool is_kept_of(const struct tally_kept_tags *kept,
                       const struct tally_tag_object *object)
{
    if (kept->is_awake || kept->range_count != range_count(object) ||
        !is_same_text(kept->module, object->module))
        return false;
    for (uint32_t i = 0; i < kept->range_count; i++) {
        if (!is_same_place(&kept->tags[i], &object->start[i]))
            return false;
    }
    return true;
}

void kept_tags_wake(struct tally_tag_object *object)
{
    struct tally_kept_tags *kept = kept_first;

    while (kept != NULL && !is_kept_of(kept, object))
        kept = kept->next;
    object->kept = kept;
    if (kept == NULL)
        return;
    kept->is_awake = 1;
    for (uint32_t i = 0; i < kept->range_count; i++)
        take_over(&object->start[i], &kept->tags[i]);
}

/* Its number among the tags of the same place in its object's list, from 0. */
static uint32_t ordinal(const struct tally_tag_object *object,
                        const struct alloc_tag *tag)
{
    const struct tally_used_tag *used = object->first_used;
    uint32_t count = 0;

    for (; used != NULL && &used->tag != tag; used = used->next)
        count += is_same_place(&used->tag, tag);
    return count;
}

/* The kept one of a tag in the object's list, or NULL. */
static struct alloc_tag *find_kept(struct tally_kept_tags *kept,
                                   const struct tally_tag_object *object,
                                   const struct alloc_tag *tag)
{
    uint32_t before = ordinal(object, tag);

    for (uint32_t i = kept == NULL ? 0 : kept->range_count;
         kept != NULL && i < kept->count; i++) {
        if (is_same_place(&kept->tags[i], tag) && before-- == 0)
            return &kept->tags[i];
    }
    return NULL;
}

void kept_tags_wake_one(const struct tally_tag_object *object,
                        struct alloc_tag *tag)
{
    const struct alloc_tag *from = find_kept(object->kept, object, tag);

    if (from != NULL)
        take_over(tag, from);
}

/* Whether anything was ever allocated there. */
static bool has_accounts(const struct tally_tag_object *object)
{
    for (uint32_t i = 0; i < range_count(object); i++) {
        if (object->start[i].site != 0)
            return true;
    }
    return object->first_used != NULL;
}

/* What it takes to keep all of the object's tags that `old` does not have. */
struct measure {
    uint32_t count;
    size_t name_bytes;
};

static void measure_tag(struct measure *measure, const struct alloc_tag *tag)
{
    measure->count++;
    measure->name_bytes +=
        text_length(tag->file) + text_length(tag->function) + 2;
}

static struct measure measure_new(const struct tally_tag_object *object)
{
    struct measure measure = { 0 };

    for (uint32_t i = 0; object->kept == NULL && i < range_count(object); i++)
        measure_tag(&measure, &object->start[i]);
    for (const struct tally_used_tag *used = object->first_used; used != NULL;
         used = used->next) {
        if (find_kept(object->kept, object, &used->tag) == NULL)
            measure_tag(&measure, &used->tag);
    }
    return measure;
}

static struct measure measure_kept(const struct tally_kept_tags *kept)
{
    struct measure measure = { 0 };

    for (uint32_t i = 0; kept != NULL && i < kept->count; i++)
        measure_tag(&measure, &kept->tags[i]);
    return measure;
}

static const char *keep_name(char **names, const char *name)
{
    size_t size = text_length(name) + 1;
    char *kept = memcpy(*names, name, size);

    *names += size;
    return kept;
}

static void keep_tag(struct tally_kept_tags *kept, char **names,
                     const struct alloc_tag *tag)
{
    struct alloc_tag *copy = &kept->tags[kept->count++];

    *copy = *tag;
    copy->file = keep_name(names, tag->file);
    copy->function = keep_name(names, tag->function);
    copy->modname = kept->module;
    copy->flags = (tag->flags & ALLOC_TAG_INACCURATE) | ALLOC_TAG_UNLOADED;
}

static void link_kept(struct tally_kept_tags *kept)
{
    struct tally_kept_tags **link = &kept_first;

    while (*link != NULL)
        link = &(*link)->next;
    kept->sequence = ++last_sequence;
    *link = kept;
}

static void unlink_kept(struct tally_kept_tags *kept)
{
    struct tally_kept_tags **link = &kept_first;

    while (*link != kept)
        link = &(*link)->next;
    *link = kept->next;
}

/* A copy with room for more than the old one; NULL when there is no memory. */
static struct tally_kept_tags *make(const struct tally_tag_object *object,
                                    struct measure more)
{
    static struct own_memory own = OWN_MEMORY;
    struct tally_kept_tags *old = object->kept;
    struct measure before = measure_kept(old);
    uint32_t count = before.count + more.count;
    size_t names_at =
        sizeof(struct tally_kept_tags) + count * sizeof(struct alloc_tag);
    size_t size = names_at + before.name_bytes + more.name_bytes;
    struct tally_kept_tags *kept = own_memory_alloc(&own, size);
    char *names = (char *)kept + names_at;

    if (kept == NULL)
        return NULL;
    kept->size = size;
    kept->range_count = range_count(object);
    memcpy(kept->module, object->module, sizeof kept->module);
    for (uint32_t i = 0; old != NULL && i < old->count; i++)
        keep_tag(kept, &names, &old->tags[i]);
    for (uint32_t i = 0; old == NULL && i < kept->range_count; i++)
        keep_tag(kept, &names, &object->start[i]);
    for (const struct tally_used_tag *used = object->first_used; used != NULL;
         used = used->next) {
        if (find_kept(old, object, &used->tag) == NULL)
            keep_tag(kept, &names, &used->tag);
    }
    if (old != NULL) {
        INVARIANT(I2, old->is_awake && old->range_count == kept->range_count);
        unlink_kept(old);
        own_memory_free(&own, old, old->size);
    }
    link_kept(kept);
    return kept;
}

void kept_tags_sleep(struct tally_tag_object *object)
{
    struct tally_kept_tags *kept = object->kept;
    struct measure more;

    if (kept == NULL && !has_accounts(object))
        return;
    more = measure_new(object);
    if (more.count > 0) {
        struct tally_kept_tags *larger = make(object, more);

        /* Without memory the rows are lost; their accounts go on. */
        if (larger != NULL)
            kept = larger;
    }
    object->kept = NULL;
    if (kept == NULL)
        return;
    for (uint32_t i = 0; i < kept->range_count; i++)
        take_over(&kept->tags[i], &object->start[i]);
    for (const struct tally_used_tag *used = object->first_used; used != NULL;
         used = used->next) {
        struct alloc_tag *copy = find_kept(kept, object, &used->tag);

        if (copy != NULL)
            take_over(copy, &used->tag);
    }
    kept->is_awake = 0;
}

static struct tally_kept_tags *kept_at(uint32_t sequence)
{
    struct tally_kept_tags *kept = kept_first;

    while (kept != NULL && kept->sequence < sequence)
        kept = kept->next;
    return kept;
}

struct alloc_tag *kept_tags_next(uint32_t *sequence, uint32_t *index)
{
    struct tally_kept_tags *kept;

    while ((kept = kept_at(*sequence)) != NULL) {
        if (kept->sequence != *sequence)
            *index = 0;
        *sequence = kept->sequence;
        if (!kept->is_awake && *index < kept->count) {
            INVARIANT(I3, (kept->tags[*index].flags & ALLOC_TAG_UNLOADED) != 0);
            return &kept->tags[(*index)++];
        }
        *sequence += 1;
        *index = 0;
    }
    return NULL;
}
