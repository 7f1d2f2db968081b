/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.c - the files, streams and metadata of a trace
 *
 * This file is long because a trace comes from a file, a folder, a source or a
 * descriptor, whole or as it grows.
 */
#include "tool/model/trace/trace_reader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "tool/files/files.h"
#include "tool/model/trace/trace_figures.h"

enum {
    BLOCK_SIZE = 1 << 17,
    MOST_THREADS = 4096,
    LARGEST_METADATA = 1 << 24,
    MOST_STREAMS = 256, /* at most one for each CPU */
};

struct trace_part {
    struct trace_stream *stream;
    int descriptor; /* -1 at the end */
    bool is_input;  /* standard input, which stays open */
    bool is_limited;
    uint64_t left; /* bytes to read, if is_limited */
    bool has_event;
    struct trace_event event; /* next event, if there are several parts */
    unsigned char *block;
};

static const char *const advice = "name a trace of memory events";
static const char metadata_name[] = "metadata";

bool is_trace_folder(const char *path)
{
    struct stat status;
    char *name;
    bool is_one;

    if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
        return false;
    name = memory_print("%s/%s", path, metadata_name);
    is_one = stat(name, &status) == 0 && S_ISREG(status.st_mode);
    free(name);
    return is_one;
}

/* Append a regular file to `*text`, which the caller frees. */
static int add_text(int descriptor, char **text, size_t *text_size,
                    struct source_failure *failure)
{
    struct stat status;
    size_t size;

    if (descriptor < 0 || fstat(descriptor, &status) < 0)
        return source_fail(failure, strerror(errno),
                           "check its name and permissions");
    if (!S_ISREG(status.st_mode) || status.st_size > LARGEST_METADATA)
        return source_fail(failure, "not CTF metadata, or too large",
                           "name a file of CTF metadata");
    size = (size_t)status.st_size;
    *text = memory_resized(*text, *text_size + size + 1, 1);
    if (regular_file_read(descriptor, *text + *text_size, size, 0) < 0)
        return source_fail(failure, strerror(errno), "check its metadata");
    *text_size += size;
    return 0;
}

/* Files of --metadata, concatenated; kept until exit. */
static struct {
    char *text;
    size_t size;
    struct ctf_metadata_facts facts;
} given;

int trace_metadata_give(const char *path, struct source_failure *failure)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int error = add_text(descriptor, &given.text, &given.size, failure);

    if (descriptor >= 0)
        close(descriptor);
    return error;
}

int trace_metadata_judge(struct source_failure *failure)
{
    if (given.text == NULL ||
        ctf_metadata_read(given.text, given.size, &given.facts))
        return 0;
    return source_fail(failure, "describes no memory event in a known layout",
                       "name Zephyr's first, then Zephelin's");
}

const struct ctf_metadata_facts *trace_metadata_given(const char **text,
                                                      size_t *size)
{
    if (given.text == NULL)
        return NULL;
    if (text != NULL) {
        *text = given.text;
        *size = given.size;
    }
    return &given.facts;
}

/* Add a stream; the trace owns the descriptor. */
static void add_part(struct trace *trace, int descriptor, bool is_input)
{
    const struct ctf_metadata_facts *facts = trace_metadata_given(NULL, NULL);
    struct trace_part part = {
        .descriptor = descriptor,
        .is_input = is_input,
        .stream = trace_stream_create(facts != NULL    ? facts
                                      : trace->has_zpl ? trace->facts
                                                       : NULL),
        .block = memory_resized(NULL, BLOCK_SIZE, 1),
    };

    ARRAY_ADD(trace->parts, trace->part_count, part);
}

/* Return the last time of writing, in seconds. */
static int64_t time_of(int descriptor)
{
    struct stat status;

    if (descriptor >= 0 && fstat(descriptor, &status) == 0 &&
        S_ISREG(status.st_mode))
        return status.st_mtim.tv_sec;
    return time(NULL);
}

