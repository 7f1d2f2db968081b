/* SPDX-License-Identifier: Apache-2.0 */
/* mem_trace.c - tally/mem_trace.h on Zephyr; the lock is the scheduler's */
#include "tally/mem_trace.h"

#include <stdarg.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "ports/zephyr/calls.h"

mbed_mem_trace_cb_t tally_calls_traced_by =
    IS_ENABLED(CONFIG_TALLY_MEM_TRACE_LINES) ? mbed_mem_trace_default_callback
                                             : NULL;
static mbed_mem_trace_cb_t reserve;

void mbed_mem_trace_set_callback(mbed_mem_trace_cb_t cb)
{
    tally_calls_traced_by = cb;
}

void mbed_mem_trace_disable(void)
{
    if (tally_calls_traced_by != NULL)
        reserve = tally_calls_traced_by;
    tally_calls_traced_by = NULL;
}

void mbed_mem_trace_enable(void)
{
    if (tally_calls_traced_by == NULL)
        tally_calls_traced_by = reserve;
}

void mbed_mem_trace_lock(void)
{
    k_sched_lock();
}

void mbed_mem_trace_unlock(void)
{
    k_sched_unlock();
}

void mbed_mem_trace_default_callback(uint8_t op, void *res, void *caller, ...)
{
    static const char *const forms[] = {
        [MBED_MEM_TRACE_MALLOC] = "#m:0x%lx;0x%lx-%lu\n",
        [MBED_MEM_TRACE_REALLOC] = "#r:0x%lx;0x%lx-0x%lx;%lu\n",
        [MBED_MEM_TRACE_CALLOC] = "#c:0x%lx;0x%lx-%lu;%lu\n",
        [MBED_MEM_TRACE_FREE] = "#f:0x%lx;0x%lx-0x%lx\n",
    };
    va_list given;
    unsigned long first, second = 0;

    va_start(given, caller);
    first = va_arg(given, unsigned long);
    if (op == MBED_MEM_TRACE_REALLOC || op == MBED_MEM_TRACE_CALLOC)
        second = va_arg(given, unsigned long);
    va_end(given);
    printk(forms[op], (unsigned long)res, (unsigned long)caller, first, second);
}
