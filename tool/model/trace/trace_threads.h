/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_threads.h - what threads are called, as their events say
 */
#ifndef TALLY_TOOL_MODEL_TRACE_THREADS_H
#define TALLY_TOOL_MODEL_TRACE_THREADS_H

#include <stddef.h>

#include "tool/model/trace/trace_event.h"

struct trace_thread {
    uint32_t id;
    char name[64];
};

/* All fields 0 is empty; the owner frees the items. */
struct trace_threads {
    struct trace_thread *items;
    size_t count;
    unsigned changes;
};

/* Look for a name in an event of a thread. See name_memory.h. */
void trace_threads_take(struct trace_threads *threads,
                        const struct trace_other *other);

/* The last name that an event gave, or NULL. */
const char *trace_threads_name(const struct trace_threads *threads,
                               uint32_t id);

#endif /* TALLY_TOOL_MODEL_TRACE_THREADS_H */
