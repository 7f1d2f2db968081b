/* SPDX-License-Identifier: Apache-2.0 */
/* kheap.c - heaps and slabs that take the host's memory, and the scheduler */
#include "tests/zephyr/kheap.h"

#include <zephyr/shell/shell.h>
#include <zephyr/sys/printk.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool kheap_is_isr, kheap_is_early;
int kheap_locks;
size_t kheap_thread = 1;
void (*kheap_others)(void);

bool k_is_in_isr(void)
{
    return kheap_is_isr;
}

bool k_is_pre_kernel(void)
{
    return kheap_is_early;
}

k_tid_t k_current_get(void)
{
    static struct k_thread threads[100];

    return &threads[kheap_thread];
}

unsigned int irq_lock(void)
{
    return 0;
}

void irq_unlock(unsigned int key)
{
    (void)key;
}

void k_sched_lock(void)
{
    if (kheap_is_isr || kheap_is_early)
        abort();
    kheap_locks++;
}

void k_sched_unlock(void)
{
    if (kheap_is_isr || kheap_is_early || kheap_locks-- == 0)
        abort();
}

void *k_heap_aligned_alloc(struct k_heap *heap, size_t align, size_t size,
                           k_timeout_t timeout)
{
    (void)heap;
    (void)align;
    if (timeout.ticks != 0 && kheap_locks != 0)
        abort(); /* it might wait */
    if (timeout.ticks != 0 && kheap_others != NULL)
        kheap_others();
    return size > 1000 ? NULL : __real_malloc(size);
}

void *k_heap_alloc(struct k_heap *heap, size_t size, k_timeout_t timeout)
{
    return k_heap_aligned_alloc(heap, sizeof(void *), size, timeout);
}

void *k_heap_calloc(struct k_heap *heap, size_t count, size_t size,
                    k_timeout_t timeout)
{
    return k_heap_aligned_alloc(heap, sizeof(void *), count * size, timeout);
}

void *k_heap_realloc(struct k_heap *heap, void *block, size_t size,
                     k_timeout_t timeout)
{
    (void)heap;
    (void)timeout;
    return size > 1000 ? NULL : __real_realloc(block, size);
}

void k_heap_free(struct k_heap *heap, void *block)
{
    (void)heap;
    __real_free(block);
}

int k_mem_slab_alloc(struct k_mem_slab *slab, void **block, k_timeout_t timeout)
{
    (void)timeout;
    *block = __real_malloc(slab->BLOCK_SIZE);
    return 0;
}

#if KERNEL_VERSION_NUMBER >= 0x30500
void k_mem_slab_free(struct k_mem_slab *slab, void *block)
#else
void k_mem_slab_free(struct k_mem_slab *slab, void **block)
#endif
{
    (void)slab;
    __real_free(BLOCK_OF(block));
}

void printk(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

void shell_print(const struct shell *shell, const char *format, ...)
{
    va_list arguments;

    (void)shell;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}
