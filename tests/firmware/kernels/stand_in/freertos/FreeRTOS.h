/* SPDX-License-Identifier: Apache-2.0 */
/* FreeRTOS.h - a stand-in for the part of FreeRTOS that the adapters use */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "FreeRTOSConfig.h"

typedef uint32_t TickType_t;
typedef long BaseType_t;
typedef unsigned long UBaseType_t;
typedef uint32_t StackType_t;

typedef struct xHeapStats {
    size_t xAvailableHeapSpaceInBytes;
    size_t xNumberOfSuccessfulAllocations;
} HeapStats_t;

void *pvPortMalloc(size_t xWantedSize);
void vPortFree(void *pv);
void vPortGetHeapStats(HeapStats_t *pxHeapStats);
