/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture.c - tally capture: keep the trace that a program sends
 *
 * Bytes are kept as they come, and parsed only to report on them. A signal ends
 * the capture after the bytes that have arrived.
 *
 * This file is long because receiving, keeping and showing meet in one loop.
 */
#include <inttypes.h>
#include <poll.h>

#include "format/text/zpl_text.h"
#include "tool/capture/capture.h"
#include "tool/commands/load/load.h"
#include "tool/render/render.h"

enum {
    BLOCK_SIZE = 1 << 16,
    DEFAULT_WAIT = 5,       /* seconds */
    MOST_SECONDS = 1000000, /* of an option */
    LATE_BLOCKS = 16,       /* most blocks read after a signal */
    LINE_MS = 200,          /* between two lines that show what arrives */
    LINE_SIZE = 512,
    CALLS_SIZE = 160,
};

struct capture_options {
    struct capture_order order;
    const char *output;
    int milliseconds; /* -1: until the source ends */
    bool is_forced;
};

struct capture {
    const struct capture_options *options;
    struct capture_source source;
    struct capture_file file;
    bool has_line;         /* standard error is a terminal */
    uint64_t next_line_ms; /* 0: none was shown */
    struct trace_stream *stream;
    struct trace_sum sum;
    struct zpl_event last; /* last event of a region */
    uint64_t end_ms;       /* 0: none */
    unsigned char block[BLOCK_SIZE];
};

static int take_time(const char *name, const char *value, void *field)
{
    uint64_t ns;

    if (!parse_duration(value, &ns) || ns > MOST_SECONDS * UINT64_C(1000000000))
        return complain_about_value(name, value,
                                    "a time such as " PARSE_DURATION_EXAMPLES);
    *(int *)field = (int)(ns / 1000000);
    return COMMAND_GO_ON;
}

/* Read a duration; 0 means forever. */
static int take_wait(const char *name, const char *value, void *field)
{
    int *ms = field, status = take_time(name, value, ms);

    *ms = *ms == 0 ? -1 : *ms;
    return status;
}

static const struct option_rule rules[] = {
    { "output", 'o', OPTION_NAMES(struct capture_options, output) },
    { "force", 'f', OPTION_SETS(struct capture_options, is_forced) },
    { "wait",
      OPTION_TAKES(take_wait, struct capture_options, order.milliseconds) },
    { "seconds",
      OPTION_TAKES(take_time, struct capture_options, milliseconds) },
    { "enable", OPTION_SETS(struct capture_options, order.has_enable) },
    { 0 },
};

static const struct option_table table = {
    .command = "capture",
    .help = help_capture,
    .arguments = ARGUMENT_FILE,
    .shared = OPTIONS_METADATA,
    .rules = rules,
};

static int parse(int argc, char **argv, struct capture_options *options)
{
    int status = options_read(&table, argc, argv, options);

    if (status == COMMAND_GO_ON)
        status = options_take_one(&table, "source", argc, argv,
                                  &options->order.source);
    if (status == COMMAND_GO_ON && options->output == NULL)
        return complain("capture", "no file is named", "name one with -o FILE");
    return status;
}

static int fail_output(const struct capture *capture)
{
    return complain(
        capture->options->output, strerror(errno),
        "free disk space and capture again; earlier events are kept");
}

/* Write metadata. The stream's clock was 0 at the arrival of the first event
   minus its time. */
static int describe(struct capture *capture, const struct trace_event *first)
{
    struct ctf_layout layout = trace_stream_layout(capture->stream);
    uint64_t now, time_ns = trace_event_time(first), zero;

    if (layout.version == 0 || capture->file.is_described)
        return 0;
    now = clock_ns(CLOCK_REALTIME);
    zero = capture->source.is_live && time_ns < now ? now - time_ns : 0;
    return capture_file_describe(&capture->file, &layout, zero);
}

/* Read all complete events. */
static int take_events(struct capture *capture)
{
    struct trace_event event;

    while (trace_stream_next(capture->stream, &event)) {
        if (describe(capture, &event) < 0)
            return fail_output(capture);
        if (event.kind == TRACE_EVENT_REGION)
            capture->last = event.region;
        trace_sum_add(&capture->sum, &event);
    }
    return COMMAND_GO_ON;
}

