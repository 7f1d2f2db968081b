/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_wrappers.h - part of tally/malloc.h: how a tag comes to the call in C
 *
 * malloc(TALLY_HERE(size)) evaluates its argument and then, while recording,
 * leaves its tag in a thread-local word, which the inline function called
 * malloc takes out again. Where that name is a member's or a variable's, the
 * word is left behind and means nothing: each call puts its own before it takes
 * one.
 */
#ifndef TALLY_PRIVATE_MALLOC_WRAPPERS_H
#define TALLY_PRIVATE_MALLOC_WRAPPERS_H

#pragma GCC system_header

#include "tally/private/malloc_family.h"

/*
 * The argument, once, and then `tag` is pending. An int that is a constant may
 * become a size_t without a warning only by a cast; after a comma a bit-field
 * has a type.
 */
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

/* For realloc(), which also moves what was recorded before. */
#define TALLY_HERE_TO_MOVE(argument)                            \
    (__extension__({                                            \
        DEFINE_ALLOC_TAG(tally_tag);                            \
        TALLY_PEND(tally_is_on_or_was(), &tally_tag, argument); \
    }))

/* An argument in which other calls may stand, evaluated before or after. */
#define TALLY_BESIDE(argument)                            \
    (__extension__({                                      \
        struct alloc_tag *tally_kept = tally_pending_tag; \
        TALLY_PEND(1, tally_kept, argument);              \
    }))

/*
 * Other names in the object, where Tally has functions for calls by address.
 * For gcc also because, when it links with -flto, it must not take libc's
 * malloc() for one that has to be inlined. clang does not inline what has
 * another name, and calls those that it does not know as libc's; to inline them
 * without would be a recursion, for it takes them and what they call for one
 * function.
 */
#define TALLY_NAMED(type, name, parameters) \
    extern type name parameters __asm__("tally_" #name);

TALLY_NAMED(void *, realloc, (void *block, size_t size))
TALLY_NAMED(void *, valloc, (size_t size))
TALLY_NAMED(void *, pvalloc, (size_t size))
#ifndef __clang__
TALLY_NAMED(void *, malloc, (size_t size))
TALLY_NAMED(void *, calloc, (size_t count, size_t size))
TALLY_NAMED(void *, aligned_alloc, (size_t alignment, size_t size))
TALLY_NAMED(void *, memalign, (size_t alignment, size_t size))
TALLY_NAMED(char *, strdup, (const char *text))
TALLY_NAMED(char *, strndup, (const char *text, size_t size))
#endif
#undef TALLY_NAMED

#define TALLY_WRAPPER(condition, type, name, parameters, ...)                  \
    extern __inline__ __attribute__((gnu_inline, always_inline, artificial))   \
    type name parameters                                                       \
    {                                                                          \
        return condition ? tally_tag_##name(tally_take_pending(), __VA_ARGS__) \
                         : tally_libc_##name(__VA_ARGS__);                     \
    }

TALLY_FAMILY_INLINE(TALLY_WRAPPER)
#ifndef __clang__
TALLY_FAMILY_NAMED(TALLY_WRAPPER)
#endif
#undef TALLY_WRAPPER

#endif /* TALLY_PRIVATE_MALLOC_WRAPPERS_H */
