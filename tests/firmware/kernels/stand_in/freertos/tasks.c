/* SPDX-License-Identifier: Apache-2.0 */
/* tasks.c - tasks that a test switches */
#include "stand_in.h"

TickType_t freertos_ticks;

static TaskHandle_t tasks, current;

void freertos_add_task(TaskHandle_t task)
{
    task->next = tasks;
    tasks = task;
}

void freertos_run(TaskHandle_t task)
{
    current = task;
}

TickType_t xTaskGetTickCountFromISR(void)
{
    return freertos_ticks;
}

void vTaskDelay(TickType_t xTicksToDelay)
{
    freertos_ticks += xTicksToDelay;
}

TaskHandle_t xTaskGetCurrentTaskHandle(void)
{
    return current;
}

UBaseType_t uxTaskGetNumberOfTasks(void)
{
    UBaseType_t count = 0;

    for (TaskHandle_t task = tasks; task != NULL; task = task->next)
        count++;
    return count;
}

/* 0 if there is no room for all. */
UBaseType_t uxTaskGetSystemState(TaskStatus_t *pxTaskStatusArray,
                                 UBaseType_t uxArraySize,
                                 uint32_t *pulTotalRunTime)
{
    TaskStatus_t *status = pxTaskStatusArray;

    (void)pulTotalRunTime;
    if (uxArraySize < uxTaskGetNumberOfTasks())
        return 0;
    for (TaskHandle_t task = tasks; task != NULL; task = task->next)
        *status++ =
            (TaskStatus_t){ task, task->name, task->stack,
                            task->stack + task->words - 1, task->unused_words };
    return uxTaskGetNumberOfTasks();
}

void vTaskSetThreadLocalStoragePointer(TaskHandle_t xTaskToSet,
                                       BaseType_t xIndex, void *pvValue)
{
    (xTaskToSet == NULL ? current : xTaskToSet)->local[xIndex] = pvValue;
}

void *pvTaskGetThreadLocalStoragePointer(TaskHandle_t xTaskToQuery,
                                         BaseType_t xIndex)
{
    return (xTaskToQuery == NULL ? current : xTaskToQuery)->local[xIndex];
}
