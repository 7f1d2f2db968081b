/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture.c - tally capture: keep the trace that a program sends
 *
 * Bytes are kept as they come, and parsed only to report on them. A signal ends
 * the capture behind what has arrived by then.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/capture/capture_file.h"
#include "tool/capture/capture_source.h"
#include "tool/capture/wait.h"
#include "tool/commands/options/complaint.h"
#include "tool/commands/options/options.h"
#include "tool/commands/options/symbol_options.h"
#include "tool/commands/trace/capture_line.h"
#include "tool/commands/trace/open_trace.h"
#include "tool/model/trace/trace_folder.h"
#include "tool/session/clock.h"
#include "tool/text/number.h"

enum {
    BLOCK_SIZE = 1 << 16,
    DEFAULT_WAIT = 5,       /* seconds */
    MOST_SECONDS = 1000000, /* of an option */
    LATE_BLOCKS = 16,       /* read after a signal, at most */
};

struct capture_options {
    struct capture_order order;
    const char *output;
    int seconds; /* -1: until it ends */
};

struct capture {
    const struct capture_options *options;
    struct capture_source source;
    struct capture_file file;
    struct capture_line line;
    struct trace_stream *stream;
    struct regions regions;
    struct call_accounts calls;
    struct zpl_event last;
    bool has_region;
    uint64_t end_ms; /* 0: none */
    unsigned char block[BLOCK_SIZE];
};

static const char help[] =
    "usage: tally capture SOURCE -o FILE [OPTION...]\n"
    "Keep the ZPL or mem_trace trace that a program sends, until it ends or "
    "Ctrl-C.\n"
    "Look at it with tally decode, tally report and tally export.\n"
    "\n"
    "SOURCE is one of\n"
    "  PATH                 a file, a pipe or a device; - is standard input\n"
    "  /dev/DEVICE:BAUD     a serial device or a pseudoterminal at that speed\n"
    "  tcp:HOST:PORT        connect\n"
    "  listen:HOST:PORT     wait for the program to connect\n"
    "\n"
    "  -o, --output=FILE    write to FILE, which must not exist; - is "
    "standard\n"
    "                       output; DIR/ is a folder with CTF metadata\n"
    "  --wait=SECONDS       how long to wait for a connection (default 5; 0\n"
    "                       for ever)\n"
    "  --seconds=N          end after N seconds\n"
    "  --enable             first send \"enable\", which Zephyr's UART waits "
    "for\n" METADATA_HELP "  --help               show this text\n"
    "  --version            show Tally's version\n"
    "\n"
    "Exit status: 0 done, 2 wrong usage, or SOURCE or FILE failed.\n";

static int take_seconds(const char *name, const char *value, void *field)
{
    unsigned long number;

    errno = 0;
    number = strtoul(value, NULL, 10);
    if (value[0] == '\0' || value[strspn(value, "0123456789")] != '\0' ||
        errno != 0 || number > MOST_SECONDS)
        return complain(name, "its argument is not a number of seconds",
                        "give one such as 10");
    *(int *)field = (int)number;
    return COMMAND_GO_ON;
}

/* 0 seconds are for ever. */
static int take_wait(const char *name, const char *value, void *field)
{
    int seconds = 0;
    int status = take_seconds(name, value, &seconds);

    *(int *)field = seconds == 0 ? -1 : seconds * 1000;
    return status;
}

static const struct option_rule rules[] = {
    { "output", 'o', OPTION_NAMES(struct capture_options, output) },
    { "wait", 0,
      OPTION_TAKES(take_wait, struct capture_options, order.milliseconds) },
    { "seconds", 0,
      OPTION_TAKES(take_seconds, struct capture_options, seconds) },
    { "enable", 0, OPTION_SETS(struct capture_options, order.has_enable) },
    METADATA_RULE,
    { NULL, 0, OPTION_END },
};

static const struct option_table table = {
    .command = "capture",
    .help = help,
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

/* The stream's clock was 0 when the first event came, less its time. */
static int describe(struct capture *capture, const struct zpl_event *first)
{
    struct ctf_layout layout = trace_stream_layout(capture->stream);
    uint64_t now = clock_ns(CLOCK_REALTIME);
    uint64_t zero = capture->source.is_live && first->time_ns < now
                        ? now - first->time_ns
                        : 0;

    if (layout.version == 0)
        return 0;
    return capture_file_describe(&capture->file, &layout, zero);
}

static int fail_output(const struct capture *capture)
{
    return complain(capture->options->output, strerror(errno),
                    "make room and capture again; what came before is there");
}

/* 0, or -1 without memory. */
static int count_event(struct capture *capture, const struct trace_event *event)
{
    if (event->kind == TRACE_EVENT_OTHER)
        return 0;
    if (event->kind == TRACE_EVENT_CALL)
        return call_accounts_add(&capture->calls, &event->call);
    capture->has_region = true;
    capture->last = event->region;
    return regions_add(&capture->regions, &event->region);
}

/* All events that are whole by now. */
static int take_events(struct capture *capture)
{
    struct trace_event event;

    while (trace_stream_next(capture->stream, &event)) {
        if (event.kind == TRACE_EVENT_REGION && !capture->has_region &&
            describe(capture, &event.region) < 0)
            return fail_output(capture);
        if (count_event(capture, &event) < 0)
            return complain_of_memory("capture");
    }
    return COMMAND_GO_ON;
}

static void show(struct capture *capture)
{
    struct trace_counts counts;

    if (!capture->line.is_shown)
        return;
    trace_stream_count(capture->stream, &counts);
    capture_line_update(&capture->line,
                        &(struct capture_sight){
                            .counts = &counts,
                            .regions = &capture->regions,
                            .last = capture->has_region ? &capture->last : NULL,
                            .calls = &capture->calls,
                        });
}

/* COMMAND_DONE at the end of the source. */
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
                        "what came before is kept");
    if (capture_file_write(&capture->file, capture->block, (size_t)got) < 0)
        return fail_output(capture);
    trace_stream_feed(capture->stream, capture->block, (size_t)got);
    return take_events(capture);
}

