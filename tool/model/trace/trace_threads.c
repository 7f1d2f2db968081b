/* SPDX-License-Identifier: Apache-2.0 */
/* trace_threads.c - what threads are called, as their events say */
#include "tool/model/trace/trace_threads.h"

#include <stdlib.h>
#include <string.h>

#include "tool/symbols/name_memory.h"

enum { MOST_THREADS = 4096 };

const char *trace_threads_name(const struct trace_threads *threads, uint32_t id)
{
    for (size_t i = 0; i < threads->count; i++) {
        if (threads->items[i].id == id)
            return threads->items[i].name;
    }
    return NULL;
}

static void name_thread(struct trace_threads *threads, uint32_t id,
                        const char *name)
{
    const char *known = trace_threads_name(threads, id);
    size_t count = threads->count;
    struct trace_thread *items;

    if (name[0] == '\0' || (known != NULL && strcmp(known, name) == 0))
        return;
    if (known == NULL) {
        if (count == MOST_THREADS)
            return;
        name_memory_is_needed(true);
        items = reallocarray(threads->items, count + 1, sizeof *items);
        name_memory_is_needed(false);
        if (items == NULL)
            return;
        threads->items = items;
        items[threads->count++].id = id;
        known = items[count].name;
    }
    strcpy((char *)(uintptr_t)known, name);
    threads->changes++;
}

/* Every event about a thread has its name. */
void trace_threads_take(struct trace_threads *threads,
                        const struct trace_other *other)
{
    struct ctf_walk walk =
        ctf_walk_begin(other->events, other->event, other->bytes, other->size);
    struct trace_thread thread = { 0 };
    struct ctf_value value;
    bool has_id = false;

    if (other->event->name.length < 7 ||
        memcmp(other->event->name.bytes, "thread_", 7) != 0)
        return;
    while (ctf_walk_next(&walk, &value)) {
        if (ctf_text_is(value.field->name, "thread_id")) {
            thread.id = (uint32_t)ctf_value_number(&value);
            has_id = true;
        } else if (ctf_text_is(value.field->name, "name")) {
            memcpy(thread.name, value.bytes,
                   value.size < sizeof thread.name ? value.size
                                                   : sizeof thread.name - 1);
        }
    }
    if (has_id)
        name_thread(threads, thread.id, thread.name);
}
