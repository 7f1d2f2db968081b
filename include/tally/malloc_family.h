/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_family.h - part of tally/malloc.h: the functions under the macros
 *
 * tally_libc_*() is the C library's function, whatever its name has become,
 * tally_tag_*() the one that charges a tag, and *_noprof() either of them, with
 * the tag that is in force.
 */
#ifndef TALLY_MALLOC_FAMILY_H
#define TALLY_MALLOC_FAMILY_H

#pragma GCC system_header

#include "tally/libc_headers.h"

#include <stdarg.h>

#include "tally/alloc_tag.h"
#include "tally/tagged.h"

#ifdef __cplusplus
extern "C" {
#endif

/* __inline__ and the like: also for -ansi. */
#define TALLY_INLINE static __inline__ __attribute__((always_inline, unused))

/* In two steps: clang drops an inline function that calls what has its name. */
#define TALLY_LIBC(type, name, parameters, arguments)         \
    extern type tally_named_##name parameters __asm__(#name); \
    TALLY_INLINE type tally_libc_##name parameters            \
    {                                                         \
        return tally_named_##name arguments;                  \
    }

TALLY_LIBC(void *, malloc, (size_t size), (size))
TALLY_LIBC(void *, calloc, (size_t count, size_t size), (count, size))
TALLY_LIBC(void *, realloc, (void *block, size_t size), (block, size))
TALLY_LIBC(void *, reallocarray, (void *block, size_t count, size_t size),
           (block, count, size))
TALLY_LIBC(void *, aligned_alloc, (size_t alignment, size_t size),
           (alignment, size))
TALLY_LIBC(int, posix_memalign, (void **block, size_t alignment, size_t size),
           (block, alignment, size))
TALLY_LIBC(void *, memalign, (size_t alignment, size_t size), (alignment, size))
TALLY_LIBC(void *, valloc, (size_t size), (size))
TALLY_LIBC(void *, pvalloc, (size_t size), (size))
TALLY_LIBC(char *, strdup, (const char *text), (text))
TALLY_LIBC(char *, strndup, (const char *text, size_t size), (text, size))
TALLY_LIBC(void, free, (void *block), (block))
#undef TALLY_LIBC

void *tally_tag_reallocarray(struct alloc_tag *tag, void *block, size_t count,
                             size_t size);
void *tally_tag_memalign(struct alloc_tag *tag, size_t alignment, size_t size);
void *tally_tag_valloc(struct alloc_tag *tag, size_t size);
void *tally_tag_pvalloc(struct alloc_tag *tag, size_t size);
char *tally_tag_strdup(struct alloc_tag *tag, const char *text);
char *tally_tag_strndup(struct alloc_tag *tag, const char *text, size_t size);
int tally_tag_vasprintf(struct alloc_tag *tag, char **text, const char *format,
                        va_list arguments)
    __attribute__((format(printf, 3, 0)));
ssize_t tally_tag_getdelim(struct alloc_tag *tag, char **line, size_t *size,
                           int delimiter, FILE *stream);

/* The one of the tag in force. */
int asprintf_noprof(char **text, const char *format,
                    ...) __asm__("tally_asprintf_noprof")
    __attribute__((format(printf, 2, 3)));

/* The tag that a macro of tally/malloc.h has left for the call that it begins. */
extern TALLY_THREAD_LOCAL struct alloc_tag *tally_pending_tag TALLY_TLS_MODEL;

TALLY_INLINE struct alloc_tag *tally_take_pending(void)
{
    struct alloc_tag *tag = tally_pending_tag;

    tally_pending_tag = NULL;
    return tag;
}

/* Whether the call is to be recorded. One load of each word, and foldable. */
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

TALLY_INLINE void *malloc_noprof(size_t size)
{
    return tally_is_on() ? tally_tag_malloc(tally_current_tag, size)
                         : tally_libc_malloc(size);
}

TALLY_INLINE void *calloc_noprof(size_t count, size_t size)
{
    return tally_is_on() ? tally_tag_calloc(tally_current_tag, count, size)
                         : tally_libc_calloc(count, size);
}

/* A block that is recorded is moved with its record, also while off. */
TALLY_INLINE int tally_is_on_or_was(void)
{
    return tally_is_on() || tally_mem_profiling_frees != 0;
}

TALLY_INLINE void *realloc_noprof(void *block, size_t size)
{
    return tally_is_on_or_was()
               ? tally_tag_realloc(tally_current_tag, block, size)
               : tally_libc_realloc(block, size);
}

TALLY_INLINE void *reallocarray_noprof(void *block, size_t count, size_t size)
{
    return tally_is_on_or_was()
               ? tally_tag_reallocarray(tally_current_tag, block, count, size)
               : tally_libc_reallocarray(block, count, size);
}

TALLY_INLINE void *aligned_alloc_noprof(size_t alignment, size_t size)
{
    return tally_is_on()
               ? tally_tag_aligned_alloc(tally_current_tag, alignment, size)
               : tally_libc_aligned_alloc(alignment, size);
}

TALLY_INLINE int posix_memalign_noprof(void **block, size_t alignment,
                                       size_t size)
{
    return tally_is_on() ? tally_tag_posix_memalign(tally_current_tag, block,
                                                    alignment, size)
                         : tally_libc_posix_memalign(block, alignment, size);
}

TALLY_INLINE void *memalign_noprof(size_t alignment, size_t size)
{
    return tally_is_on()
               ? tally_tag_memalign(tally_current_tag, alignment, size)
               : tally_libc_memalign(alignment, size);
}

TALLY_INLINE void *valloc_noprof(size_t size)
{
    return tally_is_on() ? tally_tag_valloc(tally_current_tag, size)
                         : tally_libc_valloc(size);
}

TALLY_INLINE void *pvalloc_noprof(size_t size)
{
    return tally_is_on() ? tally_tag_pvalloc(tally_current_tag, size)
                         : tally_libc_pvalloc(size);
}

TALLY_INLINE char *strdup_noprof(const char *text)
{
    return tally_is_on() ? tally_tag_strdup(tally_current_tag, text)
                         : tally_libc_strdup(text);
}

TALLY_INLINE char *strndup_noprof(const char *text, size_t size)
{
    return tally_is_on() ? tally_tag_strndup(tally_current_tag, text, size)
                         : tally_libc_strndup(text, size);
}

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
 * free() needs no tag: it looks while some block may be recorded. What its name
 * leads to (libc_headers.h) does so, for calls through a pointer. clang does not
 * inline what has another name.
 */
#if !defined __clang__ || defined TALLY_KEEPS_FREE
extern __inline__ __attribute__((gnu_inline, always_inline, artificial)) void
free(void *block) TALLY_NOTHROW
{
    if (__builtin_expect(tally_mem_profiling_frees != 0, 0))
        tally_tag_free(block);
    else
        tally_libc_free(block);
}
#endif

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* as in malloc_wrappers.h; the next header calls it */
extern int posix_memalign(void **block, size_t alignment,
                          size_t size) __asm__("tally_posix_memalign");
#endif

/* Other headers that declare one of the functions; before the macros. */
#if defined __x86_64__ || defined __i386__
#include <mm_malloc.h>
#endif

#if TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_DEBUG)
#include "tally/malloc_debug.h"
#endif

#endif /* TALLY_MALLOC_FAMILY_H */