static int is_stream(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, metadata_name) != 0;
}

/* Open all streams; folders, as those of indices, are not streams. */
static int open_streams(struct trace *trace, int directory,
                        struct dirent **names, int count,
                        struct source_failure *failure)
{
    for (int i = 0; i < count; i++) {
        int descriptor =
            regular_file_open(directory, names[i]->d_name, O_RDONLY);

        if (descriptor < 0 && errno == EMEDIUMTYPE)
            continue;
        if (descriptor < 0)
            return source_fail(failure, strerror(errno),
                               "check the permissions of its files");
        add_part(trace, descriptor, false);
        if (trace->part_count > MOST_STREAMS)
            return source_fail(failure, "more than 256 streams",
                               "name one of its files");
    }
    return trace->part_count > 0
               ? 0
               : source_fail(failure, "no stream beside its metadata", advice);
}

static bool has_word(const struct trace *trace, const char *word)
{
    return memmem(trace->metadata, trace->metadata_size, word, strlen(word)) !=
           NULL;
}

/* Accept metadata of ZPL's streams, of calls, which describe themselves, and of
   a capture that knows no event yet. */
static int judge_metadata(const struct trace *trace,
                          struct source_failure *failure)
{
    if (trace->has_zpl || given.text != NULL ||
        has_word(trace, "malloc_near") || !has_word(trace, "event"))
        return 0;
    return source_fail(failure,
                       "metadata describes no memory event in a known layout",
                       advice);
}

static int open_folder(struct trace *trace, const char *path,
                       struct source_failure *failure)
{
    struct dirent **names = NULL;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int count = directory < 0
                    ? -1
                    : scandirat(directory, ".", &names, is_stream, alphasort);
    int metadata = directory < 0
                       ? -1
                       : regular_file_open(directory, metadata_name, O_RDONLY);
    int error;

    if (count < 0 || metadata < 0)
        error = source_fail(failure, regular_file_error(),
                            "check its name and permissions");
    else
        error = add_text(metadata, &trace->metadata, &trace->metadata_size,
                         failure);
    if (error == 0) {
        trace->metadata_time = time_of(metadata);
        trace->facts = memory_zeroed(1, sizeof *trace->facts);
        trace->has_zpl = ctf_metadata_read(trace->metadata,
                                           trace->metadata_size, trace->facts);
    }
    if (error == 0)
        error = open_streams(trace, directory, names, count, failure);
    if (error == 0)
        error = judge_metadata(trace, failure);
    trace->folder = memory_text(path);
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    if (metadata >= 0)
        close(metadata);
    if (directory >= 0)
        close(directory);
    return error;
}

/* Pipes cannot be read ahead: return 0. */
static int refuse_packed_file(int descriptor, struct source_failure *failure)
{
    unsigned char bytes[8];
    ssize_t size = pread(descriptor, bytes, sizeof bytes, 0);

    /* The tables of a large program look like events here and there. */
    if (size > 4 && memcmp(bytes, "\177ELF", 4) == 0)
        return source_fail(failure, "no memory event",
                           "name a trace that tally capture or a program "
                           "wrote");
    return size < 0 ? 0 : refuse_packed(bytes, (size_t)size, failure);
}

void trace_open_descriptor(struct trace *trace, int descriptor)
{
    *trace = (struct trace){ 0 };
    add_part(trace, descriptor, true);
}

bool trace_is_over(const struct trace *trace)
{
    bool is_over = true;

    for (size_t i = 0; i < trace->part_count; i++)
        is_over &= trace->parts[i].descriptor < 0;
    return is_over;
}

/* Read only the events that a black box has kept in a ledger. */
static int limit_to_events(struct trace *trace, const char *path,
                           struct source_failure *failure)
{
    struct trace_part *part = &trace->parts[0];
    struct ledger_events_view events = { 0 };
    struct ledger_reader reader;
    struct source source = { 0 };
    int error = source_read(&source, part->descriptor, NULL, failure);
    int found = error;

