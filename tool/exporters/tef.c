/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tef.c - write memory events for Zephelin's trace viewer
 *
 * The Trace Event Format: an array of events, each on a line here. MEMORY is
 * one event of a region. Names of regions and threads, and memory outside
 * regions, follow all events, because only then all are known. A call of an
 * allocation function becomes a counter of live bytes. Viewers need a span,
 * too: one of the trace's length.
 *
 * Other events of Zephyr are placed in between as by Zephelin's converter:
 * spans of the running thread, or points of a microsecond. Until the first
 * switch the running thread is the one that an event anywhere in the trace
 * calls main, so a file or folder is first read up to that event; in a pipe
 * main is known from that event on. The converter numbers models of TVM, or
 * several models; here they have no numbers.
 *
 * This file is long because each kind of event has a form of its own.
 *
 * Events without times are placed a microsecond apart.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "tool/exporters/exporter.h"

struct tef {
    FILE *out;
    uint64_t first_ns; /* of the stream's clock */
    uint64_t now_ns;   /* since then */
    uint64_t events;
    uint32_t thread; /* running; 0 until a switch or main's name */
    unsigned name_changes;
    bool has_first;
};

/* Start an event: all but its arguments and end. */
static void begin_event(const struct tef *tef, const char *name, char phase,
                        uint64_t ns)
{
    fputs(tef->has_first ? ",\n{\"name\":" : "[\n{\"name\":", tef->out);
    escape_json(tef->out, name);
    fprintf(tef->out, ",\"cat\":\"zephyr\",\"ph\":\"%c\",\"ts\":", phase);
    fprintf(tef->out, "%" PRIu64, ns / 1000);
    if (ns % 1000 != 0) /* microseconds, with three digits for these */
        fprintf(tef->out, ".%03u", (unsigned)(ns % 1000));
    fprintf(tef->out, ",\"pid\":0,\"tid\":%" PRIu32, tef->thread);
}

static void write_span(struct tef *tef, char phase)
{
    const struct tef whole = { .out = tef->out, .has_first = tef->has_first };

    begin_event(&whole, "memory profile", phase,
                phase == 'E' && tef->now_ns == 0 ? 1000 : tef->now_ns);
    fputs(",\"args\":{}}", tef->out);
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
            ",\"args\":{\"memory_region\":\"%s\",\"memory_addr\":%" PRIu64
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

/* Write one item of a field; a field of characters as a string up to NUL. */
static void write_value(FILE *out, const struct ctf_value *value)
{
    uint64_t number = ctf_value_number(value);
    char text[CTF_EVENT_LIMIT + 1];
    unsigned unused = value->size < 8 ? 64 - 8 * (unsigned)value->size : 0;
    float single;

    if (value->field->value == TSDL_LETTER) {
        snprintf(text, sizeof text, "%.*s", (int)value->size,
                 (const char *)value->bytes);
        escape_json(out, text);
    } else if (value->field->value == TSDL_FLOAT && value->size == 4) {
        memcpy(&single, value->bytes, 4);
        if (isfinite(single))
            fprintf(out, "%.17g", (double)single);
        else
            fputs("null", out);
    } else if (value->field->value == TSDL_SIGNED && value->size > 0) {
        fprintf(out, "%" PRId64, (int64_t)(number << unused) >> unused);
    } else {
        fprintf(out, "%" PRIu64, number);
    }
}

static void write_field(FILE *out, const struct ctf_value *value)
{
    const struct ctf_field *field = value->field;
    bool is_list = field->value != TSDL_LETTER &&
                   (field->count != 1 || field->length_of > 0);
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)field->name.length,
             field->name.bytes);
    escape_json(out, name);
    fputs(is_list ? ":[" : ":", out);
    for (size_t i = 0;
         is_list && i + field->bytes <= value->size && field->bytes;
         i += field->bytes) {
        const struct ctf_value item = { field, value->bytes + i, field->bytes };

        fputs(i > 0 ? "," : "", out);
        write_value(out, &item);
    }
    if (is_list)
        fputc(']', out);
    else
        write_value(out, value);
}

