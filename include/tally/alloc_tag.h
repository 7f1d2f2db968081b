/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tag.h - charge allocations to their source line
 *
 *     struct alloc_tag_counters counters;
 *     DEFINE_ALLOC_TAG(rows);
 *     char *row = alloc_hooks_tag(&rows, malloc_noprof(100));
 *
 *     counters = alloc_tag_read(&rows); // 1 call, 100 bytes
 *     free(row);
 *
 * A hook defines a tag for its source line. Allocations inside the hook are
 * charged to that tag. Hooks nest: the innermost one is charged. To charge the
 * callers of a helper, not the helper, put its hook into a macro:
 *
 *     void *buffer_new_noprof(size_t size);     // was: buffer_new
 *     #define buffer_new(...) alloc_hooks(buffer_new_noprof(__VA_ARGS__))
 *
 * A data structure can charge its allocations to the code that created it:
 *
 *     alloc_tag_record(table->tag);             // in table_init_noprof()
 *     entry = alloc_hooks_tag(table->tag, malloc_noprof(sizeof *entry));
 *
 * A hook is an expression with the type of the call, which it evaluates once.
 * tally/malloc.h declares malloc_noprof() and the rest of the C library's
 * family, tally/kmalloc.h Linux's; tally/allocinfo.h prints the accounts;
 * docs/tags.md states the cost of a hook. longjmp() out of a hook leaves its
 * tag in force: save tally_current_tag with the jmp_buf and restore it.
 */
#ifndef TALLY_ALLOC_TAG_H
#define TALLY_ALLOC_TAG_H

#if defined __GNUC__ && !defined TALLY_SHOW_WARNINGS
#pragma GCC system_header /* no warnings from macros expanded in the caller's
                             code */
#endif

#include <stddef.h>
#include <stdint.h>

#include "tally/allocinfo.h"
#include "tally/config.h"
#include "tally/hook.h"
#include "tally/mem_profiling.h"

TALLY_BEGIN_DECLS

enum alloc_tag_flags {
    ALLOC_TAG_INACCURATE = 1 << 0, /* events were lost; never cleared */
    ALLOC_TAG_UNLOADED = 1 << 1,   /* copy, for after its object is unloaded */
    ALLOC_TAG_OWN = 1 << 2,        /* memory of Tally itself */
    ALLOC_TAG_AT_USE = 1 << 3,     /* enters the list when first used */
    ALLOC_TAG_LISTED = 1 << 4      /* is in the list */
};

struct alloc_tag {
    const char *file;
    const char *function;
    const char *modname; /* name of its shared object; NULL: the program */
    uint32_t lineno;
    uint32_t flags; /* enum alloc_tag_flags */
    uint32_t site;  /* id of its account; 0: none yet */
    uint32_t word;  /* private to the library */
};

struct alloc_tag_counters {
    uint64_t bytes;       /* live bytes, as requested */
    uint64_t calls;       /* live blocks */
    uint64_t total_bytes; /* allocated bytes (total) */
    uint64_t total_calls;
    uint64_t peak_seen;    /* highest live bytes seen by any read; without a
                              ledger, the live bytes now */
    uint64_t unseen_frees; /* blocks freed by uninstrumented code
                              (tally/malloc.h): live values were too high */
};

/* Return the counters of a tag, summed over all threads. Other threads may
   allocate meanwhile. */
struct alloc_tag_counters alloc_tag_read(const struct alloc_tag *tag);

/*
 * Return a tag that stays valid after the shared object of `tag` is unloaded,
 * and shares its account: a copy, or `tag` itself if it is the program's.
 * Return NULL for NULL, under never, and if there is no memory.
 */
struct alloc_tag *alloc_tag_keep(struct alloc_tag *tag);

/*
 * Call `visit` for each tag, in the order of allocinfo.h, until it returns a
 * non-zero value; return the last value. Objects cannot be loaded or unloaded
 * meanwhile; `visit` must not load one.
 */
int alloc_tag_for_each(int (*visit)(struct alloc_tag *tag, void *context),
                       void *context);

/* tag of the calling thread's innermost hook, or NULL */
#if TALLY_HAS(THREADS) && !TALLY_HAS(OS)
struct alloc_tag **tally_tag_slot(void); /* in the port's struct tally_thread */
#define tally_current_tag (*tally_tag_slot())
#else
extern TALLY_THREAD_LOCAL struct alloc_tag *tally_current_tag TALLY_TLS_MODEL;
#endif

/* Enter a hook by hand, and leave it: pass `restore` the value that `save`
   returned. */
static __inline__ struct alloc_tag *alloc_tag_save(struct alloc_tag *tag);
static __inline__ void alloc_tag_restore(struct alloc_tag *tag,
                                         struct alloc_tag *outer);

#if TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING)

/* Define a static tag `name` for this line, inside a function. */
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
 * Evaluate a call with `tag` in force; with NULL, the enclosing hook's tag
 * stays in force. The call may contain commas outside parentheses, as in
 * template arguments.
 */
#define alloc_hooks_tag(tag, ...)                                \
    (__extension__({                                             \
        struct alloc_tag *tally_outer                            \
            __attribute__((cleanup(tally_hook_leave), unused)) = \
                tally_hook_enter(tag);                           \
        __VA_ARGS__;                                             \
    }))

/* Evaluate a call with a new tag for this line in force. */
#define alloc_hooks(...)                          \
    (__extension__({                              \
        DEFINE_ALLOC_TAG(tally_tag);              \
        alloc_hooks_tag(&tally_tag, __VA_ARGS__); \
    }))

/* Store the tag of the enclosing hook in `p`, which may outlive the hook's
   shared object. */
#if TALLY_HAS(OS)
#define alloc_tag_record(p) ((p) = alloc_tag_keep(tally_current_tag))
#else
#define alloc_tag_record(p) ((p) = tally_current_tag)
#endif

#else /* not CONFIG_MEM_ALLOC_PROFILING */

#define DEFINE_ALLOC_TAG(name)    struct alloc_tag name = { 0 }
#define alloc_hooks_tag(tag, ...) ((void)(tag), __VA_ARGS__)
#define alloc_hooks(...)          (__VA_ARGS__)
#define alloc_tag_record(p)       ((p) = NULL)

#endif

TALLY_END_DECLS

#include "tally/private/alloc_tag.h"

#endif /* TALLY_ALLOC_TAG_H */