/* Write "live 1,024 bytes in 3 blocks, peak 2,048"; return `out`. */
static const char *capture_calls(char out[CALLS_SIZE],
                                 const struct call_accounts *calls)
{
    uint64_t bytes = call_accounts_live_bytes(calls);
    uint64_t blocks = call_accounts_live_blocks(calls);

    snprintf(out, CALLS_SIZE, "live %s byte%s in %s block%s, peak %s",
             NUMBER(bytes), number_plural(bytes), NUMBER(blocks),
             number_plural(blocks), NUMBER(calls->sum.peak_bytes));
    return out;
}

static void put_counts(FILE *out, const struct capture *capture,
                       const struct trace_counts *counts)
{
    const struct zpl_event *last = &capture->last;
    char calls[CALLS_SIZE];
    size_t regions = capture->sum.regions.count;

    fprintf(out, "%s, %s event%s", NUMBER_BYTES((int64_t)counts->bytes),
            NUMBER(counts->events), number_plural(counts->events));
    if (counts->calls == 0 || regions > 0)
        fprintf(out, ", %zu region%s", regions, number_plural(regions));
    if (counts->calls > 0)
        fprintf(out, ", %s", capture_calls(calls, &capture->sum.calls));
    if (counts->skipped.bytes > 0)
        fprintf(out, ", %s bytes skipped", NUMBER(counts->skipped.bytes));
    if (regions > 0)
        fprintf(out, ", %s 0x%" PRIx64 ": %s of %s",
                zpl_text_region(last->memory_region), last->memory_addr,
                NUMBER(last->used),
                NUMBER((uint64_t)last->used + last->unused));
}

