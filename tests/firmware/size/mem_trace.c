/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_trace.c - an allocator that reports each block, by the default callback
 */
#include "tally/mem_trace.h"
#include "board.h"

int main(void)
{
    void *caller = __builtin_return_address(0);

    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    mbed_mem_trace_lock();
    (void)mbed_mem_trace_malloc(stack, 1, caller);
    (void)mbed_mem_trace_realloc(stack, stack, 2, caller);
    (void)mbed_mem_trace_calloc(stack, 3, 4, caller);
    mbed_mem_trace_free(stack, caller);
    mbed_mem_trace_unlock();
    mbed_mem_trace_disable();
    mbed_mem_trace_enable();
    return 0;
}
