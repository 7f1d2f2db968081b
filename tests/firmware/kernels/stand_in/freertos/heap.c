/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap.c - FreeRTOS's heaps, as FREERTOS_HEAP says: 1 to 5
 *
 * The sizes that they tell, and those that they take, are theirs; a block comes
 * back only if it was the last one.
 */
#include <stdlib.h>

#include "FreeRTOS.h"
#include "stand_in.h"

enum { ALIGNMENT = 8, HEADER = FREERTOS_HEAP == 1 ? 0 : 8 };

bool freertos_is_suspended;

#if FREERTOS_HEAP == 3
void *pvPortMalloc(size_t xWantedSize)
{
    void *block;

    freertos_is_suspended = true;
    block = malloc(xWantedSize);
    traceMALLOC(block, xWantedSize);
    freertos_is_suspended = false;
    return block;
}

void vPortFree(void *pv)
{
    freertos_is_suspended = true;
    free(pv);
    traceFREE(pv, 0);
    freertos_is_suspended = false;
}
#else
static _Alignas(ALIGNMENT) unsigned char heap[configTOTAL_HEAP_SIZE];
static size_t end; /* of the last block */
static size_t used;

void *pvPortMalloc(size_t xWantedSize)
{
    void *block = NULL;

    xWantedSize =
        (xWantedSize + HEADER + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    freertos_is_suspended = true;
    if (xWantedSize <= sizeof heap - end) {
        *(size_t *)(void *)(heap + end) = xWantedSize;
        block = heap + end + HEADER;
        end += xWantedSize;
        used += xWantedSize;
    }
    traceMALLOC(block, xWantedSize);
    freertos_is_suspended = false;
    return block;
}

void vPortFree(void *pv)
{
#if FREERTOS_HEAP == 1
    (void)pv;
    abort();
#else
    unsigned char *start = (unsigned char *)pv - HEADER;
    size_t size = *(size_t *)(void *)start;

    freertos_is_suspended = true;
    used -= size;
    if (start + size == heap + end)
        end -= size;
    traceFREE(pv, size);
    freertos_is_suspended = false;
#endif
}

void vPortGetHeapStats(HeapStats_t *pxHeapStats)
{
    pxHeapStats->xAvailableHeapSpaceInBytes = sizeof heap - used;
}
#endif