/* What has arrived when a signal comes is kept, but there may be no end to it. */
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
    uint64_t now = clock_ns(CLOCK_MONOTONIC) / 1000000;
    int pause = capture->line.is_shown ? CAPTURE_LINE_MS : -1;

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
    return capture->end_ms != 0 &&
           clock_ns(CLOCK_MONOTONIC) / 1000000 >= capture->end_ms;
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

static void tell_calls(const struct call_accounts *calls)
{
    char line[CAPTURE_CALLS_SIZE];

    fprintf(stderr, ", %s", capture_calls(line, calls));
}

static void tell_sum(const struct capture *capture, bool is_undescribed)
{
    const char *output = capture->options->output;
    struct trace_counts counts;

    trace_stream_count(capture->stream, &counts);
    fprintf(stderr, "tally: captured %s byte%s, %s event%s",
            NUMBER(counts.bytes), number_plural(counts.bytes),
            NUMBER(counts.events), number_plural(counts.events));
    if (counts.calls == 0 || capture->has_region)
        fprintf(stderr, " of %zu region%s", capture->regions.count,
                number_plural(capture->regions.count));
    if (counts.calls > 0)
        tell_calls(&capture->calls);
    if (counts.events > 0 && strcmp(output, "-") != 0)
        fprintf(stderr, "; next: tally report %s%s", output,
                is_undescribed ? "channel0_0" : "");
    fputc('\n', stderr);
    if (is_undescribed)
        complain(output,
                 "no metadata can be made: it has several layouts or boots, "
                 "or text",
                 "read its channel0_0 as a file");
    else if (capture->file.left_out > 0)
        fprintf(stderr, "tally: %s: left out %s unknown event%s\n", output,
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
    capture_line_close(&capture->line);
    if (status != COMMAND_GO_ON)
        return status;
    trace_stream_count(capture->stream, &counts);
    settled = capture_file_settle(&capture->file, counts.is_mixed);
    if (settled < 0)
        return fail_output(capture);
    tell_sum(capture, settled > 0);
    return COMMAND_DONE;
}

static int open_and_run(struct capture *capture)
{
    const struct capture_options *options = capture->options;
    struct source_failure failure;
    int status;

    if (capture_file_open(&capture->file, options->output, options->order.stop,
                          &failure) < 0)
        return complain_about_source(options->output, &failure);
    if (capture_source_open(&capture->source, &options->order, &failure) < 0) {
        capture_file_discard(&capture->file, options->output);
        return complain_about_source(options->order.source, &failure);
    }
    if (options->seconds >= 0)
        capture->end_ms = clock_ns(CLOCK_MONOTONIC) / 1000000 +
                          (uint64_t)options->seconds * 1000;
    capture_line_open(&capture->line);
    status = run(capture);
    capture_source_close(&capture->source);
    if (capture_file_close(&capture->file) < 0 && status == COMMAND_DONE)
        status = fail_output(capture);
    return status;
}

int command_capture(int argc, char **argv)
{
    struct capture_options options = {
        .order = { .milliseconds = DEFAULT_WAIT * 1000 },
        .seconds = -1,
    };
    const struct ctf_metadata_facts *facts;
    struct capture *capture;
    int status = parse(argc, argv, &options);
    const char *text;
    size_t size;

    if (status != COMMAND_GO_ON)
        return status;
    options.order.stop = wait_open();
    capture = calloc(1, sizeof *capture);
    facts = trace_metadata_given(&text, &size);
    if (capture != NULL)
        capture->stream = trace_stream_create(facts);
    if (capture == NULL || capture->stream == NULL || options.order.stop < 0) {
        status = complain_of_memory("capture");
    } else {
        capture->options = &options;
        status = open_and_run(capture);
        regions_close(&capture->regions);
        call_accounts_close(&capture->calls);
    }
    if (capture != NULL)
        trace_stream_destroy(capture->stream);
    free(capture);
    if (options.order.stop >= 0)
        close(options.order.stop);
    return status;
}
