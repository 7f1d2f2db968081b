/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc_overloads.h - part of tally/malloc.h: how a tag comes to the call in C++
 *
 * malloc(TALLY_HERE(size)) passes an object that holds the size and the tag. It
 * picks the overload below; for a member called malloc it converts back.
 */
#ifndef TALLY_MALLOC_OVERLOADS_H
#define TALLY_MALLOC_OVERLOADS_H

#pragma GCC system_header

#include "tally/malloc_family.h"

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

#define TALLY_OVERLOAD \
    template <class Size> inline __attribute__((always_inline, artificial))

TALLY_OVERLOAD void *malloc(const tally::here<Size> &size)
{
    return tally_is_on() ? tally_tag_malloc(size.tag, (size_t)size.value)
                         : tally_libc_malloc((size_t)size.value);
}

TALLY_OVERLOAD void *calloc(size_t count, const tally::here<Size> &size)
{
    return tally_is_on() ? tally_tag_calloc(size.tag, count, (size_t)size.value)
                         : tally_libc_calloc(count, (size_t)size.value);
}

TALLY_OVERLOAD void *realloc(void *block, const tally::here<Size> &size)
{
    return tally_is_on_or_was()
               ? tally_tag_realloc(size.tag, block, (size_t)size.value)
               : tally_libc_realloc(block, (size_t)size.value);
}

TALLY_OVERLOAD void *aligned_alloc(size_t alignment,
                                   const tally::here<Size> &size)
{
    return tally_is_on()
               ? tally_tag_aligned_alloc(size.tag, alignment,
                                         (size_t)size.value)
               : tally_libc_aligned_alloc(alignment, (size_t)size.value);
}

TALLY_OVERLOAD int posix_memalign(void **block, size_t alignment,
                                  const tally::here<Size> &size)
{
    return tally_is_on() ? tally_tag_posix_memalign(size.tag, block, alignment,
                                                    (size_t)size.value)
                         : tally_libc_posix_memalign(block, alignment,
                                                     (size_t)size.value);
}

TALLY_OVERLOAD void *memalign(size_t alignment, const tally::here<Size> &size)
{
    return tally_is_on()
               ? tally_tag_memalign(size.tag, alignment, (size_t)size.value)
               : tally_libc_memalign(alignment, (size_t)size.value);
}

TALLY_OVERLOAD void *valloc(const tally::here<Size> &size)
{
    return tally_is_on() ? tally_tag_valloc(size.tag, (size_t)size.value)
                         : tally_libc_valloc((size_t)size.value);
}

TALLY_OVERLOAD void *pvalloc(const tally::here<Size> &size)
{
    return tally_is_on() ? tally_tag_pvalloc(size.tag, (size_t)size.value)
                         : tally_libc_pvalloc((size_t)size.value);
}

TALLY_OVERLOAD char *strdup(const tally::here<Size> &text)
{
    return tally_is_on() ? tally_tag_strdup(text.tag, text.value)
                         : tally_libc_strdup(text.value);
}

TALLY_OVERLOAD char *strndup(const char *text, const tally::here<Size> &size)
{
    return tally_is_on() ? tally_tag_strndup(size.tag, text, (size_t)size.value)
                         : tally_libc_strndup(text, (size_t)size.value);
}

namespace std
{
using ::aligned_alloc;
using ::calloc;
using ::malloc;
using ::realloc;
} // namespace std

#endif /* TALLY_MALLOC_OVERLOADS_H */
