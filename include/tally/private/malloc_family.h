/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_family.h - part of tally/malloc.h: the functions under the macros
 *
 * tally_libc_*() is the C library's function even where its name is a macro,
 * tally_tag_*() charges a given tag, and *_noprof() calls one of them, with the
 * tag in force.
 */
#ifndef TALLY_PRIVATE_MALLOC_FAMILY_H
#define TALLY_PRIVATE_MALLOC_FAMILY_H

#pragma GCC system_header

#include "tally/private/libc_headers.h"

#include <stdarg.h>

#include "tally/alloc_tag.h"
#include "tally/tagged.h"

TALLY_BEGIN_DECLS

/* Spellings that also compile with -ansi. */
#define TALLY_INLINE static __inline__ __attribute__((always_inline, unused))

/*
 * List of functions: condition for recording, type, name, which parameter is
 * the block's size (`unused`: none is), parameters, arguments. The functions
 * that take a tag take it first. _FORTIFY_SOURCE guards blocks by their size.
 * TALLY_FAMILY_INLINE lists those that clang inlines under their own names
 * (malloc_wrappers.h), TALLY_FAMILY_NAMED those it calls under other names.
 */
#define TALLY_FAMILY_INLINE(X)                                                 \
    X(tally_is_on(), void *, malloc, alloc_size(1), (size_t size), size)       \
    X(tally_is_on(), void *, calloc, alloc_size(1, 2),                         \
      (size_t count, size_t size), count, size)                                \
    X(tally_is_on(), void *, aligned_alloc, alloc_size(2),                     \
      (size_t alignment, size_t size), alignment, size)                        \
    X(tally_is_on(), void *, memalign, alloc_size(2),                          \
      (size_t alignment, size_t size), alignment, size)                        \
    X(tally_is_on(), char *, strdup, unused, (const char *text), text)         \
    X(tally_is_on(), char *, strndup, unused, (const char *text, size_t size), \
      text, size)

#define TALLY_FAMILY_NAMED(X)                                                \
    X(tally_is_on_or_was(), void *, realloc, alloc_size(2),                  \
      (void *block, size_t size), block, size)                               \
    X(tally_is_on(), int, posix_memalign, unused,                            \
      (void **block, size_t alignment, size_t size), block, alignment, size) \
    X(tally_is_on(), void *, valloc, alloc_size(1), (size_t size), size)     \
    X(tally_is_on(), void *, pvalloc, unused, (size_t size), size)

#define TALLY_FAMILY(X)                                             \
    TALLY_FAMILY_INLINE(X)                                          \
    TALLY_FAMILY_NAMED(X)                                           \
    X(tally_is_on_or_was(), void *, reallocarray, alloc_size(2, 3), \
      (void *block, size_t count, size_t size), block, count, size)

/* Two steps, because clang drops an inline function that calls its own name. */
#define TALLY_LIBC(condition, type, name, sized, parameters, ...) \
    extern type tally_named_##name parameters __asm__(#name)      \
        __attribute__((sized));                                   \
    TALLY_INLINE type tally_libc_##name parameters                \
    {                                                             \
        return tally_named_##name(__VA_ARGS__);                   \
    }

TALLY_FAMILY(TALLY_LIBC)
#undef TALLY_LIBC

extern void tally_named_free(void *block) __asm__("free");
TALLY_INLINE void tally_libc_free(void *block)
{
    tally_named_free(block);
}

TALLY_SIZED((3, 4))
void *tally_tag_reallocarray(struct alloc_tag *tag, void *block, size_t count,
                             size_t size);
TALLY_SIZED((3))
void *tally_tag_memalign(struct alloc_tag *tag, size_t alignment, size_t size);
TALLY_SIZED((2)) void *tally_tag_valloc(struct alloc_tag *tag, size_t size);
void *tally_tag_pvalloc(struct alloc_tag *tag, size_t size);
char *tally_tag_strdup(struct alloc_tag *tag, const char *text);
char *tally_tag_strndup(struct alloc_tag *tag, const char *text, size_t size);
int tally_tag_vasprintf(struct alloc_tag *tag, char **text, const char *format,
                        va_list arguments)
    __attribute__((format(printf, 3, 0)));
