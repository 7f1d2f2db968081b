/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmalloc.h - Linux's allocation functions on a host, charged to their callers
 *
 *     table->buckets = kcalloc(count, sizeof *table->buckets, GFP_KERNEL);
 *
 * Each call has a tag of its own; the _noprof forms charge the hook in force
 * (tally/alloc_tag.h). Flags are taken as in the kernel; of them only __GFP_ZERO
 * means something here. What is counted are the bytes that were requested.
 *
 * krealloc() is the kernel's: while the new size fits the block, nothing moves,
 * and the block stays with the tag and the bytes of its first request. Otherwise
 * it is a new one, charged to the line of the krealloc(). A size of 0 frees.
 * kfree(), vfree() and kvfree() are one function, and take NULL.
 */
#ifndef TALLY_KMALLOC_H
#define TALLY_KMALLOC_H

#pragma GCC system_header

#if __STDC_HOSTED__ /* before any other */
#include "tally/libc_headers.h"
#endif

#include "tally/alloc_tag.h"

#if !__STDC_HOSTED__
#include "tally/malloc_freestanding.h"
#elif TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING)
#include "tally/malloc_family.h"
#else
#include "tally/malloc_plain.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int gfp_t;

#define __GFP_HIGHMEM       0x02u
#define __GFP_HIGH          0x20u
#define __GFP_IO            0x40u
#define __GFP_FS            0x80u
#define __GFP_ZERO          0x100u
#define __GFP_RECLAIM       0xc00u
#define __GFP_NOWARN        0x2000u
#define __GFP_RETRY_MAYFAIL 0x4000u
#define __GFP_NOFAIL        0x8000u
#define __GFP_NORETRY       0x10000u
#define __GFP_COMP          0x40000u
#define __GFP_ACCOUNT       0x400000u

#define GFP_ATOMIC         (__GFP_HIGH | 0x400u)
#define GFP_KERNEL         (__GFP_RECLAIM | __GFP_IO | __GFP_FS)
#define GFP_KERNEL_ACCOUNT (GFP_KERNEL | __GFP_ACCOUNT)
#define GFP_NOWAIT         (0x800u | __GFP_NOWARN)
#define GFP_NOIO           __GFP_RECLAIM
#define GFP_NOFS           (__GFP_RECLAIM | __GFP_IO)
#define GFP_USER           (__GFP_RECLAIM | __GFP_IO | __GFP_FS | 0x100000u)

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
#if __STDC_HOSTED__
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
#if __STDC_HOSTED__
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

#ifdef __cplusplus
}
#endif

#define kmalloc(...)       alloc_hooks(kmalloc_noprof(__VA_ARGS__))
#define kzalloc(...)       alloc_hooks(kzalloc_noprof(__VA_ARGS__))
#define kcalloc(...)       alloc_hooks(kcalloc_noprof(__VA_ARGS__))
#define kmalloc_array(...) alloc_hooks(kmalloc_array_noprof(__VA_ARGS__))
#define krealloc(...)      alloc_hooks(krealloc_noprof(__VA_ARGS__))
#define kmemdup(...)       alloc_hooks(kmemdup_noprof(__VA_ARGS__))
#define kstrdup(...)       alloc_hooks(kstrdup_noprof(__VA_ARGS__))
#define kstrndup(...)      alloc_hooks(kstrndup_noprof(__VA_ARGS__))
#define vmalloc(...)       alloc_hooks(vmalloc_noprof(__VA_ARGS__))
#define vzalloc(...)       alloc_hooks(vzalloc_noprof(__VA_ARGS__))
#define kvmalloc(...)      alloc_hooks(kvmalloc_noprof(__VA_ARGS__))
#define kvzalloc(...)      alloc_hooks(kvzalloc_noprof(__VA_ARGS__))
#define kvcalloc(...)      alloc_hooks(kvcalloc_noprof(__VA_ARGS__))

#if TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING) && \
    TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_DEBUG)
#include "tally/malloc_debug.h"
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

#ifdef TALLY_ALL_FEATURES /* other headers ask again: libc_headers.h */
#undef _FEATURES_H
#undef _SYS_CDEFS_H
#endif

#endif /* TALLY_KMALLOC_H */
