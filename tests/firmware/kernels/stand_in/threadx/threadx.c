/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threadx.c - pools that give each byte once, and threads that a test switches
 *
 * Each block has ThreadX's overhead before it: two words in a byte pool, one in
 * a block pool, which point to the pool.
 */
#include "stand_in.h"

#include <stdint.h>

enum { BYTES_OVERHEAD = 2 * sizeof(void *), BLOCK_OVERHEAD = sizeof(void *) };

ULONG threadx_ticks;
TX_THREAD *threadx_current;

static TX_BYTE_POOL *last_byte_pool;
static TX_BLOCK_POOL *last_block_pool;

#define ENTER_RING(pool, last, next) \
    (pool)->next = (pool);           \
    if ((last) != NULL) {            \
        (pool)->next = (last)->next; \
        (last)->next = (pool);       \
    }                                \
    (last) = (pool)

UINT tx_byte_pool_create(TX_BYTE_POOL *pool, CHAR *name, VOID *start,
                         ULONG size)
{
    *pool = (TX_BYTE_POOL){ name, size, start, size, NULL };
    ENTER_RING(pool, last_byte_pool, tx_byte_pool_created_next);
    return TX_SUCCESS;
}

UINT tx_byte_allocate(TX_BYTE_POOL *pool, VOID **memory, ULONG size, ULONG wait)
{
    ULONG taken = size + BYTES_OVERHEAD;
    UCHAR *start;

    (void)wait;
    if (taken > pool->tx_byte_pool_available)
        return TX_NO_MEMORY;
    start = pool->tx_byte_pool_start + pool->tx_byte_pool_size -
            pool->tx_byte_pool_available;
    ((void **)(void *)start)[0] = pool;
    ((uintptr_t *)(void *)start)[1] = taken;
    pool->tx_byte_pool_available -= taken;
    *memory = start + BYTES_OVERHEAD;
    return TX_SUCCESS;
}

UINT tx_byte_release(VOID *memory)
{
    UCHAR *start = (UCHAR *)memory - BYTES_OVERHEAD;
    TX_BYTE_POOL *pool = *(void **)(void *)start;

    pool->tx_byte_pool_available += ((uintptr_t *)(void *)start)[1];
    return TX_SUCCESS;
}

UINT tx_block_pool_create(TX_BLOCK_POOL *pool, CHAR *name, ULONG block_size,
                          VOID *start, ULONG size)
{
    UINT total = (UINT)(size / (block_size + BLOCK_OVERHEAD));

    *pool =
        (TX_BLOCK_POOL){ name, total, total, start, (UINT)block_size, NULL };
    ENTER_RING(pool, last_block_pool, tx_block_pool_created_next);
    return TX_SUCCESS;
}

UINT tx_block_allocate(TX_BLOCK_POOL *pool, VOID **block, ULONG wait)
{
    UCHAR *start = pool->tx_block_pool_available_list;

    (void)wait;
    if (pool->tx_block_pool_available == 0)
        return TX_NO_MEMORY;
    pool->tx_block_pool_available--;
    pool->tx_block_pool_available_list +=
        pool->tx_block_pool_block_size + BLOCK_OVERHEAD;
    *(void **)(void *)start = pool;
    *block = start + BLOCK_OVERHEAD;
    return TX_SUCCESS;
}

UINT tx_block_release(VOID *block)
{
    TX_BLOCK_POOL *pool = *(void **)(void *)((UCHAR *)block - BLOCK_OVERHEAD);

    pool->tx_block_pool_available++;
    return TX_SUCCESS;
}

TX_THREAD *tx_thread_identify(VOID)
{
    return threadx_current;
}

UINT tx_thread_sleep(ULONG ticks)
{
    threadx_ticks += ticks;
    return TX_SUCCESS;
}

ULONG tx_time_get(VOID)
{
    return threadx_ticks;
}
