/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_tag.h - part of tally/alloc_tag.h: tags of an object, and hooks */
#ifndef TALLY_PRIVATE_ALLOC_TAG_H
#define TALLY_PRIVATE_ALLOC_TAG_H

#if defined __GNUC__ && !defined TALLY_SHOW_WARNINGS
#pragma GCC system_header
#endif

#include "tally/alloc_tag.h"
#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

/* Tags of one program or shared object. Fields are private. */
struct tally_tag_object {
    struct alloc_tag *start, *stop;
    struct tally_used_tag *first_used, *last_used;
    struct tally_tag_object *next;
    struct tally_kept_tags *kept;
    uint32_t sequence;
    uint32_t is_entered;
    char module[64];
};

void tally_tags_enter(struct tally_tag_object *object, struct alloc_tag *start,
                      struct alloc_tag *stop);
void tally_tags_leave(struct tally_tag_object *object);

/* Tag that enters its object's list at its first use. Fields are private. */
struct tally_used_tag {
    struct alloc_tag tag;
    struct tally_used_tag *next;
    struct tally_tag_object *object;
};

static __inline__ struct alloc_tag *alloc_tag_save(struct alloc_tag *tag)
{
    struct alloc_tag *outer = tally_current_tag;

    tally_current_tag = tag;
    return outer;
}

static __inline__ void alloc_tag_restore(struct alloc_tag *tag,
                                         struct alloc_tag *outer)
{
    (void)tag;
    tally_current_tag = outer;
}

#define TALLY_NO_TAG ((struct alloc_tag *)(uintptr_t)-1)

/* State of a warning, for sources compiled with
   CONFIG_MEM_ALLOC_PROFILING_DEBUG=y. */
struct tally_debug_place {
    const char *file;
    const char *function;
    uint32_t line;
    uint32_t is_said;
};

void tally_debug_untagged(struct tally_debug_place *place);

/* Enter and leave a hook, for alloc_hooks_tag(). TALLY_NO_TAG: leave does
   nothing. */
static __inline__ __attribute__((always_inline)) struct alloc_tag *
tally_hook_enter(struct alloc_tag *tag)
{
    if (__builtin_expect(tally_mem_profiling_hooks == 0, 1))
        return TALLY_NO_TAG;
    return alloc_tag_save(tag != NULL ? tag : tally_current_tag);
}

static __inline__ __attribute__((always_inline)) void
tally_hook_leave(struct alloc_tag **outer)
{
    if (__builtin_expect(*outer != TALLY_NO_TAG, 0))
        tally_current_tag = *outer;
}

#if TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING)
#if defined __clang__ && !defined TALLY_SHOW_WARNINGS
/* clang warns for each tag in an inline function that is not static */
#pragma clang diagnostic ignored "-Wstatic-local-in-inline"
#endif

#if TALLY_HAS(OS) && !defined TALLY_WITHOUT_TAG_OBJECT
/*
 * Each program and shared object registers its tags when it is loaded and
 * unregisters them when it is unloaded. Every source contains this code; the
 * linker keeps one copy per object. Programs that call no function of the
 * library link without it.
 */
#pragma weak tally_tags_enter
#pragma weak tally_tags_leave
#define TALLY_ONE_FOR_THE_OBJECT __attribute__((weak, visibility("hidden")))

extern struct alloc_tag __start_alloc_tags[] TALLY_ONE_FOR_THE_OBJECT;
extern struct alloc_tag __stop_alloc_tags[] TALLY_ONE_FOR_THE_OBJECT;
extern struct tally_tag_object tally_tag_object TALLY_ONE_FOR_THE_OBJECT;
void tally_tag_object_enter(void) TALLY_ONE_FOR_THE_OBJECT;
void tally_tag_object_leave(void) TALLY_ONE_FOR_THE_OBJECT;

struct tally_tag_object tally_tag_object = { 0 };

__attribute__((constructor(101))) void tally_tag_object_enter(void)
{
    if (tally_tags_enter != NULL)
        tally_tags_enter(&tally_tag_object, __start_alloc_tags,
                         __stop_alloc_tags);
}

__attribute__((destructor(101))) void tally_tag_object_leave(void)
{
    if (tally_tags_leave != NULL)
        tally_tags_leave(&tally_tag_object);
}
#elif defined __cplusplus
extern struct tally_tag_object tally_tag_object;
#endif
#endif /* CONFIG_MEM_ALLOC_PROFILING */

TALLY_END_DECLS

#endif /* TALLY_PRIVATE_ALLOC_TAG_H */
