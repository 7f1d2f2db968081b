/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kmalloc.h - the Linux kernel's allocation functions on hosts, charged to
 * their callers
 *
 *     table->buckets = kcalloc(count, sizeof *table->buckets, GFP_KERNEL);
 *
 * Each call has its own tag; the _noprof forms charge the enclosing hook
 * (tally/alloc_tag.h):
 *
 *     void *kmalloc(size_t size, gfp_t flags);
 *     void *kzalloc(size_t size, gfp_t flags);
 *     void *kcalloc(size_t count, size_t size, gfp_t flags);
 *     void *kmalloc_array(size_t count, size_t size, gfp_t flags);
 *     void *krealloc(const void *block, size_t size, gfp_t flags);
 *     void *kmemdup(const void *from, size_t size, gfp_t flags);
 *     char *kstrdup(const char *text, gfp_t flags);
 *     char *kstrndup(const char *text, size_t most, gfp_t flags);
 *     void *vmalloc(size_t size), *vzalloc(size_t size);
 *     void kfree(const void *block), vfree(const void *block);
 *
 * kvmalloc(), kvzalloc(), kvcalloc() and kvfree() are the same as their
 * k-forms.
 *
 * Flags are those of the kernel; only __GFP_ZERO has an effect. Accounts count
 * requested bytes.
 *
 * krealloc() works like the kernel's. If the new size fits the block, nothing
 * moves, and the block keeps its tag and requested size. Otherwise a new block
 * is charged to the line of the krealloc(). A size of 0 frees the block.
 * kfree(), vfree() and kvfree() do the same and accept NULL.
 */
#ifndef TALLY_KMALLOC_H
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

TALLY_BEGIN_DECLS

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

TALLY_END_DECLS

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

#include "tally/private/kmalloc.h"

#ifdef TALLY_ALL_FEATURES /* later headers ask again: libc_headers.h */
#undef _FEATURES_H
#undef _SYS_CDEFS_H
#endif

#endif /* TALLY_KMALLOC_H */