    if (error == 0) {
        found = ledger_reader_open(&reader, source.bytes, source.size);
        if (found == LEDGER_E_OK)
            found = ledger_reader_events(&reader, &events);
    }
    if (error == 0 && found <= 0)
        error = source_fail(failure,
                            found < 0 ? ledger_error_why(found) : "no events",
                            found < 0 ? ledger_error_advice(found)
                                      : "record with --blackbox or --events");
    source_close(&source);
    trace->ledger = memory_text(path);
    part->is_limited = true;
    part->left = events.size;
    lseek(part->descriptor, (off_t)events.offset, SEEK_SET);
    return error;
}

int trace_open(struct trace *trace, const char *path,
               struct source_failure *failure)
{
    bool is_input = strcmp(path, "-") == 0;
    int descriptor, error = 0;

    *trace = (struct trace){ 0 };
    if (!is_input && is_trace_folder(path)) {
        error = open_folder(trace, path, failure);
    } else {
        descriptor = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
        if (descriptor < 0)
            return source_fail_to_open(failure, path);
        add_part(trace, descriptor, is_input);
        error = refuse_packed_file(descriptor, failure);
        if (error == 0 && !is_input && is_ledger_file(path))
            error = limit_to_events(trace, path, failure);
    }
    if (error < 0)
        trace_close(trace);
    return error;
}

int trace_open_source(struct trace *trace, struct source *source,
                      struct source_failure *failure)
{
    int descriptor = source->descriptor;
    struct trace_part *part;

    *trace = (struct trace){ 0 };
    if (source->folder != NULL)
        return trace_open(trace, source->folder, failure);
    source->descriptor = 0;
    add_part(trace, descriptor, descriptor == STDIN_FILENO);
    part = &trace->parts[0];
    if (source->size > BLOCK_SIZE)
        part->block = memory_resized(part->block, source->size, 1);
    memcpy(part->block, source->bytes, source->size);
    trace_stream_feed(part->stream, part->block, source->size);
    return 0;
}

int trace_open_again(const struct trace *trace, struct trace *again,
                     struct source_failure *failure)
{
    struct stat status;
    char path[32];

    *again = (struct trace){ 0 };
    if (trace->folder != NULL)
        return trace_open(again, trace->folder, failure);
    if (fstat(trace->parts[0].descriptor, &status) < 0 ||
        !S_ISREG(status.st_mode))
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", trace->parts[0].descriptor);
    return trace_open(again, path, failure);
}

static void close_descriptor(struct trace_part *part)
{
    if (part->descriptor >= 0 && !part->is_input)
        close(part->descriptor);
    part->descriptor = -1;
}

void trace_close(struct trace *trace)
{
    for (size_t i = 0; i < trace->part_count; i++) {
        close_descriptor(&trace->parts[i]);
        trace_stream_destroy(trace->parts[i].stream);
        free(trace->parts[i].block);
    }
    free(trace->parts);
    free(trace->facts);
    free(trace->metadata);
    free(trace->folder);
    free(trace->ledger);
    free(trace->threads.items);
    free(trace->described);
    free(trace->description);
    *trace = (struct trace){ 0 };
}

/* Return true if a pipe has no bytes yet; set *is_written if tally capture is
   writing the file. */
static bool must_wait(int descriptor, bool *is_written)
{
    struct pollfd ready = { .fd = descriptor, .events = POLLIN };
    struct stat status;

    *is_written = false;
    if (fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode))
        return poll(&ready, 1, 0) == 0;
    *is_written = flock(descriptor, LOCK_SH | LOCK_NB) < 0;
    if (!*is_written)
        flock(descriptor, LOCK_UN);
    return false;
}

