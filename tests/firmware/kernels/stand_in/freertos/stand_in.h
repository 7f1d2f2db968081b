/* SPDX-License-Identifier: Apache-2.0 */
/* stand_in.h - what a test makes the stand-in do */
#pragma once

#include <stdbool.h>

#include "task.h"

struct tskTaskControlBlock {
    struct tskTaskControlBlock *next;
    const char *name;
    StackType_t *stack;
    size_t words;
    uint16_t unused_words;
    void *local[configNUM_THREAD_LOCAL_STORAGE_POINTERS];
};

extern bool freertos_is_suspended; /* vTaskSuspendAll() */
extern TickType_t freertos_ticks;

void freertos_add_task(TaskHandle_t task);

/* Make this task the running one; NULL: before the scheduler. */
void freertos_run(TaskHandle_t task);