/* Names of events in Zephelin's viewer: the prefix, ... */
struct other_name {
    const char *ctf, *tef;
    const char *field; /* ... or the value of this field; NULL: none */
    char phase;        /* 0: by the end of the name */
    const char *runtime;
};

static const char tflm[] = "TFLite Micro", tvm[] = "microTVM";

static const struct other_name other_names[] = {
    { "zpl_cpu_load_event", "CPU_LOAD", NULL, 'M', NULL },
    { "zpl_die_temp_event", "DIE_TEMP", NULL, 'M', NULL },
    { "thread_info", "THREAD", NULL, 'M', NULL },
    { "named_event", "", "name", 0, NULL },
    { "zpl_tflm", "MODEL::", "tag", 0, tflm },
    { "zpl_tvm", "MODEL::", "tag", 0, tvm },
    { "zpl_scope", "SCOPE::", "scope_name", 0, NULL },
    { "zpl_inference", "INFERENCE::MODEL", NULL, 0, NULL },
};

/* Reduce TVM's function name to its operator; as an argument without a
   number. */
static void cut_function(struct ctf_value *tag, bool is_argument)
{
    static const char prefix[] = "tvmgen_default_";
    size_t length = strnlen((const char *)tag->bytes, tag->size);

    if (length >= sizeof prefix - 1 &&
        memcmp(tag->bytes, prefix, sizeof prefix - 1) == 0) {
        tag->bytes += sizeof prefix - 1;
        length -= sizeof prefix - 1;
    }
    tag->size = length;
    while (length > 0 && isdigit(tag->bytes[length - 1]))
        length--;
    if (is_argument && length > 0 && tag->bytes[length - 1] == '_')
        tag->size = length - 1;
}

static void write_other(struct tef *tef, const struct trace_other *other,
                        const struct other_name *known, const char *name,
                        char phase, uint64_t ns)
{
    struct ctf_walk walk = trace_other_walk(other);
    struct ctf_value value;
    const char *runtime = known == NULL ? NULL : known->runtime;
    const char *separator = ",\"args\":{";

    begin_event(tef, name, phase, ns);
    for (; ctf_walk_next(&walk, &value); separator = ",") {
        if (runtime == tvm && text_is(value.field->name, "tag"))
            cut_function(&value, true);
        fputs(separator, tef->out);
        write_field(tef->out, &value);
    }
    if (runtime != NULL && separator[1] == '\0')
        fprintf(tef->out, ",\"runtime\":\"%s\"", runtime);
    fputs(separator[1] == '\0' ? "}}" : "}", tef->out);
}

static bool find_field(const struct trace_other *other, const char *name,
                       struct ctf_value *value)
{
    struct ctf_walk walk = trace_other_walk(other);

    while (ctf_walk_next(&walk, value)) {
        if (text_is(value->field->name, name))
            return true;
    }
    *value = (struct ctf_value){ 0 };
    return false;
}

static void make_name(const struct trace_other *other,
                      const struct other_name *known, char *name, size_t size)
{
    static const char *const indexes[] = { "subgraph_idx", "op_idx" };
    struct ctf_value value = { 0 };
    size_t length;

    if (known->field != NULL && find_field(other, known->field, &value) &&
        known->runtime == tvm)
        cut_function(&value, false);
    snprintf(name, size, "%s%.*s", known->tef, (int)value.size,
             value.size == 0 ? "" : (const char *)value.bytes);
    for (size_t i = 0; known->runtime == tflm && i < 2; i++) {
        length = strlen(name);
        if (find_field(other, indexes[i], &value))
            snprintf(name + length, size - length, "_%" PRIu64,
                     ctf_value_number(&value));
    }
}