static uint64_t now_ms(void)
{
    return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static void erase_line(void)
{
    fputs("\r\033[K", stderr);
}

/* Update the status line, if it is due. */
static void show(struct capture *capture)
{
    char text[LINE_SIZE] = "";
    unsigned width = terminal_width(stderr);
    struct trace_counts counts;
    int length = LINE_SIZE;
    FILE *line;

    if (!capture->has_line || now_ms() < capture->next_line_ms)
        return;
    capture->next_line_ms = now_ms() + LINE_MS;
    trace_stream_count(capture->stream, &counts);
    line = fmemopen(text, sizeof text, "w");
    if (line == NULL)
        return;
    put_counts(line, capture, &counts);
    fclose(line);
    if (width > 0 && width < LINE_SIZE)
        length = (int)width - 1;
    memory_undo(erase_line);
    fprintf(stderr, "\r\033[K%.*s", length, text);
    fflush(stderr);
}

/* Read a block; return COMMAND_DONE at the end of the source. */
static int take_block(struct capture *capture)
{
    ssize_t got = capture_source_read(&capture->source, capture->block,
                                      sizeof capture->block);

    if (got == 0)
        return COMMAND_DONE;
    if (got < 0 && errno == EAGAIN)
        return COMMAND_GO_ON;
    if (got < 0)
        return complain(capture->options->order.source, strerror(errno),
                        "earlier events are kept");
    if (capture_file_write(&capture->file, capture->block, (size_t)got) < 0)
        return fail_output(capture);
    trace_stream_feed(capture->stream, capture->block, (size_t)got);
    return take_events(capture);
}

/* Keep bytes that had arrived at a signal, up to LATE_BLOCKS. */
static int take_rest(struct capture *capture)
{
    int status = COMMAND_GO_ON;

    for (int i = 0; i < LATE_BLOCKS && status == COMMAND_GO_ON; i++) {
        if (wait_for(-1, capture->source.descriptor, POLLIN, 0) != WAIT_READY)
            break;
        status = take_block(capture);
    }
    return status == COMMAND_GO_ON ? COMMAND_DONE : status;
}

static int pause_ms(const struct capture *capture)
{
    uint64_t now = now_ms();
    int pause = capture->has_line ? LINE_MS : -1;

    if (capture->end_ms == 0)
        return pause;
    if (now >= capture->end_ms)
        return 0;
    if (pause < 0 || capture->end_ms - now < (uint64_t)pause)
        return (int)(capture->end_ms - now);
    return pause;
}

static bool is_over(const struct capture *capture)
{
    return capture->end_ms != 0 && now_ms() >= capture->end_ms;
}

static int take_all(struct capture *capture)
{
    int status = COMMAND_GO_ON;

    while (status == COMMAND_GO_ON) {
        show(capture);
        switch (wait_for(capture->options->order.stop,
                         capture->source.descriptor, POLLIN,
                         pause_ms(capture))) {
        case WAIT_READY:
            status =
                is_over(capture) ? take_rest(capture) : take_block(capture);
            break;
        case WAIT_STOPPED:
            status = take_rest(capture);
            break;
        default:
            if (is_over(capture))
                status = COMMAND_DONE;
            break;
        }
    }
    return status;
}

static void tell_sum(const struct capture *capture, bool is_undescribed)
{
    const char *output = capture->options->output;
    char calls[CALLS_SIZE];
    struct trace_counts counts;
    uint64_t events;

    trace_stream_count(capture->stream, &counts);
    events = counts.events > 0 ? counts.events : counts.others;
    fprintf(stderr, "tally: captured %s byte%s, %s event%s",
            NUMBER(counts.bytes), number_plural(counts.bytes), NUMBER(events),
            number_plural(events));
    if (counts.events == 0 && events > 0)
        fputs(", none of memory", stderr);
    else if (counts.calls == 0 || capture->sum.regions.count > 0)
        fprintf(stderr, " of %zu region%s", capture->sum.regions.count,
                number_plural(capture->sum.regions.count));
    if (counts.calls > 0)
        fprintf(stderr, ", %s", capture_calls(calls, &capture->sum.calls));
    if (counts.events > 0 && strcmp(output, "-") != 0) {
        fputs("; next: tally report ", stderr);
        escape_write(stderr, ESCAPE_TERMINAL, output, SIZE_MAX);
        fputs(is_undescribed ? "channel0_0" : "", stderr);
    }
    fputc('\n', stderr);
    if (is_undescribed)
        complain(output,
                 "cannot write metadata for text, unknown bytes, several "
                 "layouts or boots",
                 "read its channel0_0 as a file");
    else if (capture->file.left_out > 0)
        tell_line("%s: left out %s unknown event%s", output,
                  NUMBER(capture->file.left_out),
                  capture->file.left_out == 1 ? "" : "s");
    trace_tell_losses(capture->options->order.source, &counts);
}

static int run(struct capture *capture)
{
    int status = take_all(capture), settled;
    struct trace_counts counts;

    if (status == COMMAND_DONE) {
        trace_stream_end(capture->stream);
        status = take_events(capture);
    }
    /* Clear the status line before other output. */
    if (capture->has_line && capture->next_line_ms != 0)
        erase_line();
    memory_undo(NULL);
    if (status != COMMAND_GO_ON)
        return status;
    trace_stream_count(capture->stream, &counts);
    settled = capture_file_settle(&capture->file, counts.is_mixed);
    if (settled < 0)
        return fail_output(capture);
    tell_sum(capture, settled > 0);
    return COMMAND_DONE;
}

/* Open the source before the output is replaced. */
static int open_and_run(struct capture *capture)
{
    const struct capture_options *options = capture->options;
    const char *output = options->output;
    struct source_failure failure;
    size_t length = strlen(output);
    int status = COMMAND_USAGE;

    /* A folder is checked when it is opened. */
    if (strcmp(output, "-") != 0 && length > 0 &&
        refuse_taken(options->is_forced || output[length - 1] == '/', output) !=
            COMMAND_GO_ON)
        return COMMAND_USAGE;
    if (capture_source_open(&capture->source, &options->order, &failure) < 0)
        return complain_about_source(options->order.source, &failure);
    if (make_way(options->is_forced, output, options->order.source) !=
        COMMAND_GO_ON)
        goto close_source;
    if (capture_file_open(&capture->file, output, options->order.stop,
                          &failure) < 0) {
        complain_about_source(output, &failure);
        goto close_source;
    }
    if (options->milliseconds >= 0)
        capture->end_ms = now_ms() + (uint64_t)options->milliseconds;
    capture->has_line = isatty(STDERR_FILENO);
    status = run(capture);
    if (capture_file_close(&capture->file) < 0 && status == COMMAND_DONE)
        status = fail_output(capture);
close_source:
    capture_source_close(&capture->source);
    return status;
}

int command_capture(int argc, char **argv)
{
    struct capture_options options = {
        .order = { .milliseconds = DEFAULT_WAIT * 1000 },
        .milliseconds = -1,
    };
    static struct capture capture; /* too large for a stack */
    int status = parse(argc, argv, &options);

    if (status != COMMAND_GO_ON)
        return status;
    options.order.stop = wait_open();
    if (options.order.stop < 0)
        exit_out_of_memory();
    capture.options = &options;
    capture.stream = trace_stream_create(trace_metadata_given(NULL, NULL));
    status = open_and_run(&capture);
    trace_sum_close(&capture.sum);
    trace_stream_destroy(capture.stream);
    close(options.order.stop);
    return status;
}
