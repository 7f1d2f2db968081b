/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmalloc.h - the Linux kernel's allocation functions on hosts, charged to
 * their callers
 *
 *     table->buckets = kcalloc(count, sizeof *table->buckets, GFP_KERNEL);
 *
 * Each call has its own tag; the _noprof forms charge the enclosing hook
 * (tally/alloc_tag.h). With the kernel's parameters:
 *
 *     kmalloc kzalloc kcalloc kmalloc_array krealloc krealloc_array kmemdup
 *     kmemdup_nul kstrdup kstrndup kasprintf vmalloc vzalloc kvmalloc kvzalloc
 *     kvcalloc kvmalloc_array kvrealloc kmem_cache_create KMEM_CACHE
 *     kmem_cache_alloc kmem_cache_zalloc kmem_cache_free kmem_cache_destroy
 *     kfree kfree_sensitive kvfree vfree ksize size_mul
 *
 * A request for 0 bytes returns ZERO_SIZE_PTR, also by krealloc(p, 0), which
 * frees p; all frees accept it and NULL. If the new size fits the block,
 * krealloc() moves nothing, and the block keeps its tag and requested size.
 * Otherwise a new block is charged to the line of the krealloc().
 *
 * Differences: only the flags __GFP_ZERO and SLAB_HWCACHE_ALIGN have an effect.
 * Accounts count requested bytes. Blocks are aligned as malloc()'s. vmalloc(0)
 * returns ZERO_SIZE_PTR. A cache calls its constructor at each allocation, and
 * does not look for objects when it is destroyed. kasprintf() has libc's
 * conversions, kvrealloc() three parameters.
 *
 * Missing: pages, per-CPU memory, mempools, devm_*, *_node, *_obj, *_bulk,
 * struct kmem_cache_args, kvasprintf, kstrdup_const, kmemdup_array, vrealloc,
 * __vmalloc, vcalloc, kvfree_sensitive, memdup_user, kfree_rcu, __free(kfree),
 * struct_size. Firmware has no kasprintf, kfree_sensitive and ksize.
 */
#if !defined TALLY_KMALLOC_H && !defined __ASSEMBLER__
#define TALLY_KMALLOC_H

#pragma GCC system_header

#include "tally/config.h"

#if TALLY_HAS(LIBC) /* must precede all other includes */
#include "tally/private/libc_headers.h"
#endif

#include "tally/alloc_tag.h"

#if !TALLY_HAS(LIBC)
#include "tally/private/malloc_freestanding.h"
#elif TALLY_CONFIG(CONFIG_MEM_ALLOC_PROFILING)
#include "tally/private/malloc_family.h"
#else
#include "tally/private/malloc_plain.h"
#endif

typedef unsigned int gfp_t;
typedef unsigned int slab_flags_t;

#define __GFP_DMA            0x01u
#define __GFP_HIGHMEM        0x02u
#define __GFP_DMA32          0x04u
#define __GFP_MOVABLE        0x08u
#define __GFP_HIGH           0x20u
#define __GFP_IO             0x40u
#define __GFP_FS             0x80u
#define __GFP_ZERO           0x100u
#define __GFP_DIRECT_RECLAIM 0x400u
#define __GFP_KSWAPD_RECLAIM 0x800u
#define __GFP_RECLAIM        0xc00u
#define __GFP_NOWARN         0x2000u
#define __GFP_RETRY_MAYFAIL  0x4000u
#define __GFP_NOFAIL         0x8000u
#define __GFP_NORETRY        0x10000u
#define __GFP_MEMALLOC       0x20000u
#define __GFP_COMP           0x40000u
#define __GFP_NOMEMALLOC     0x80000u
#define __GFP_HARDWALL       0x100000u
#define __GFP_THISNODE       0x200000u
#define __GFP_ACCOUNT        0x400000u

#define GFP_ATOMIC           (__GFP_HIGH | __GFP_KSWAPD_RECLAIM)
#define GFP_KERNEL           (__GFP_RECLAIM | __GFP_IO | __GFP_FS)
#define GFP_KERNEL_ACCOUNT   (GFP_KERNEL | __GFP_ACCOUNT)
#define GFP_NOWAIT           (__GFP_KSWAPD_RECLAIM | __GFP_NOWARN)
#define GFP_NOIO             __GFP_RECLAIM
#define GFP_NOFS             (__GFP_RECLAIM | __GFP_IO)
#define GFP_USER             (GFP_KERNEL | __GFP_HARDWALL)
#define GFP_DMA              __GFP_DMA
#define GFP_DMA32            __GFP_DMA32
#define GFP_HIGHUSER         (GFP_USER | __GFP_HIGHMEM)
#define GFP_HIGHUSER_MOVABLE (GFP_HIGHUSER | __GFP_MOVABLE)

#define SLAB_HWCACHE_ALIGN   0x2000u
#define SLAB_RECLAIM_ACCOUNT 0x20000u
#define SLAB_PANIC           0x40000u
#define SLAB_TYPESAFE_BY_RCU 0x80000u
#define SLAB_ACCOUNT         0x4000000u

/* not NULL, and not to be dereferenced */
#define ZERO_SIZE_PTR           ((void *)16)
#define ZERO_OR_NULL_PTR(block) ((uintptr_t)(block) <= 16)

#define kmalloc(...)          alloc_hooks(kmalloc_noprof(__VA_ARGS__))
#define kzalloc(...)          alloc_hooks(kzalloc_noprof(__VA_ARGS__))
#define kcalloc(...)          alloc_hooks(kcalloc_noprof(__VA_ARGS__))
#define kmalloc_array(...)    alloc_hooks(kmalloc_array_noprof(__VA_ARGS__))
#define krealloc(...)         alloc_hooks(krealloc_noprof(__VA_ARGS__))
#define krealloc_array(...)   alloc_hooks(krealloc_array_noprof(__VA_ARGS__))
#define kmemdup(...)          alloc_hooks(kmemdup_noprof(__VA_ARGS__))
#define kmemdup_nul(...)      alloc_hooks(kmemdup_nul_noprof(__VA_ARGS__))
#define kstrdup(...)          alloc_hooks(kstrdup_noprof(__VA_ARGS__))
#define kstrndup(...)         alloc_hooks(kstrndup_noprof(__VA_ARGS__))
#define kasprintf(...)        alloc_hooks(kasprintf_noprof(__VA_ARGS__))
#define vmalloc(...)          alloc_hooks(vmalloc_noprof(__VA_ARGS__))
#define vzalloc(...)          alloc_hooks(vzalloc_noprof(__VA_ARGS__))
#define kmem_cache_alloc(...) alloc_hooks(kmem_cache_alloc_noprof(__VA_ARGS__))
#define kmem_cache_zalloc(...) \
    alloc_hooks(kmem_cache_zalloc_noprof(__VA_ARGS__))
#define KMEM_CACHE(type, flags)                                             \
    kmem_cache_create(#type, sizeof(struct type), __alignof__(struct type), \
                      flags, NULL)

#define kvmalloc       kmalloc
#define kvzalloc       kzalloc
#define kvcalloc       kcalloc
#define kvmalloc_array kmalloc_array
#define kvrealloc      krealloc

#include "tally/private/kmalloc.h"

#ifdef TALLY_ALL_FEATURES /* later headers ask again: libc_headers.h */
#undef _FEATURES_H
#undef _SYS_CDEFS_H
#endif

#endif /* TALLY_KMALLOC_H */