/* Write B and E for *_enter and *_exit, both for an event without duration. */
static void take_other(struct tef *tef, const struct trace_other *other)
{
    const struct other_name *known = NULL;
    char name[CTF_EVENT_LIMIT + 64], phase = 0, *end;
    struct ctf_value thread;
    uint32_t running;

    take_time(tef, other->time_ns);
    snprintf(name, 96, "%.*s", (int)other->event->name.length,
             other->event->name.bytes);
    end = strrchr(name, '_');
    if (end != NULL && end != name &&
        (strcmp(end, "_enter") == 0 || strcmp(end, "_exit") == 0)) {
        phase = end[2] == 'n' ? 'B' : 'E';
        *end = '\0';
    }
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
        if (strcmp(other_names[i].ctf, name) == 0)
            known = &other_names[i];
    }
    if (known != NULL)
        make_name(other, known, name, sizeof name);
    running = tef->thread;
    if (find_field(other, "thread_id", &thread))
        tef->thread = (uint32_t)ctf_value_number(&thread);
    if (known != NULL && known->phase != 0)
        phase = known->phase;
    write_other(tef, other, known, name, phase == 0 ? 'B' : phase, tef->now_ns);
    if (phase == 0)
        write_other(tef, other, known, name, 'E', tef->now_ns + 1000);
    if (!text_is(other->event->name, "thread_switched_in"))
        tef->thread = running;
}

static void take_region(struct tef *tef, const struct zpl_event *event,
                        struct regions *regions)
{
    uint64_t number = tef->events++;

    take_time(tef, event->time_ns == ZPL_EVENT_NO_TIME ? number * 1000
                                                       : event->time_ns);
    write_memory(tef, event);
    regions_add(regions, event);
}

static void take_call(struct tef *tef, const struct mem_trace_event *event,
                      struct call_accounts *calls)
{
    uint64_t number = tef->events++;

    call_accounts_add(calls, event);
    take_time(tef, event->has_time ? event->time_ns : number * 1000);
    begin_event(tef, "allocated", 'C', tef->now_ns);
    fprintf(tef->out,
            ",\"args\":{\"live_bytes\":%" PRIu64 ",\"live_blocks\":%" PRIu64
            "}}",
            call_accounts_live_bytes(calls), call_accounts_live_blocks(calls));
}

static void write_thread(const struct tef *tef, uint32_t thread,
                         const char *name)
{
    fprintf(tef->out,
            ",\n{\"name\":\"thread_name\",\"cat\":\"zephyr\",\"ph\":\"M\","
            "\"pid\":0,\"tid\":%" PRIu32 ",\"args\":{\"name\":",
            thread);
    escape_json(tef->out, name);
    fputs("}}", tef->out);
}

/* Write each thread once, with any number of stacks. */
static void write_threads(const struct tef *tef, const struct regions *regions,
                          const struct trace_threads *named,
                          struct trace_names *names)
{
    OWNED uint64_t *threads =
        memory_zeroed(regions->count + named->count + 1, sizeof *threads);
    size_t count = 0;

    for (size_t i = 0; i < regions->count; i++) {
        if (regions->items[i].thread != 0)
            threads[count++] = regions->items[i].thread;
    }
    for (size_t i = 0; i < named->count; i++)
        threads[count++] = named->items[i].id;
    ARRAY_SORT(threads, count, array_compare);
    for (size_t i = 0; i < count; i++) {
        const char *name =
            i > 0 && threads[i] == threads[i - 1]
                ? NULL
                : trace_names_thread(names, (uint32_t)threads[i]);

        if (name != NULL)
            write_thread(tef, (uint32_t)threads[i], name);
    }
}

/* Compare by address alone: a heap in a k_heap has its name once. */
static void write_symbols(const struct tef *tef, const struct regions *regions,
                          struct trace_names *names)
{
    OWNED uint64_t *addresses =
        memory_zeroed(regions->count + 1, sizeof *addresses);
    const char *separator = "";

