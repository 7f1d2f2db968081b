/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tef.c - memory events as Zephelin's trace viewer reads them
 *
 * The Trace Event Format: an array of events, each on a line here. MEMORY is one
 * event of a region; what the regions and threads are called, and the memory that
 * is no region's, come behind all of them, as only then is known what to name.
 * A call of an allocation function shows as a counter, how much is live then.
 * Viewers want a span, too: one that lasts as long as the trace.
 *
 * A trace without times has a microsecond from event to event.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool/exporters/exporter.h"
#include "tool/model/call_accounts.h"
#include "tool/model/static_memory.h"
#include "tool/model/trace_sum.h"
#include "tool/text/json_text.h"

struct tef {
    FILE *out;
    uint64_t first_ns; /* of the writer's clock */
    uint64_t now_ns;   /* since then */
    uint64_t events;
    bool has_first;
};

/* In microseconds; the digits behind the point are nanoseconds. */
static void write_time(FILE *out, uint64_t ns)
{
    fprintf(out, "%" PRIu64, ns / 1000);
    if (ns % 1000 != 0)
        fprintf(out, ".%03u", (unsigned)(ns % 1000));
}

static void begin_event(const struct tef *tef, const char *name, char phase,
                        uint64_t ns)
{
    fprintf(tef->out, "%s{\"name\":\"%s\",\"cat\":\"zephyr\",\"ph\":\"%c\"",
            tef->has_first ? ",\n" : "[\n", name, phase);
    fputs(",\"ts\":", tef->out);
    write_time(tef->out, ns);
    fputs(",\"pid\":0,\"tid\":0,\"args\":", tef->out);
}

static void write_span(struct tef *tef, char phase)
{
    begin_event(tef, "memory profile", phase,
                phase == 'E' && tef->now_ns == 0 ? 1000 : tef->now_ns);
    fputs("{}}", tef->out);
    tef->has_first = true;
}

static void write_memory(const struct tef *tef, const struct zpl_event *event)
{
    static const char *const regions[] = {
        [ZPL_STACK] = "STACK",
        [ZPL_HEAP] = "HEAP",
        [ZPL_K_HEAP] = "K_HEAP",
        [ZPL_MEM_SLAB] = "MEM_SLAB",
    };

    begin_event(tef, "MEMORY", 'M', tef->now_ns);
    fprintf(tef->out,
            "{\"memory_region\":\"%s\",\"memory_addr\":%" PRIu64
            ",\"used\":%" PRIu32 ",\"unused\":%" PRIu32
            ",\"for_thread_id\":%" PRIu32 "}}",
            regions[event->memory_region], event->memory_addr, event->used,
            event->unused, event->for_thread_id);
}

static void take_time(struct tef *tef, uint64_t ns)
{
    if (!tef->has_first) {
        tef->first_ns = ns;
        write_span(tef, 'B');
    }
    tef->now_ns = ns < tef->first_ns ? 0 : ns - tef->first_ns;
}

static int take_region(struct tef *tef, const struct zpl_event *event,
                       struct regions *regions)
{
    int error = regions_add(regions, event);
    uint64_t number = tef->events++;

    take_time(tef, event->time_ns == ZPL_EVENT_NO_TIME ? number * 1000
                                                       : event->time_ns);
    write_memory(tef, event);
    return error;
}

static int take_call(struct tef *tef, const struct mem_trace_event *event,
                     struct call_accounts *calls)
{
    int error = call_accounts_add(calls, event);
    uint64_t number = tef->events++;

    take_time(tef, event->has_time ? event->time_ns : number * 1000);
    begin_event(tef, "allocated", 'C', tef->now_ns);
    fprintf(tef->out,
            "{\"live_bytes\":%" PRIu64 ",\"live_blocks\":%" PRIu64 "}}",
            call_accounts_live_bytes(calls), call_accounts_live_blocks(calls));
    return error;
}

static int compare_threads(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return a < b ? -1 : a > b;
}

static void write_thread(const struct tef *tef, uint32_t thread,
                         const char *name)
{
    fprintf(tef->out,
            ",\n{\"name\":\"thread_name\",\"cat\":\"zephyr\",\"ph\":\"M\","
            "\"pid\":0,\"tid\":%" PRIu32 ",\"args\":{\"name\":",
            thread);
    json_text_write(tef->out, name);
    fputs("}}", tef->out);
}

