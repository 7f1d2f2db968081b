/* SPDX-License-Identifier: Apache-2.0 */
/* trace_sum.c - see trace_figures.h */
#include "tool/model/trace/trace_figures.h"

enum { BATCH_SIZE = 64 };

void name_regions(struct trace_names *names, struct regions *regions)
{
    for (size_t i = 0; i < regions->count; i++) {
        struct region *region = &regions->items[i];
        struct zpl_event event = {
            .memory_addr = region->address,
            .for_thread_id = region->thread,
            .memory_region = region->kind,
        };
        const char *name = trace_names_find(names, &event);

        if (name != NULL)
            region->name = memory_text(name);
    }
}

void trace_sum_add(struct trace_sum *sum, const struct trace_event *event)
{
    if (event->kind == TRACE_EVENT_CALL)
        call_accounts_add(&sum->calls, &event->call);
    else if (event->kind == TRACE_EVENT_REGION)
        regions_add(&sum->regions, &event->region);
}

/* Events read ahead while their sites are prefetched. */
struct batch {
    struct trace_event events[BATCH_SIZE];
    size_t count;
};

static int read_batch(const struct trace_sum *sum, struct trace *trace,
                      struct batch *batch, struct source_failure *failure)
{
    int got = 1;

    for (batch->count = 0; batch->count < BATCH_SIZE && got > 0;) {
        struct trace_event *event = &batch->events[batch->count];

        got = trace_next(trace, event, failure);
        if (got > 0 && event->kind == TRACE_EVENT_CALL)
            call_accounts_expect(&sum->calls, &event->call);
        batch->count += got > 0;
    }
    return got;
}

int trace_sum_read(struct trace_sum *sum, struct trace *trace,
                   struct source_failure *failure)
{
    struct batch batch;
    int got;

    do {
        got = read_batch(sum, trace, &batch, failure);
        if (sum->calls.events == 0 && batch.count > 0 &&
            batch.events[0].kind == TRACE_EVENT_CALL) {
            struct trace_program program = trace_program_find(trace);

            sum->calls.sample_interval = program.sample_interval;
            trace_program_close(&program);
        }
        for (size_t i = 0; i < batch.count; i++)
            trace_sum_add(sum, &batch.events[i]);
    } while (got > 0);
    trace_count(trace, &sum->counts);
    return got;
}

int trace_sum_load(struct trace_sum *sum, struct trace *trace,
                   struct trace_names *names, struct source_failure *failure)
{
    if (trace_sum_read(sum, trace, failure) < 0)
        return -1;
    sum->program = trace_program_find(trace);
    regions_finish(&sum->regions);
    call_accounts_finish(&sum->calls);
    name_regions(names, &sum->regions);
    return 0;
}

void trace_sum_close(struct trace_sum *sum)
{
    regions_close(&sum->regions);
    call_accounts_close(&sum->calls);
    trace_program_close(&sum->program);
}