    for (size_t i = 0; i < regions->count; i++)
        addresses[i] = regions->items[i].address;
    ARRAY_SORT(addresses, regions->count, array_compare);
    begin_event(tef, "MEMORY::SYMBOLS", 'M', 0);
    fputs(",\"args\":{", tef->out);
    for (size_t i = 0; i < regions->count; i++) {
        const char *name = i > 0 && addresses[i] == addresses[i - 1]
                               ? NULL
                               : trace_names_object(names, addresses[i]);

        if (name == NULL)
            continue;
        fprintf(tef->out, "%s\"%" PRIu64 "\":", separator, addresses[i]);
        escape_json(tef->out, name);
        separator = ",";
    }
    fputs("}}", tef->out);
}

static void write_end(struct tef *tef, struct regions *regions,
                      const struct trace_threads *named,
                      struct trace_names *names)
{
    tef->thread = 0;
    regions_finish(regions);
    name_regions(names, regions);
    write_span(tef, 'E');
    write_threads(tef, regions, named, names);
    write_symbols(tef, regions, names);
    begin_event(tef, "MEMORY::STATICALLY_ASSIGNED_MEM", 'M', 0);
    fprintf(tef->out, ",\"args\":%" PRIu64 "}\n]\n",
            static_memory(names, regions));
}

/* Find the main thread, which runs until a switch, if another thread has a
   name. */
static void find_main(struct tef *tef, const struct trace_threads *threads)
{
    if (tef->thread != 0 || tef->name_changes == threads->changes)
        return;
    tef->name_changes = threads->changes;
    for (size_t i = 0; i < threads->count && tef->thread == 0; i++) {
        if (strcmp(threads->items[i].name, "main") == 0)
            tef->thread = threads->items[i].id;
    }
}

/* Read ahead to find the main thread. A trace of calls has no threads. */
static void look_ahead(struct tef *tef, const struct trace *trace)
{
    struct source_failure failure;
    struct trace_event event = { 0 };
    struct trace again;

    if (trace_open_again(trace, &again, &failure) < 0)
        return;
    again.wants_others = true;
    while (tef->thread == 0 && event.kind != TRACE_EVENT_CALL &&
           trace_next(&again, &event, &failure) > 0)
        find_main(tef, &again.threads);
    trace_close(&again);
    tef->name_changes = 0;
}

static int write_events(struct tef *tef, struct trace *trace,
                        struct regions *regions, struct source_failure *failure)
{
    OWNED struct call_accounts *calls = memory_zeroed(1, sizeof *calls);
    struct trace_event event;
    int got;

    trace->wants_others = true;
    while ((got = trace_next(trace, &event, failure)) > 0) {
        find_main(tef, &trace->threads);
        if (event.kind == TRACE_EVENT_OTHER)
            take_other(tef, &event.other);
        else if (event.kind == TRACE_EVENT_CALL)
            take_call(tef, &event.call, calls);
        else
            take_region(tef, &event.region, regions);
    }
    call_accounts_close(calls);
    return got;
}

static int write_tef(struct trace *trace, struct trace_names *names,
                     const struct export_files *files,
                     struct source_failure *failure)
{
    struct tef tef = { .out = files->out };
    struct regions regions = { 0 };
    struct trace_counts counts;
    int error;

    look_ahead(&tef, trace);
    error = write_events(&tef, trace, &regions, failure);
    trace_count(trace, &counts);
    if (error == 0 && !tef.has_first && trace_counts_are_of_trace(&counts))
        take_time(&tef, 0);
    if (error == 0 && tef.has_first)
        write_end(&tef, &regions, &trace->threads, names);
    regions_close(&regions);
    return error;
}

const struct exporter exporter_tef = {
    .summary = "of a trace: for Zephelin's trace viewer and speedscope",
    .write_trace = write_tef,
};
