/* SPDX-License-Identifier: Apache-2.0 */
/* kheap.h - the scripted side of a kernel with heaps and slabs */
#pragma once

#include <zephyr/kernel.h>

#if KERNEL_VERSION_NUMBER >= 0x30500
#define BLOCK_SIZE      info.block_size
#define BLOCK_OF(block) (block)
#define GIVEN(block)    (block)
#else
#define BLOCK_SIZE      block_size
#define BLOCK_OF(block) (*(block))
#define GIVEN(block)    (&(block))
#endif

extern bool kheap_is_isr, kheap_is_early;
extern int kheap_locks;     /* of the scheduler */
extern size_t kheap_thread; /* the current one */

/* other threads, which run while a call waits */
extern void (*kheap_others)(void);

/* The host's functions, which the linker redirects. */
void *__real_malloc(size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
