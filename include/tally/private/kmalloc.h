/* SPDX-License-Identifier: Apache-2.0 */
/* kmalloc.h - part of tally/kmalloc.h: the functions under the macros */
#ifndef TALLY_PRIVATE_KMALLOC_H
#define TALLY_PRIVATE_KMALLOC_H

#pragma GCC system_header

#include "tally/kmalloc.h"
#include "tally/private/linkage.h"

TALLY_BEGIN_DECLS

struct kmem_cache {
    size_t size, align;
    void (*constructor)(void *object);
};

#define TALLY_KERNEL_INLINE static __inline__ __attribute__((unused))

/* Return the product; SIZE_MAX, which no allocation fits, if it overflows. */
TALLY_KERNEL_INLINE size_t size_mul(size_t count, size_t size)
{
    size_t bytes;

    return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

TALLY_KERNEL_INLINE void *kmalloc_noprof(size_t size, gfp_t flags)
{
    if (size == 0 || size > PTRDIFF_MAX)
        return size == 0 ? ZERO_SIZE_PTR : NULL;
    return (flags & __GFP_ZERO) != 0 ? (calloc_noprof)(1, size)
                                     : (malloc_noprof)(size);
}

TALLY_KERNEL_INLINE void *kmemdup_noprof(const void *from, size_t size,
                                         gfp_t flags)
{
    void *block = kmalloc_noprof(size, flags);

    return block == NULL ? NULL : __builtin_memcpy(block, from, size);
}

TALLY_KERNEL_INLINE char *kmemdup_nul_noprof(const char *text, size_t length,
                                             gfp_t flags)
{
    char *block =
        text == NULL ? NULL : (char *)kmalloc_noprof(length + 1, flags);

    if (block == NULL)
        return NULL;
    block[length] = '\0';
    return (char *)__builtin_memcpy(block, text, length);
}

TALLY_KERNEL_INLINE char *kstrndup_noprof(const char *text, size_t most,
                                          gfp_t flags)
{
    size_t length = 0;

    while (text != NULL && length < most && text[length] != '\0')
        length++;
    return kmemdup_nul_noprof(text, length, flags);
}

TALLY_KERNEL_INLINE void kfree(const void *block)
{
    if (ZERO_OR_NULL_PTR(block))
        return;
#if TALLY_HAS(LIBC)
    (free)((void *)(uintptr_t)block);
#else
    tally_tag_free((void *)(uintptr_t)block);
#endif
}

TALLY_KERNEL_INLINE void vfree(const void *block)
{
    kfree(block);
}

TALLY_KERNEL_INLINE void kvfree(const void *block)
{
    kfree(block);
}

#if TALLY_HAS(LIBC)
TALLY_KERNEL_INLINE size_t ksize(const void *block)
{
    return ZERO_OR_NULL_PTR(block)
               ? 0
               : malloc_usable_size((void *)(uintptr_t)block);
}

TALLY_KERNEL_INLINE void kfree_sensitive(const void *block)
{
    if (ksize(block) != 0)
        __builtin_memset((void *)(uintptr_t)block, 0, ksize(block));
    __asm__ volatile("" : : "r"(block) : "memory"); /* keeps the memset */
    kfree(block);
}

#define kasprintf_noprof(flags, ...)                                       \
    (__extension__({                                                       \
        char *tally_text;                                                  \
        (void)(flags);                                                     \
        asprintf_noprof(&tally_text, __VA_ARGS__) < 0 ? NULL : tally_text; \
    }))
#endif

TALLY_KERNEL_INLINE void *krealloc_noprof(const void *block, size_t size,
                                          gfp_t flags)
{
    void *old = (void *)(uintptr_t)block;

    if (size == 0 || ZERO_OR_NULL_PTR(old)) {
        kfree(old);
        return kmalloc_noprof(size, flags);
    }
#if TALLY_HAS(LIBC)
    {
        void *moved = size <= ksize(old) ? old : kmalloc_noprof(size, flags);

        if (moved == NULL || moved == old)
            return moved;
        __builtin_memcpy(moved, old, ksize(old));
        kfree(old);
        return moved;
    }
#else
    return (realloc_noprof)(old, size);
#endif
}

TALLY_KERNEL_INLINE struct kmem_cache *
kmem_cache_create(const char *name, size_t size, size_t align,
                  slab_flags_t flags, void (*constructor)(void *object))
{
    struct kmem_cache made = { size, align, constructor };

    (void)name;
    if ((flags & SLAB_HWCACHE_ALIGN) != 0 && align < 64)
        made.align = 64;
    return (struct kmem_cache *)kmemdup_noprof(&made, sizeof made, GFP_KERNEL);
}

TALLY_KERNEL_INLINE void *kmem_cache_alloc_noprof(struct kmem_cache *cache,
                                                  gfp_t flags)
{
    void *object = cache->align <= 2 * sizeof(void *)
                       ? (malloc_noprof)(cache->size)
                       : (memalign_noprof)(cache->align, cache->size);

    if (object != NULL && (flags & __GFP_ZERO) != 0)
        __builtin_memset(object, 0, cache->size);
    if (object != NULL && cache->constructor != NULL)
        cache->constructor(object);
    return object;
}

#define kmem_cache_free(cache, object) ((void)(cache), kfree(object))
#define kmem_cache_destroy(cache)      kfree(cache)

TALLY_END_DECLS

#if TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING) && \
    TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING_DEBUG)
#include "tally/private/malloc_debug.h"
#define kmalloc_noprof(...)     TALLY_DEBUG(kmalloc_noprof(__VA_ARGS__))
#define krealloc_noprof(...)    TALLY_DEBUG(krealloc_noprof(__VA_ARGS__))
#define kmemdup_noprof(...)     TALLY_DEBUG(kmemdup_noprof(__VA_ARGS__))
#define kmemdup_nul_noprof(...) TALLY_DEBUG(kmemdup_nul_noprof(__VA_ARGS__))
#define kstrndup_noprof(...)    TALLY_DEBUG(kstrndup_noprof(__VA_ARGS__))
#define kmem_cache_alloc_noprof(...) \
    TALLY_DEBUG(kmem_cache_alloc_noprof(__VA_ARGS__))
#endif

#define kzalloc_noprof(size, flags) kmalloc_noprof(size, (flags) | __GFP_ZERO)
#define kmalloc_array_noprof(count, size, flags) \
    kmalloc_noprof(size_mul(count, size), flags)
#define kcalloc_noprof(count, size, flags) \
    kzalloc_noprof(size_mul(count, size), flags)
#define krealloc_array_noprof(block, count, size, flags) \
    krealloc_noprof(block, size_mul(count, size), flags)
#define kstrdup_noprof(text, flags) kstrndup_noprof(text, SIZE_MAX - 1, flags)
#define vmalloc_noprof(size)        kmalloc_noprof(size, GFP_KERNEL)
#define vzalloc_noprof(size)        kzalloc_noprof(size, GFP_KERNEL)
#define kmem_cache_zalloc_noprof(cache, flags) \
    kmem_cache_alloc_noprof(cache, (flags) | __GFP_ZERO)
#define kvmalloc_noprof kmalloc_noprof
#define kvzalloc_noprof kzalloc_noprof
#define kvcalloc_noprof kcalloc_noprof

#endif /* TALLY_PRIVATE_KMALLOC_H */