/* Skip a hole in a file, but for its last block. */
static void pass_hole(const struct trace_part *part)
{
    off_t at = lseek(part->descriptor, 0, SEEK_CUR), data;

    if (at < 0)
        return;
    data = lseek(part->descriptor, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO)
        data = lseek(part->descriptor, 0, SEEK_END);
    if (data - at > 2 * BLOCK_SIZE &&
        trace_stream_pass_hole(part->stream,
                               (uint64_t)(data - at) - BLOCK_SIZE))
        at = data - BLOCK_SIZE;
    lseek(part->descriptor, at, SEEK_SET);
}

/* Return 1 after reading, 0 if more bytes may still come, or -1. */
static int read_block(struct trace_part *part, bool is_followed,
                      struct source_failure *failure)
{
    bool is_written = false;
    ssize_t got;

    if (is_followed && must_wait(part->descriptor, &is_written))
        return 0;
    if (!is_followed && !part->is_limited)
        pass_hole(part);
    do
        got = read(part->descriptor, part->block,
                   part->is_limited && part->left < BLOCK_SIZE
                       ? (size_t)part->left
                       : BLOCK_SIZE);
    while (got < 0 && errno == EINTR);
    if (is_followed && (got < 0 ? errno == EAGAIN : got == 0 && is_written))
        return 0;
    if (got < 0)
        return source_fail(failure, strerror(errno), advice);
    if (got > 0) {
        part->left -= (uint64_t)got;
        trace_stream_feed(part->stream, part->block, (size_t)got);
        return 1;
    }
    close_descriptor(part);
    trace_stream_end(part->stream);
    return 1;
}

/* Take metadata from the stream: names, not layouts. */
static void take_metadata(struct trace *trace, struct trace_part *part)
{
    size_t size;
    char *text = trace_stream_take_metadata(part->stream, &size);

    if (text == NULL)
        return;
    if (trace->described == NULL)
        trace->described = memory_zeroed(1, sizeof *trace->described);
    if (!ctf_metadata_read(text, size, trace->described)) {
        free(text);
        return;
    }
    free(trace->description);
    trace->description = text;
    trace->description_size = size;
    trace->description_count++;
    if (trace->metadata == NULL)
        trace->metadata_time = time_of(part->descriptor);
}

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

    if (name[0] == '\0' || (known != NULL && strcmp(known, name) == 0))
        return;
    if (known == NULL) {
        if (threads->count == MOST_THREADS)
            return;
        ARRAY_ADD(threads->items, threads->count,
                  (struct trace_thread){ .id = id });
        known = threads->items[threads->count - 1].name;
    }
    strcpy((char *)(uintptr_t)known, name);
    threads->changes++;
}

/* Keep the name of a thread from any event about it. */
static void take_thread(struct trace_threads *threads,
                        const struct trace_other *other)
{
    struct ctf_walk walk = trace_other_walk(other);
    struct trace_thread thread = { 0 };
    struct ctf_value value;
    bool has_id = false;

    if (other->event->name.length < 7 ||
        memcmp(other->event->name.bytes, "thread_", 7) != 0)
        return;
    while (ctf_walk_next(&walk, &value)) {
        if (text_is(value.field->name, "thread_id")) {
            thread.id = (uint32_t)ctf_value_number(&value);
            has_id = true;
        } else if (text_is(value.field->name, "name")) {
            memcpy(thread.name, value.bytes,
                   value.size < sizeof thread.name ? value.size
                                                   : sizeof thread.name - 1);
        }
    }
    if (has_id)
        name_thread(threads, thread.id, thread.name);
}

/* Drop the sign with which some printf() extends addresses of 32 bits. */
static void shorten(struct mem_trace_event *call)
{
    call->result = (uint32_t)call->result;
    call->caller = (uint32_t)call->caller;
    call->pointer = (uint32_t)call->pointer;
}

static int next_of_part(struct trace *trace, struct trace_part *part,
                        struct trace_event *event,
                        struct source_failure *failure)
{
    int got;

