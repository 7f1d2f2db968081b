/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_tag.h - charge allocations to the line of source that asked for them
 *
 *     struct alloc_tag_counters counters;
 *     DEFINE_ALLOC_TAG(rows);
 *     char *row = alloc_hooks_tag(&rows, malloc_noprof(100));
 *
 *     counters = alloc_tag_read(&rows); // 1 call, 100 bytes
 *     free(row);
 *
 * A hook makes a tag for the place where it stands, and what is allocated
 * inside is charged to it. Hooks nest: the innermost one counts. To charge the
 * callers of a helper and not the helper, put its hook into a macro:
 *
 *     void *buffer_new_noprof(size_t size);     // was: buffer_new
 *     #define buffer_new(...) alloc_hooks(buffer_new_noprof(__VA_ARGS__))
 *
 * A data structure that allocates for others keeps the tag of its creator, and
 * charges it:
 *
 *     alloc_tag_record(table->tag);             // in table_init_noprof()
 *     entry = alloc_hooks_tag(table->tag, malloc_noprof(sizeof *entry));
 *
 * A hook is an expression of the type of the call, which stands in it once.
 * tally/malloc.h has malloc_noprof() and the rest of the C library's family,
 * tally/kmalloc.h Linux's; tally/allocinfo.h prints the accounts; docs/tags.md
 * says what a hook costs. longjmp() out of a hook leaves it in force: keep
 * tally_current_tag beside the jmp_buf and put it back.
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

TALLY_BEGIN_DECLS

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
 * Call `visit` for each tag, in the order of allocinfo.h, until it returns
 * other than 0; returns what it returned last. No object can be loaded or
 * unloaded meanwhile; `visit` must not load one itself.
 */
int alloc_tag_for_each(int (*visit)(struct alloc_tag *tag, void *context),
                       void *context);

/* The tag of the innermost hook that this thread is in, or NULL. */
extern TALLY_THREAD_LOCAL struct alloc_tag *tally_current_tag TALLY_TLS_MODEL;

/* Enter a hook by hand, and leave it with what entering returned. */
static __inline__ struct alloc_tag *alloc_tag_save(struct alloc_tag *tag);
static __inline__ void alloc_tag_restore(struct alloc_tag *tag,
                                         struct alloc_tag *outer);

#if TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING)

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

#else /* not CONFIG_MEM_ALLOC_PROFILING */

#define DEFINE_ALLOC_TAG(name)    struct alloc_tag name = { 0 }
#define alloc_hooks_tag(tag, ...) ((void)(tag), __VA_ARGS__)
#define alloc_hooks(...)          (__VA_ARGS__)
#define alloc_tag_record(p)       ((p) = NULL)

#endif

TALLY_END_DECLS

#include "tally/private/alloc_tag.h"

#endif /* TALLY_ALLOC_TAG_H */
