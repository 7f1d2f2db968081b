/* SPDX-License-Identifier: Apache-2.0 */
/* told.c - a program for Mbed OS, as it is */
#include <stdlib.h>

#include "platform/mbed_mem_trace.h"

int main(void)
{
    void *block;

    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    block = malloc(50);
    free(block);
    block = calloc(25, 10);
    block = realloc(block, 80);
    free(block);
    mbed_mem_trace_set_callback(NULL);
    return 0;
}
