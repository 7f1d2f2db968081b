/* SPDX-License-Identifier: Apache-2.0 */
/* freertos.c - a program of FreeRTOS with the adapters of docs/firmware.md */
#include "stand_in.h"

#include <stdarg.h>

#include "board.h"
#include "suite_board.h"
#include "tally/mem_trace.h"
#include "tally/port.h"
#include "tally/thread.h"

static StackType_t stacks[2][128];
static struct tskTaskControlBlock reader = { NULL, "reader", stacks[0],
                                             128,  100,      { NULL } };
static struct tskTaskControlBlock writer = { NULL, "writer", stacks[1],
                                             64,   8,        { NULL } };

static void *kept;

__attribute__((noinline)) void make_queue(void)
{
    kept = pvPortMalloc(100);
}

__attribute__((noinline)) void make_buffers(void)
{
    void *last;

    (void)pvPortMalloc(41);
    last = pvPortMalloc(41);
    if (FREERTOS_HEAP != 1)
        vPortFree(last);
}

__attribute__((noinline)) void ask_for_too_much(void)
{
    board_check("it is refused", pvPortMalloc(1000000) == NULL);
}

static void is_suspended(uint8_t op, void *res, void *caller, ...)
{
    (void)op, (void)res, (void)caller;
    board_check("the scheduler is suspended", freertos_is_suspended);
}

static void run(unsigned task)
{
    static struct tally_thread threads[2];

    freertos_run(task == 0 ? &reader : &writer);
    vTaskSetThreadLocalStoragePointer(NULL, 0, &threads[task]);
}

int main(void)
{
    mbed_mem_trace_set_callback(is_suspended);
    board_check("there is a block", pvPortMalloc(8) != NULL);
    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    make_queue();
    make_buffers();
    ask_for_too_much();
    mbed_mem_trace_set_callback(NULL);

    freertos_ticks = 4000000000u;
    board_check("ticks are the clock",
                tally_port_time_ns() == UINT64_C(4000000000) * 1000000);
    tally_port_wait(NULL, 0, TALLY_PORT_FOREVER);
    board_check("a thread waits for a tick", freertos_ticks == 4000000001u);

    board_check_tags(run);
    freertos_add_task(&reader);
    freertos_add_task(&writer);
    board_send_regions();
    return board_status();
}
