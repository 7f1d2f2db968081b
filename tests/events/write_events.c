/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write_events.c - a trace of random events, and the same as plain text
 *
 *     write_events FOLDER > TEXT
 *
 * FOLDER gets `metadata` and `stream`; each line of TEXT has an event's time,
 * thread, operation, result, caller, pointer, count and size.
 */
#include <inttypes.h>
#include <stdio.h>

#include "format/events/events_stream.h"
#include "tests/fakes/random_events.h"

enum { EVENTS = 30000 };

static bool take(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

static FILE *create(const char *folder, const char *name)
{
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    if (file == NULL)
        perror(path);
    return file;
}

static void write_metadata(FILE *file)
{
    static const struct ctf_surroundings surroundings = {
        .clock_zero_ns = UINT64_C(1700000000123456789),
        .program = "/usr/bin/program",
        .load_address = 0x555555554000,
        .process = 77,
    };
    static char text[EVENTS_METADATA_CAPACITY];

    fwrite(text, 1, events_metadata_write(text, sizeof text, &surroundings),
           file);
}

static void print(const struct mem_trace_event *event)
{
    printf("%" PRIu64 " %" PRIu32 " %c %" PRIu64 " %" PRIu64 " %" PRIu64
           " %" PRIu64 " %" PRIu64 "\n",
           event->time_ns, event->thread, "mrcf"[event->op], event -> result,
           event -> caller, event -> pointer, event -> count, event -> size);
}

int main(int argc, char **argv)
{
    static unsigned char buffer[16384];
    static struct events_writer writer;
    struct random_sequence sequence = { 9 };
    struct mem_trace_event event = { .time_ns = 1000 };
    FILE *metadata, *stream;

    if (argc != 2 || (metadata = create(argv[1], "metadata")) == NULL ||
        (stream = create(argv[1], "stream")) == NULL)
        return 2;
    write_metadata(metadata);
    events_writer_open(&writer, 77, buffer, sizeof buffer,
                       (struct tally_zpl_sink){ take, stream });
    for (unsigned i = 0; i < EVENTS; i++) {
        event = random_event(&sequence, &event);
        events_writer_add(&writer, &event);
        print(&event);
    }
    events_writer_finish(&writer);
    return fclose(metadata) == 0 && fclose(stream) == 0 ? 0 : 1;
}
