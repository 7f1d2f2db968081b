/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_wrappers.h - part of tally/malloc.h: passing a tag to the call in C
 *
 * malloc(TALLY_HERE(size)) evaluates its argument and then, while recording,
 * stores its tag in a thread-local word, which the inline function malloc()
 * takes. If malloc is the name of a member or variable, the word stays set,
 * without effect: each call stores its own tag before it takes one.
 */
#ifndef TALLY_PRIVATE_MALLOC_WRAPPERS_H
#define TALLY_PRIVATE_MALLOC_WRAPPERS_H

#pragma GCC system_header

#include "tally/private/malloc_family.h"

/* Evaluate the argument once, then make `tag` pending. The cast lets a constant
   int become a size_t without a warning; the comma gives a bit-field a type. */
#define TALLY_PEND(condition, tag, argument)       \
    __auto_type tally_value = ((void)0, argument); \
    if (condition)                                 \
        tally_pending_tag = tag;                   \
    _Generic(tally_value, int                      \
             : (size_t)tally_value, long           \
             : (size_t)tally_value, default        \
             : tally_value)

#define TALLY_HERE(argument)                             \
    (__extension__({                                     \
        DEFINE_ALLOC_TAG(tally_tag);                     \
        TALLY_PEND(tally_is_on(), &tally_tag, argument); \
    }))

/* For realloc(), which also moves records made before. */
#define TALLY_HERE_TO_MOVE(argument)                            \
    (__extension__({                                            \
        DEFINE_ALLOC_TAG(tally_tag);                            \
        TALLY_PEND(tally_is_on_or_was(), &tally_tag, argument); \
    }))

/* An argument that may contain other calls, evaluated before or after. */
#define TALLY_BESIDE(argument)                            \
    (__extension__({                                      \
        struct alloc_tag *tally_kept = tally_pending_tag; \
        TALLY_PEND(1, tally_kept, argument);              \
    }))

/*
 * Rename the functions in the object file; Tally defines the new names, for
 * calls by address. gcc needs this also with -flto, where it must not take
 * libc's malloc() for the inline one. clang does not inline renamed functions
 * and treats the unknown names as calls into libc. Without the renaming clang
 * would see recursion: it takes the inline function and the one it calls for
 * the same function.
 */
#define TALLY_NAMED(type, name, parameters) \
    extern type name parameters __asm__("tally_" #name);

TALLY_NAMED(void *, realloc, (void *block, size_t size))
TALLY_NAMED(void *, valloc, (size_t size))
TALLY_NAMED(void *, pvalloc, (size_t size))
#ifndef __clang__
#ifndef __OPTIMIZE__ /* not inlined, which halves the time to compile a call */
#undef TALLY_NAMED
#define TALLY_NAMED(type, name, parameters) \
    extern type name parameters __asm__("tally_unoptimized_" #name);
#endif
TALLY_NAMED(void *, malloc, (size_t size))
TALLY_NAMED(void *, calloc, (size_t count, size_t size))
TALLY_NAMED(void *, aligned_alloc, (size_t alignment, size_t size))
TALLY_NAMED(void *, memalign, (size_t alignment, size_t size))
TALLY_NAMED(char *, strdup, (const char *text))
TALLY_NAMED(char *, strndup, (const char *text, size_t size))
#endif
#undef TALLY_NAMED

#define TALLY_WRAPPER(condition, type, name, sized, parameters, ...)           \
    extern __inline__ __attribute__((gnu_inline, always_inline, artificial))   \
    __attribute__((sized)) type name parameters                                \
    {                                                                          \
        return condition ? tally_tag_##name(tally_take_pending(), __VA_ARGS__) \
                         : tally_libc_##name(__VA_ARGS__);                     \
    }

#if defined __clang__ || defined __OPTIMIZE__
TALLY_FAMILY_INLINE(TALLY_WRAPPER)
#endif
#if !defined __clang__ && defined __OPTIMIZE__
TALLY_FAMILY_NAMED(TALLY_WRAPPER)
#endif
#undef TALLY_WRAPPER

#endif /* TALLY_PRIVATE_MALLOC_WRAPPERS_H */
