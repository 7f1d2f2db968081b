/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared_words.c - variables shared by callbacks and allocating code
 *
 * Compiled with optimization. The headers promise that volatile and _Atomic
 * words have their stored values, although compilers know malloc.
 */
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tally/mem_trace.h"
#include "tally/memprof.h"

static volatile int plain_phase;
static _Atomic int atomic_phase;
static volatile int seen_plain, seen_atomic;

static void *note(const struct memprof_allocation *allocation, void *context)
{
    (void)allocation;
    (void)context;
    seen_plain = plain_phase;
    seen_atomic = atomic_phase;
    return NULL;
}

static void trace(uint8_t op, void *result, void *caller, ...)
{
    (void)result;
    (void)caller;
    if (op == MBED_MEM_TRACE_MALLOC)
        note(NULL, NULL);
}

/* Stores that a compiler removes if nothing can read them. */
static int allocate(int phase)
{
    void *volatile kept;
    void *block;

    seen_plain = seen_atomic = 0;
    plain_phase = phase;
    atomic_phase = phase;
    block = malloc(100);
    plain_phase = -1;
    atomic_phase = -1;
    kept = block;
    free(kept);
    return seen_plain == phase && seen_atomic == phase;
}

int main(void)
{
    const struct memprof_tracker tracker = { .alloc_minor = note };
    struct memprof *profile;
    int is_so;

    mbed_mem_trace_set_callback(trace);
    is_so = allocate(1);
    mbed_mem_trace_set_callback(NULL);
    if (!is_so)
        fprintf(stderr, "not so: mem_trace's callback reads what is stored\n");
    memprof_start(1, 0, &tracker, &profile);
    if (!allocate(2)) {
        fprintf(stderr, "not so: memprof's callback reads what is stored\n");
        is_so = 0;
    }
    memprof_stop();
    memprof_discard(profile);
    return is_so ? 0 : 1;
}
