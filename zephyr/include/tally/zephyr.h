/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zephyr.h - charge Zephyr's allocations to their source line
 *
 *     packet = k_malloc(100);               // charged to this line
 *     entry = alloc_hooks(make_entry(key)); // a helper's blocks, too
 *
 * With CONFIG_TALLY_CODE_TAGS=y, the application's sources in C have this
 * header in front; sources of other libraries include it themselves. A source
 * that has a function or field of such a name says #undef.
 */
#pragma once

#include <stdlib.h>
#include <zephyr/kernel.h>

#include "tally/alloc_tag.h"

#define k_malloc(...)             alloc_hooks(k_malloc(__VA_ARGS__))
#define k_calloc(...)             alloc_hooks(k_calloc(__VA_ARGS__))
#define k_realloc(...)            alloc_hooks(k_realloc(__VA_ARGS__))
#define k_aligned_alloc(...)      alloc_hooks(k_aligned_alloc(__VA_ARGS__))
#define k_heap_alloc(...)         alloc_hooks(k_heap_alloc(__VA_ARGS__))
#define k_heap_calloc(...)        alloc_hooks(k_heap_calloc(__VA_ARGS__))
#define k_heap_realloc(...)       alloc_hooks(k_heap_realloc(__VA_ARGS__))
#define k_heap_aligned_alloc(...) alloc_hooks(k_heap_aligned_alloc(__VA_ARGS__))
#define k_mem_slab_alloc(...)     alloc_hooks(k_mem_slab_alloc(__VA_ARGS__))
#define malloc(...)               alloc_hooks(malloc(__VA_ARGS__))
#define calloc(...)               alloc_hooks(calloc(__VA_ARGS__))
#define realloc(...)              alloc_hooks(realloc(__VA_ARGS__))
#define aligned_alloc(...)        alloc_hooks(aligned_alloc(__VA_ARGS__))
