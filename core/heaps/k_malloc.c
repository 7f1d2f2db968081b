/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k_malloc.c - the k_heap behind k_malloc()
 *
 * Its size is set by the program on hosts, and when the library is built on
 * firmware.
 */
#include "core/accounts/regions.h"
#include "core/heaps/heap_chunk.h"
#include "tally/k_heap.h"
#include "tally/port.h"

#if TALLY_HAS(OS)
__attribute__((weak)) size_t tally_k_heap_pool_size = K_HEAP_MEM_POOL_SIZE;

static struct k_heap system_heap;

static struct k_heap *pool(void)
{
    static uint32_t is_open;
    void *memory;
    uint32_t key;

    if (__atomic_load_n(&is_open, __ATOMIC_ACQUIRE) != 0)
        return &system_heap;
    regions_open();
    key = tally_port_lock();
    memory = is_open ? NULL : registry_memory_take(tally_k_heap_pool_size);
    if (memory != NULL) {
        heap_open(&system_heap.heap, memory, tally_k_heap_pool_size,
                  LEDGER_REGION_K_HEAP);
        heap_define(&system_heap.heap, &system_heap, "k_malloc");
        __atomic_store_n(&is_open, 1, __ATOMIC_RELEASE);
    }
    tally_port_unlock(key);
    return &system_heap;
}
#else
static unsigned char __aligned(8) memory[K_HEAP_MEM_POOL_SIZE];
static struct k_heap system_heap = TALLY_K_HEAP_OF(memory, sizeof memory);

static struct k_heap *pool(void)
{
    return &system_heap;
}
#endif

void *k_malloc(size_t size)
{
    return k_heap_alloc(pool(), size, K_NO_WAIT);
}

void *k_aligned_alloc(size_t align, size_t size)
{
    return k_heap_aligned_alloc(pool(), align, size, K_NO_WAIT);
}

void *k_calloc(size_t num, size_t size)
{
    return k_heap_calloc(pool(), num, size, K_NO_WAIT);
}

void *k_realloc(void *ptr, size_t size)
{
    return k_heap_realloc(pool(), ptr, size, K_NO_WAIT);
}

void k_free(void *ptr)
{
    k_heap_free(pool(), ptr);
}