    for (;;) {
        bool is_read = trace_stream_next(part->stream, event);

        take_metadata(trace, part);
        if (is_read && event->kind == TRACE_EVENT_OTHER) {
            if (event->other.event == NULL)
                continue;
            take_thread(&trace->threads, &event->other);
            if (!trace->wants_others)
                continue;
        }
        if (is_read && trace->is_32_bit && event->kind == TRACE_EVENT_CALL)
            shorten(&event->call);
        if (is_read)
            return 1;
        if (part->descriptor < 0)
            return 0;
        if (trace->before_read != NULL)
            trace->before_read(trace->context);
        got = read_block(part, trace->is_followed, failure);
        if (got <= 0)
            return got;
    }
}

/* Return the oldest of the next events of all parts. */
static int next_of_all(struct trace *trace, struct trace_event *event,
                       struct source_failure *failure)
{
    struct trace_part *oldest = NULL;

    for (size_t i = 0; i < trace->part_count; i++) {
        struct trace_part *part = &trace->parts[i];

        if (!part->has_event) {
            int got = next_of_part(trace, part, &part->event, failure);

            if (got < 0)
                return -1;
            part->has_event = got > 0;
        }
        if (part->has_event &&
            (oldest == NULL ||
             trace_event_time(&part->event) < trace_event_time(&oldest->event)))
            oldest = part;
    }
    if (oldest == NULL)
        return 0;
    *event = oldest->event;
    oldest->has_event = false;
    return 1;
}

int trace_next(struct trace *trace, struct trace_event *event,
               struct source_failure *failure)
{
    if (trace->part_count == 1)
        return next_of_part(trace, &trace->parts[0], event, failure);
    return next_of_all(trace, event, failure);
}

void trace_count(const struct trace *trace, struct trace_counts *counts)
{
    *counts = (struct trace_counts){
        .has_calls = trace->metadata_size > 0 && !trace->has_zpl,
    };
    for (size_t i = 0; i < trace->part_count; i++) {
        struct trace_counts part;

        trace_stream_count(trace->parts[i].stream, &part);
        counts->bytes += part.bytes;
        counts->events += part.events;
        counts->calls += part.calls;
        counts->others += part.others;
        counts->is_strange |= part.is_strange;
        skips_merge(&counts->skipped, &part.skipped, 0);
        for (size_t loss = 0; loss < TRACE_LOSS_COUNT; loss++)
            counts->losses[loss] += part.losses[loss];
        if (part.sample_interval != 0)
            counts->sample_interval = part.sample_interval;
        counts->profiler_us += part.profiler_us;
    }
    counts->is_blank = counts->bytes == 0 && trace->folder == NULL;
    counts->has_calls |= counts->is_blank;
}

/* Return true if the event comes from a line of text, never an accident. */
static bool is_of_text(const struct trace_event *event)
{
    return event->kind == TRACE_EVENT_CALL ||
           (event->kind == TRACE_EVENT_REGION &&
            event->region.time_ns == ZPL_EVENT_NO_TIME);
}

bool is_trace(const void *bytes, size_t size)
{
    struct trace_stream *stream =
        trace_stream_create(trace_metadata_given(NULL, NULL));
    struct trace_counts counts;
    struct trace_event event;
    enum trace_form form;
    bool has_line = false;

    trace_stream_feed(stream, bytes, size);
    while (trace_stream_next(stream, &event))
        has_line |= is_of_text(&event);
    trace_stream_end(stream);
    while (trace_stream_next(stream, &event))
        has_line |= is_of_text(&event);
    trace_stream_count(stream, &counts);
    form = trace_stream_form(stream);
    trace_stream_destroy(stream);
    /* Any few bytes may look like an event of CTF. */
    return form == TRACE_CALLS || counts.is_strange ||
           ((counts.events > 0 || counts.others > 0) &&
            (has_line || counts.skipped.bytes < counts.bytes / 2));
}
