/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - a program with a callback for its allocations
 *
 *     cc examples/mem_trace/watch.c $(pkg-config --cflags --libs tally-record)
 *
 * First a counting callback shows that a loop allocates nothing; then the
 * default callback writes lines to descriptor 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tally/mem_trace.h"

static unsigned events;

static void count(uint8_t op, void *res, void *caller, ...)
{
    (void)op;
    (void)res;
    (void)caller;
    events++;
}

int main(void)
{
    void *volatile block;

    mbed_mem_trace_set_callback(count);
    for (unsigned i = 0; i < 1000; i++)
        ; /* work that must not allocate */
    printf("%u events in the loop\n", events);
    fflush(stdout);

    mbed_mem_trace_set_callback(mbed_mem_trace_default_callback);
    block = malloc(50);
    free(block);
    mbed_mem_trace_set_callback(NULL);
    return 0;
}
