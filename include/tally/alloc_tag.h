/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tag.h - charge allocations to the line of source that asked for them
 *
 * A hook makes a tag for the place where it stands, and what is allocated inside
 * is charged to it. Hooks nest: the innermost one counts. To charge the callers
 * of a helper and not the helper, put its hook into a macro:
 *
 *     void *buffer_new_noprof(size_t size)      was: buffer_new
 *     {
 *         struct buffer *buffer = malloc_noprof(sizeof *buffer + size);
 *         ...
 *     }
 *     #define buffer_new(...) alloc_hooks(buffer_new_noprof(__VA_ARGS__))
 *
 * A data structure that allocates on behalf of others keeps the tag of its
 * creator, and is broken out by its users:
 *
 *     alloc_tag_record(table->tag);             in table_init_noprof()
 *     ...
 *     entry = alloc_hooks_tag(table->tag, malloc_noprof(sizeof *entry));
 *
 * tally/malloc.h has malloc_noprof() and the rest of the C library's family,
 * tally/kmalloc.h Linux's. allocinfo.h prints the accounts.
 *
 * A hook is an expression of the type of the call, which stands in it once. It
 * costs three instructions when profiling is off for good, and stores one
 * thread-local word otherwise: also while profiling is 0, so that
 * alloc_tag_record() has something to record.
 *
 * longjmp() out of a hook leaves it in force: keep tally_current_tag beside the
 * jmp_buf and put it back.
 *
 * In C a tag is a static in the section "alloc_tags" of its program or shared
 * object, there from the start. In C++, where a function may be compiled into
 * several objects, it is a plain static and has its row from its first use.
 */
#ifndef TALLY_ALLOC_TAG_H
#define TALLY_ALLOC_TAG_H

#if defined __GNUC__ && !defined TALLY_SHOW_WARNINGS
#pragma GCC system_header /* its macros warn of nothing in others' code */
#endif

#include <stddef.h>
#include <stdint.h>

#include "tally/allocinfo.h"
#include "tally/config.h"
#include "tally/hook.h"
#include "tally/mem_profiling.h"

#ifdef __cplusplus
extern "C" {
#endif

enum alloc_tag_flags {
    ALLOC_TAG_INACCURATE = 1 << 0, /* events were lost; for good */
    ALLOC_TAG_UNLOADED = 1 << 1,   /* of an object that is gone */
    ALLOC_TAG_OWN = 1 << 2,        /* what Tally itself holds */
    ALLOC_TAG_AT_USE = 1 << 3,     /* enters the list at its first use */
    ALLOC_TAG_LISTED = 1 << 4      /* has entered it */
};

struct alloc_tag {
    const char *file;
    const char *function;
    const char *modname; /* of its shared object; NULL: the program's */
    uint32_t lineno;
    uint32_t flags; /* enum alloc_tag_flags */
    uint32_t site;  /* of its account; 0: none yet */
    uint32_t word;  /* for the library that keeps the accounts */
};

struct alloc_tag_counters {
    uint64_t bytes;       /* live, as requested */
    uint64_t calls;       /* live blocks */
    uint64_t total_bytes; /* ever allocated */
    uint64_t total_calls;
    uint64_t peak_seen;    /* the most live bytes that any reading has found; of
                           this one alone where there is no ledger */
    uint64_t unseen_frees; /* blocks that were found to be freed out of sight
                              (tally/malloc.h): live values were wrong */
};

/* What the tag holds; the sum over all threads, which may be at work. */
struct alloc_tag_counters alloc_tag_read(const struct alloc_tag *tag);

/*
 * Call `visit` for each tag, in the order of allocinfo.h, until it returns other
 * than 0; returns what it returned last. No object can be loaded or unloaded
 * meanwhile; `visit` must not load one itself.
 */
int alloc_tag_for_each(int (*visit)(struct alloc_tag *tag, void *context),
                       void *context);

/* The tags of one program or shared object. Fields are private. */
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

/* A tag that enters its object's list when it is used. Fields are private. */
struct tally_used_tag {
    struct alloc_tag tag;
    struct tally_used_tag *next;
    struct tally_tag_object *object;
};

#define TALLY_NO_TAG ((struct alloc_tag *)(uintptr_t)-1)

#if __STDC_HOSTED__ /* needs no call, also in shared objects */
#define TALLY_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define TALLY_TLS_MODEL
#endif

/* The tag of the innermost hook that this thread is in, or NULL. */
extern TALLY_THREAD_LOCAL struct alloc_tag *tally_current_tag TALLY_TLS_MODEL;

/* Enter a hook by hand, and leave it with what entering returned. */
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

/* Warnings of sources compiled with CONFIG_MEM_ALLOC_PROFILING_DEBUG=y. */
struct tally_debug_place {
    const char *file;
    const char *function;
    uint32_t line;
    uint32_t is_said;
};

void tally_debug_untagged(struct tally_debug_place *place);

/* What alloc_hooks_tag() does before and after; TALLY_NO_TAG: nothing. */
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
/* Of each tag in a function that is inline and not static. */
#pragma clang diagnostic ignored "-Wstatic-local-in-inline"
#endif

/* A static tag `name` for this line. Inside a function. */
#ifdef __cplusplus
#define DEFINE_ALLOC_TAG(name)                                          \
    static struct tally_used_tag name##_used = {                        \
        { __FILE__, __func__, NULL, __LINE__, ALLOC_TAG_AT_USE, 0, 0 }, \
        NULL,                                                           \
        &tally_tag_object                                               \
    };                                                                  \
    struct alloc_tag &name = name##_used.tag
#else
#define DEFINE_ALLOC_TAG(name)                                              \
    static struct alloc_tag name                                            \
        __attribute__((section("alloc_tags"), aligned(sizeof(void *)))) = { \
            __FILE__, __func__, NULL, __LINE__, 0, 0, 0                     \
        }
#endif

/*
 * Evaluate a call with `tag` in force; NULL leaves the enclosing hook's. A call
 * may have commas outside parentheses, as template arguments are.
 */
#define alloc_hooks_tag(tag, ...)                                \
    (__extension__({                                             \
        struct alloc_tag *tally_outer                            \
            __attribute__((cleanup(tally_hook_leave), unused)) = \
                tally_hook_enter(tag);                           \
        __VA_ARGS__;                                             \
    }))

/* Evaluate a call with a tag of this place in force. */
#define alloc_hooks(...)                          \
    (__extension__({                              \
        DEFINE_ALLOC_TAG(tally_tag);              \
        alloc_hooks_tag(&tally_tag, __VA_ARGS__); \
    }))

/* p = the tag of the enclosing hook. */
#define alloc_tag_record(p) ((p) = tally_current_tag)

#if __STDC_HOSTED__ && !defined TALLY_WITHOUT_TAG_OBJECT
/*
 * Each program and each shared object tells of its tags when it is loaded and
 * unloaded. Every source has this code; the linker keeps one for the object. One
 * that has called nothing links without the library.
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

#else /* not CONFIG_MEM_ALLOC_PROFILING */

#define DEFINE_ALLOC_TAG(name)    struct alloc_tag name = { 0 }
#define alloc_hooks_tag(tag, ...) ((void)(tag), __VA_ARGS__)
#define alloc_hooks(...)          (__VA_ARGS__)
#define alloc_tag_record(p)       ((p) = NULL)

#endif

#ifdef __cplusplus
}
#endif

#endif /* TALLY_ALLOC_TAG_H */