/* Each thread once, whatever the number of its stacks. */
static int write_threads(const struct tef *tef, const struct regions *regions,
                         struct trace_names *names)
{
    uint32_t *threads = calloc(regions->count + 1, sizeof *threads);
    size_t count = 0;

    if (threads == NULL)
        return -1;
    for (size_t i = 0; i < regions->count; i++) {
        if (regions->items[i].thread != 0)
            threads[count++] = regions->items[i].thread;
    }
    qsort(threads, count, sizeof *threads, compare_threads);
    for (size_t i = 0; i < count; i++) {
        const char *name = i > 0 && threads[i] == threads[i - 1]
                               ? NULL
                               : trace_names_thread(names, threads[i]);

        if (name != NULL)
            write_thread(tef, threads[i], name);
    }
    free(threads);
    return 0;
}

static int compare_addresses(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return a < b ? -1 : a > b;
}

/* By address alone: a heap in a k_heap has the name once. */
static int write_symbols(const struct tef *tef, const struct regions *regions,
                         struct trace_names *names)
{
    uint64_t *addresses = calloc(regions->count + 1, sizeof *addresses);
    const char *separator = "";

    if (addresses == NULL)
        return -1;
    for (size_t i = 0; i < regions->count; i++)
        addresses[i] = regions->items[i].address;
    qsort(addresses, regions->count, sizeof *addresses, compare_addresses);
    begin_event(tef, "MEMORY::SYMBOLS", 'M', 0);
    fputc('{', tef->out);
    for (size_t i = 0; i < regions->count; i++) {
        const char *name = i > 0 && addresses[i] == addresses[i - 1]
                               ? NULL
                               : trace_names_object(names, addresses[i]);

        if (name == NULL)
            continue;
        fprintf(tef->out, "%s\"%" PRIu64 "\":", separator, addresses[i]);
        json_text_write(tef->out, name);
        separator = ",";
    }
    fputs("}}", tef->out);
    free(addresses);
    return 0;
}

static int write_end(struct tef *tef, struct regions *regions,
                     struct trace_names *names)
{
    regions_finish(regions);
    if (name_regions(names, regions) < 0)
        return -1;
    write_span(tef, 'E');
    if (write_threads(tef, regions, names) < 0 ||
        write_symbols(tef, regions, names) < 0)
        return -1;
    begin_event(tef, "MEMORY::STATICALLY_ASSIGNED_MEM", 'M', 0);
    fprintf(tef->out, "%" PRIu64 "}\n]\n", static_memory(names, regions));
    return 0;
}

static int write_events(struct tef *tef, struct trace *trace,
                        struct regions *regions, struct source_failure *failure)
{
    struct call_accounts *calls = calloc(1, sizeof *calls);
    struct trace_event event;
    int error = calls == NULL ? -1 : 0, got = 1;

    while (error == 0 && (got = trace_next(trace, &event, failure)) > 0)
        error = event.kind == TRACE_EVENT_CALL
                    ? take_call(tef, &event.call, calls)
                    : take_region(tef, &event.region, regions);
    if (calls != NULL)
        call_accounts_close(calls);
    free(calls);
    if (error < 0)
        return source_fail(failure, "there is not enough memory to export it",
                           "free some and try again");
    return got;
}

static int write_tef(struct trace *trace, struct trace_names *names,
                     const struct export_files *files,
                     struct source_failure *failure)
{
    struct tef tef = { .out = files->out };
    struct regions regions = { 0 };
    int error = write_events(&tef, trace, &regions, failure);
    struct trace_counts counts;

    trace_count(trace, &counts);
    if (error == 0 && !tef.has_first && trace_counts_are_of_trace(&counts))
        take_time(&tef, 0);
    if (error == 0 && tef.has_first && write_end(&tef, &regions, names) < 0)
        error = source_fail(failure, "there is not enough memory to export it",
                            "free some and try again");
    regions_close(&regions);
    return error;
}

const struct exporter exporter_tef = {
    .name = "tef",
    .summary = "of a trace: for Zephelin's trace viewer and speedscope",
    .write_trace = write_tef,
};
