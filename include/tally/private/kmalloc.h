/* SPDX-License-Identifier: Apache-2.0 */
/* kmalloc.h - part of tally/kmalloc.h: the functions under the macros */
#ifndef TALLY_PRIVATE_KMALLOC_H
#define TALLY_PRIVATE_KMALLOC_H

#pragma GCC system_header

#include "tally/kmalloc.h"
#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

#define TALLY_KERNEL_INLINE static __inline__ __attribute__((unused))

TALLY_KERNEL_INLINE void *kmalloc_noprof(size_t size, gfp_t flags)
{
    return (flags & __GFP_ZERO) != 0 ? (calloc_noprof)(1, size)
                                     : (malloc_noprof)(size);
}

TALLY_KERNEL_INLINE void *kzalloc_noprof(size_t size, gfp_t flags)
{
    return kmalloc_noprof(size, flags | __GFP_ZERO);
}

TALLY_KERNEL_INLINE void *kmalloc_array_noprof(size_t count, size_t size,
                                               gfp_t flags)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return kmalloc_noprof(bytes, flags);
}

TALLY_KERNEL_INLINE void *kcalloc_noprof(size_t count, size_t size, gfp_t flags)
{
    return kmalloc_array_noprof(count, size, flags | __GFP_ZERO);
}

TALLY_KERNEL_INLINE void *kmemdup_noprof(const void *from, size_t size,
                                         gfp_t flags)
{
    void *block = kmalloc_noprof(size, flags);

    return block == NULL ? NULL : __builtin_memcpy(block, from, size);
}

TALLY_KERNEL_INLINE char *kstrndup_noprof(const char *text, size_t most,
                                          gfp_t flags)
{
    size_t length = 0;
    char *block;

    if (text == NULL)
        return NULL;
    while (length < most && text[length] != '\0')
        length++;
    block = (char *)kmalloc_noprof(length + 1, flags);
    if (block != NULL) {
        __builtin_memcpy(block, text, length);
        block[length] = '\0';
    }
    return block;
}

TALLY_KERNEL_INLINE char *kstrdup_noprof(const char *text, gfp_t flags)
{
    return kstrndup_noprof(text, SIZE_MAX - 1, flags);
}

TALLY_KERNEL_INLINE void kfree(const void *block)
{
#if TALLY_HAS(LIBC)
    (free)((void *)(uintptr_t)block);
#else
    tally_tag_free((void *)(uintptr_t)block);
#endif
}

TALLY_KERNEL_INLINE void *krealloc_noprof(const void *block, size_t size,
                                          gfp_t flags)
{
    void *old = (void *)(uintptr_t)block;

    if (old == NULL)
        return kmalloc_noprof(size, flags);
    if (size == 0) {
        kfree(old);
        return NULL;
    }
#if TALLY_HAS(LIBC)
    {
        size_t room = malloc_usable_size(old);
        void *moved;

        if (size <= room)
            return old;
        moved = kmalloc_noprof(size, flags);
        if (moved == NULL)
            return NULL;
        __builtin_memcpy(moved, old, room);
        kfree(old);
        return moved;
    }
#else
    return (realloc_noprof)(old, size);
#endif
}

TALLY_KERNEL_INLINE void *vmalloc_noprof(size_t size)
{
    return kmalloc_noprof(size, GFP_KERNEL);
}

TALLY_KERNEL_INLINE void *vzalloc_noprof(size_t size)
{
    return kmalloc_noprof(size, GFP_KERNEL | __GFP_ZERO);
}

#define kvmalloc_noprof(size, flags)        kmalloc_noprof(size, flags)
#define kvzalloc_noprof(size, flags)        kzalloc_noprof(size, flags)
#define kvcalloc_noprof(count, size, flags) kcalloc_noprof(count, size, flags)

TALLY_KERNEL_INLINE void vfree(const void *block)
{
    kfree(block);
}

TALLY_KERNEL_INLINE void kvfree(const void *block)
{
    kfree(block);
}

TALLY_END_DECLS

#if TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING) && \
    TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_DEBUG)
#include "tally/private/malloc_debug.h"
#define kmalloc_noprof(...)       TALLY_DEBUG(kmalloc_noprof(__VA_ARGS__))
#define kzalloc_noprof(...)       TALLY_DEBUG(kzalloc_noprof(__VA_ARGS__))
#define kcalloc_noprof(...)       TALLY_DEBUG(kcalloc_noprof(__VA_ARGS__))
#define kmalloc_array_noprof(...) TALLY_DEBUG(kmalloc_array_noprof(__VA_ARGS__))
#define krealloc_noprof(...)      TALLY_DEBUG(krealloc_noprof(__VA_ARGS__))
#define kmemdup_noprof(...)       TALLY_DEBUG(kmemdup_noprof(__VA_ARGS__))
#define kstrdup_noprof(...)       TALLY_DEBUG(kstrdup_noprof(__VA_ARGS__))
#define kstrndup_noprof(...)      TALLY_DEBUG(kstrndup_noprof(__VA_ARGS__))
#define vmalloc_noprof(...)       TALLY_DEBUG(vmalloc_noprof(__VA_ARGS__))
#define vzalloc_noprof(...)       TALLY_DEBUG(vzalloc_noprof(__VA_ARGS__))
#endif

#endif /* TALLY_PRIVATE_KMALLOC_H */
