/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ctf.c - write a trace as CTF, for babeltrace2, Trace Compass and Tally
 *
 * A stream has events of one kind, that of its first event. Events without
 * times are placed a microsecond apart.
 */
#include "tool/exporters/exporter.h"

#include "format/events/events_stream.h"

enum { NS_APART = 1000 };

/* Layout that fits each event, with addresses of any width. */
static const struct ctf_layout layout = {
    .version = 1,
    .address_bytes = 8,
    .has_packets = true,
};

struct ctf_export {
    FILE *out;
    uint64_t events;
    enum trace_event_kind kind; /* kind of all events */
    struct regions regions;     /* regions to be named */
    struct events_writer calls;
    struct ctf_writer zpl;
    unsigned char buffer[EVENTS_PACKET_LIMIT];
};

_Static_assert((int)EVENTS_PACKET_LIMIT >= (int)CTF_PACKET_LIMIT,
               "one buffer for both");

/* Write a packet; the FILE keeps the error. */
static bool write_packet(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

static void add_call(struct ctf_export *ctf, struct mem_trace_event event)
{
    if (!event.has_time)
        event.time_ns = ctf->events * NS_APART;
    events_writer_add(&ctf->calls, &event);
}

static void add_region(struct ctf_export *ctf, struct zpl_event event)
{
    regions_add(&ctf->regions, &event);
    if (event.time_ns == ZPL_EVENT_NO_TIME)
        event.time_ns = ctf->events * NS_APART;
    ctf_writer_event(&ctf->zpl, &event);
}

static int add_event(struct ctf_export *ctf, const struct trace_event *event,
                     struct source_failure *failure)
{
    /* The first event decides the kind of all. */
    if (ctf->events == 0)
        ctf->kind = event->kind;
    if (ctf->events == 0 && event->kind == TRACE_EVENT_REGION)
        ctf_writer_open(&ctf->zpl, &layout, ctf->buffer, CTF_PACKET_LIMIT,
                        (struct tally_zpl_sink){ write_packet, ctf->out });
    if (event->kind != ctf->kind)
        return source_fail(failure,
                           "it has regions and calls, and a stream of CTF is "
                           "of one kind",
                           "use --to text");
    if (event->kind == TRACE_EVENT_CALL)
        add_call(ctf, event->call);
    else
        add_region(ctf, event->region);
    ctf->events++;
    return 0;
}

/* List the names of threads and regions. */
static struct ctf_name *list_names(const struct regions *regions)
{
    struct ctf_name *list = memory_zeroed(regions->count + 1, sizeof *list);
    size_t count = 0;

    for (size_t i = 0; i < regions->count; i++) {
        const struct region *region = &regions->items[i];

        if (region->name == NULL)
            continue;
        list[count++] = (struct ctf_name){
            .name = memory_or_exit(escape_copy(ESCAPE_TERMINAL, region->name)),
            .number = region->thread != 0 ? region->thread : region->address,
            .what = region->thread != 0 ? CTF_NAMED_THREAD : CTF_NAMED_REGION,
        };
    }
    return list;
}

static size_t write_metadata(const struct ctf_export *ctf, char *text,
                             size_t size,
                             const struct ctf_surroundings *surroundings)
{
    return ctf->kind == TRACE_EVENT_CALL
               ? events_metadata_write(text, size, surroundings)
               : ctf_metadata_write(text, size, &layout, surroundings);
}

static void describe(struct ctf_export *ctf, const struct trace *trace,
                     struct trace_names *names, FILE *out)
{
    struct trace_program program = trace_program_find(trace);
    struct ctf_surroundings surroundings = {
        .program = program.path,
        .load_address = program.load_address,
    };
    OWNED struct ctf_name *list = NULL;
    size_t size;
    OWNED char *text = NULL;

    if (ctf->kind == TRACE_EVENT_CALL)
        surroundings.sample_interval = program.sample_interval;
    regions_finish(&ctf->regions);
    name_regions(names, &ctf->regions);
    surroundings.names = list = list_names(&ctf->regions);
    size = write_metadata(ctf, NULL, 0, &surroundings);
    text = memory_zeroed(size, 1);
    write_metadata(ctf, text, size, &surroundings);
    fwrite(text, 1, size, out);
    for (size_t i = 0; list[i].name != NULL; i++)
        free((char *)(uintptr_t)list[i].name);
    trace_program_close(&program);
}

static int write_events(struct ctf_export *ctf, struct trace *trace,
                        struct source_failure *failure)
{
    struct trace_counts counts;
    struct trace_event event;
    uint64_t lost;
    int got;

    while ((got = trace_next(trace, &event, failure)) > 0) {
        if (add_event(ctf, &event, failure) < 0)
            return -1;
    }
    trace_count(trace, &counts);
    lost = counts.losses[TRACE_LOSS_discarded_events] +
           counts.losses[TRACE_LOSS_missing_events];
    if (ctf->kind == TRACE_EVENT_CALL) {
        events_writer_lose(&ctf->calls, lost);
        events_writer_finish(&ctf->calls);
    } else {
        ctf->zpl.discarded += (uint32_t)lost;
        ctf_writer_flush(&ctf->zpl);
    }
    return got;
}

static int write_ctf(struct trace *trace, struct trace_names *names,
                     const struct export_files *files,
                     struct source_failure *failure)
{
    OWNED struct ctf_export *ctf = memory_zeroed(1, sizeof *ctf);
    int error;

    ctf->out = files->out;
    ctf->kind = TRACE_EVENT_CALL;
    events_writer_open(&ctf->calls, 0, ctf->buffer, sizeof ctf->buffer,
                       (struct tally_zpl_sink){ write_packet, files->out });
    error = write_events(ctf, trace, failure);
    if (error == 0 && files->metadata != NULL)
        describe(ctf, trace, names, files->metadata);
    regions_close(&ctf->regions);
    return error;
}

const struct exporter exporter_ctf = {
    .summary = "of a trace: for babeltrace2; with -o, a folder",
    .has_metadata = true,
    .write_trace = write_ctf,
};