ssize_t tally_tag_getdelim(struct alloc_tag *tag, char **line, size_t *size,
                           int delimiter, FILE *stream);

/* Charges the tag in force. */
int asprintf_noprof(char **text, const char *format,
                    ...) __asm__("tally_asprintf_noprof")
    __attribute__((format(printf, 2, 3)));

/* Tag that a macro of tally/malloc.h leaves for the call it begins. */
extern TALLY_THREAD_LOCAL struct alloc_tag *tally_pending_tag TALLY_TLS_MODEL;

TALLY_INLINE struct alloc_tag *tally_take_pending(void)
{
    struct alloc_tag *tag = tally_pending_tag;

    tally_pending_tag = NULL;
    return tag;
}

/* Return non-zero if calls are recorded. Each word is loaded once; the
   condition can be folded. */
TALLY_INLINE int tally_is_on(void)
{
#ifdef __SANITIZE_THREAD__
    const uint32_t *word =
        __atomic_load_n(&tally_mem_profiling, __ATOMIC_ACQUIRE);

    return __atomic_load_n(word, __ATOMIC_RELAXED) == 1;
#else
    return __builtin_expect(*tally_mem_profiling == 1, 0);
#endif
}

/* Recorded blocks keep their record when they are moved, even while recording
   is off. */
TALLY_INLINE int tally_is_on_or_was(void)
{
    return tally_is_on() || tally_mem_profiling_frees != 0;
}

#define TALLY_NOPROF(condition, type, name, sized, parameters, ...)         \
    TALLY_INLINE type name##_noprof parameters                              \
    {                                                                       \
        return condition ? tally_tag_##name(tally_current_tag, __VA_ARGS__) \
                         : tally_libc_##name(__VA_ARGS__);                  \
    }

TALLY_FAMILY(TALLY_NOPROF)
#undef TALLY_NOPROF

TALLY_INLINE __attribute__((format(printf, 2, 0))) int
vasprintf_noprof(char **text, const char *format, va_list arguments)
{
    return tally_tag_vasprintf(tally_current_tag, text, format, arguments);
}

TALLY_INLINE ssize_t getdelim_noprof(char **line, size_t *size, int delimiter,
                                     FILE *stream)
{
    return tally_tag_getdelim(tally_current_tag, line, size, delimiter, stream);
}

TALLY_INLINE ssize_t getline_noprof(char **line, size_t *size, FILE *stream)
{
    return tally_tag_getdelim(tally_current_tag, line, size, '\n', stream);
}

/*
 * free() needs no tag: it only checks if any block may be recorded. Calls
 * through a pointer reach the renamed function (libc_headers.h), which checks
 * as well. clang does not inline a renamed function.
 */
#if defined TALLY_KEEPS_FREE || (defined __OPTIMIZE__ && !defined __clang__)
extern __inline__ __attribute__((gnu_inline, always_inline, artificial)) void
free(void *block) TALLY_NOTHROW
{
    if (__builtin_expect(tally_mem_profiling_frees != 0, 0))
        tally_tag_free(block);
    else
        tally_libc_free(block);
}
#endif

TALLY_END_DECLS

#ifndef __cplusplus /* as in malloc_wrappers.h; the next header calls it */
extern int posix_memalign(void **block, size_t alignment,
                          size_t size) __asm__("tally_posix_memalign");
#endif

/* Headers that declare one of the functions must precede the macros. */
#if defined __x86_64__ || defined __i386__
#include <mm_malloc.h>
#endif

#if TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_DEBUG)
#include "tally/private/malloc_debug.h"
#endif

#endif /* TALLY_PRIVATE_MALLOC_FAMILY_H */
