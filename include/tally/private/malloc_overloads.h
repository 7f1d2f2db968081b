/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_overloads.h - part of tally/malloc.h: passing a tag to the call in C++
 *
 * malloc(TALLY_HERE(size)) passes an object with the size and the tag, which
 * selects the overload below. For a member function named malloc it converts
 * back to the size.
 */
#ifndef TALLY_PRIVATE_MALLOC_OVERLOADS_H
#define TALLY_PRIVATE_MALLOC_OVERLOADS_H

#pragma GCC system_header

#include "tally/private/malloc_family.h"

namespace tally
{

template <class Value> struct here {
    Value value;
    alloc_tag *tag;

    operator Value() const
    {
        return value;
    }
};

template <class Value>
inline __attribute__((always_inline)) here<Value> at(Value value,
                                                     alloc_tag *tag)
{
    here<Value> made = { value, tag };

    return made;
}

} // namespace tally

#define TALLY_HERE(...)                          \
    ::tally::at(__VA_ARGS__, __extension__({     \
                    DEFINE_ALLOC_TAG(tally_tag); \
                    &tally_tag;                  \
                }))

#define TALLY_HERE_TO_MOVE(argument) TALLY_HERE(argument)
#define TALLY_BESIDE(argument)       argument

/* The last argument, `here`, carries the tag. */
#define TALLY_OVERLOAD(condition, type, name, parameters, ...)             \
    template <class Size>                                                  \
    inline __attribute__((always_inline, artificial)) type name parameters \
    {                                                                      \
        return condition ? tally_tag_##name(here.tag, __VA_ARGS__)         \
                         : tally_libc_##name(__VA_ARGS__);                 \
    }
#define TALLY_SIZE_HERE (size_t) here.value

TALLY_OVERLOAD(tally_is_on(), void *, malloc, (const tally::here<Size> &here),
               TALLY_SIZE_HERE)
TALLY_OVERLOAD(tally_is_on(), void *, calloc,
               (size_t count, const tally::here<Size> &here), count,
               TALLY_SIZE_HERE)
TALLY_OVERLOAD(tally_is_on_or_was(), void *, realloc,
               (void *block, const tally::here<Size> &here), block,
               TALLY_SIZE_HERE)
TALLY_OVERLOAD(tally_is_on(), void *, aligned_alloc,
               (size_t alignment, const tally::here<Size> &here), alignment,
               TALLY_SIZE_HERE)
TALLY_OVERLOAD(tally_is_on(), int, posix_memalign,
               (void **block, size_t alignment, const tally::here<Size> &here),
               block, alignment, TALLY_SIZE_HERE)
TALLY_OVERLOAD(tally_is_on(), void *, memalign,
               (size_t alignment, const tally::here<Size> &here), alignment,
               TALLY_SIZE_HERE)
TALLY_OVERLOAD(tally_is_on(), void *, valloc, (const tally::here<Size> &here),
               TALLY_SIZE_HERE)
TALLY_OVERLOAD(tally_is_on(), void *, pvalloc, (const tally::here<Size> &here),
               TALLY_SIZE_HERE)
TALLY_OVERLOAD(tally_is_on(), char *, strdup, (const tally::here<Size> &here),
               here.value)
TALLY_OVERLOAD(tally_is_on(), char *, strndup,
               (const char *text, const tally::here<Size> &here), text,
               TALLY_SIZE_HERE)
#undef TALLY_OVERLOAD
#undef TALLY_SIZE_HERE

namespace std
{
using ::aligned_alloc;
using ::calloc;
using ::malloc;
using ::realloc;
} // namespace std

#endif /* TALLY_PRIVATE_MALLOC_OVERLOADS_H */
