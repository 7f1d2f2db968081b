/* SPDX-License-Identifier: Apache-2.0 */
/* task.h - a stand-in for the part of FreeRTOS that the adapters use */
#pragma once

#include <stdint.h>

#include "FreeRTOS.h"

typedef struct tskTaskControlBlock *TaskHandle_t;

typedef struct xTASK_STATUS {
    TaskHandle_t xHandle;
    const char *pcTaskName;
    StackType_t *pxStackBase;
    StackType_t *pxEndOfStack; /* the last word */
    uint16_t usStackHighWaterMark;
} TaskStatus_t;

TickType_t xTaskGetTickCountFromISR(void);
void vTaskDelay(TickType_t xTicksToDelay);
TaskHandle_t xTaskGetCurrentTaskHandle(void);
UBaseType_t uxTaskGetNumberOfTasks(void);
UBaseType_t uxTaskGetSystemState(TaskStatus_t *pxTaskStatusArray,
                                 UBaseType_t uxArraySize,
                                 uint32_t *pulTotalRunTime);
void vTaskSetThreadLocalStoragePointer(TaskHandle_t xTaskToSet,
                                       BaseType_t xIndex, void *pvValue);
void *pvTaskGetThreadLocalStoragePointer(TaskHandle_t xTaskToQuery,
                                         BaseType_t xIndex);
