/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_file.c - write captured bytes
 *
 * Each piece is written as it comes, so that nothing is lost however the
 * capture ends.
 */
#include "tool/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/model/trace/trace_reader.h"

enum {
    PIECE = 4096,   /* bytes; PIPE_BUF */
    LATE_MS = 1000, /* time for a reader after a signal */
};

static const char stream_name[] = "channel0_0";
static const char *const whole_names[] = { ".channel0_0", "channel0_1" };
static const char metadata_name[] = "metadata", new_metadata[] = ".metadata";
static const int new_file = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;

static int refuse(struct source_failure *failure)
{
    if (errno == EEXIST)
        return source_fail(failure, "exists already",
                           "replace it with --force, or name another with "
                           "-o FILE");
    return source_fail(failure, strerror(errno),
                       "name another file with -o FILE");
}

static int write_all(int descriptor, int stop, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t done;

        /* A pipe that is ready takes PIECE bytes at once. After a signal the
           reader has LATE_MS to make room. */
        if (wait_for(stop, descriptor, POLLOUT, -1) == WAIT_STOPPED &&
            wait_for(-1, descriptor, POLLOUT, LATE_MS) != WAIT_READY) {
            errno = EINTR;
            return -1;
        }
        done = write(descriptor, bytes, size < PIECE ? size : PIECE);
        if (done < 0 && errno != EINTR && errno != EAGAIN)
            return -1;
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
    return 0;
}

/* Replace the metadata at once: others may be reading the folder. */
static int put_metadata(struct capture_file *file,
                        const struct ctf_layout *layout, uint64_t clock_zero_ns)
{
    const struct ctf_surroundings surroundings = { .clock_zero_ns =
                                                       clock_zero_ns };
    static char own[CTF_METADATA_CAPACITY + ZEPHYR_METADATA_CAPACITY];
    static struct ctf_metadata_facts own_facts;
    const char *text = own;
    int descriptor, error;
    size_t size;

    file->facts = trace_metadata_given(&text, &size);
    if (file->facts == NULL) {
        size = ctf_metadata_write(own, CTF_METADATA_CAPACITY, layout,
                                  &surroundings);
        if (layout->version != 0 && !layout->has_packets)
            size += zephyr_metadata_write(own + size, ZEPHYR_METADATA_CAPACITY,
                                          layout);
        own_facts.layout = *layout;
        own_facts.others = *zephyr_events(layout);
        file->facts = &own_facts;
    }
    descriptor = openat(file->folder, new_metadata, new_file, 0666);
    if (descriptor < 0)
        return -1;
    error = write_all(descriptor, -1, text, size);
    if (close(descriptor) < 0 || error < 0)
        return -1;
    return renameat(file->folder, new_metadata, file->folder, metadata_name);
}

static int open_folder(struct capture_file *file, const char *path,
                       struct source_failure *failure)
{
    const struct ctf_layout unknown = { 0 };

    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return refuse(failure);
    file->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file->folder < 0)
        return refuse(failure);
    if (faccessat(file->folder, metadata_name, F_OK, 0) == 0)
        return source_fail(failure, "a trace is in it already",
                           "replace it with --force, or name another with "
                           "-o FILE");
    file->descriptor = openat(file->folder, stream_name, new_file, 0666);
    if (file->descriptor < 0 || put_metadata(file, &unknown, 0) < 0)
        return refuse(failure);
    file->is_described = trace_metadata_given(NULL, NULL) != NULL;
    return 0;
}

int capture_file_open(struct capture_file *file, const char *path, int stop,
                      struct source_failure *failure)
{
    size_t length = strlen(path);
    int error = 0;

    *file = (struct capture_file){ .descriptor = STDOUT_FILENO,
                                   .folder = -1,
                                   .stop = stop };
    if (strcmp(path, "-") == 0)
        return 0;
    if (length > 0 && path[length - 1] == '/') {
        file->descriptor = -1;
        error = open_folder(file, path, failure);
    } else {
        file->descriptor = open(path, new_file, 0666);
        if (file->descriptor < 0)
            error = refuse(failure);
    }
    /* tally top keeps reading while the file is locked. */
    if (error < 0)
        capture_file_close(file);
    else
        flock(file->descriptor, LOCK_EX | LOCK_NB);
    return error;
}

int capture_file_write(struct capture_file *file, const void *bytes,
                       size_t size)
{
    file->has_bytes |= size > 0;
    return write_all(file->descriptor, file->stop, bytes, size);
}

int capture_file_describe(struct capture_file *file,
                          const struct ctf_layout *layout,
                          uint64_t clock_zero_ns)
{
    if (file->folder < 0 || file->is_described)
        return 0;
    file->is_described = true;
    return put_metadata(file, layout, clock_zero_ns);
}

/* Return true if metadata can describe an unknown event, whose bytes are all
   that is known of it: like those before it with this id. */
static bool note_unknown(struct capture_file *file,
                         const struct capture_unknown *event)
{
    struct capture_unknown *known = file->unknown;
    struct capture_unknown *end = known + file->unknown_count;

    while (known < end &&
           (known->id != event->id || known->stream_id != event->stream_id))
        known++;
    if (known < end)
        return known->size == event->size;
    if (file->unknown_count == UNKNOWN_CAPACITY)
        return false;
    file->unknown_count++;
    *known = *event;
    return true;
}

/* Append the unknown events to the metadata. Return 0 or -1. */
static int describe_unknown(const struct capture_file *file)
{
    int descriptor =
        openat(file->folder, metadata_name, O_WRONLY | O_APPEND | O_CLOEXEC);
    FILE *text = descriptor < 0 ? NULL : fdopen(descriptor, "a");

    for (unsigned i = 0; text != NULL && i < file->unknown_count; i++) {
        const struct capture_unknown *event = &file->unknown[i];

        fprintf(text,
                "\nevent {\nname = \"unknown_0x%x\";\nid = %u;\n"
                "stream_id = %u;\n",
                event->id, event->id, event->stream_id);
        if (event->size > 0)
            fprintf(text,
                    "fields := struct {\n\tinteger { size = 8; align = 8; } "
                    "bytes[%u];\n};\n",
                    event->size);
        fputs("};\n", text);
    }
    return text == NULL || fclose(text) != 0 ? -1 : 0;
}

/* Write the last read event to its class's file. Return 0 or -1. */
static int put_event(struct capture_file *file, FILE **to,
                     const struct ctf_reader *reader)
{
    const struct ctf_layout *layout = &reader->layout;
    size_t size = reader->other == NULL
                      ? ctf_layout_event_bytes(layout)
                      : ctf_layout_head_bytes(layout) + reader->other_size;
    const unsigned char *bytes = reader->bytes + reader->in.first - size;
    uint16_t class = layout->version == 3 && bytes[0] != 0;

    if (reader->other != NULL && reader->other_event == NULL &&
        !note_unknown(file, &(struct capture_unknown){
                                .id = read_u16le(reader->other - 2),
                                .stream_id = class,
                                .size = (uint16_t)reader->other_size })) {
        file->left_out++; /* other readers would stop there */
        return 0;
    }
    if (to[class] == NULL) {
        int descriptor =
            openat(file->folder, whole_names[class], new_file, 0666);

        to[class] = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    }
    return to[class] != NULL && fwrite(bytes, size, 1, to[class]) == 1 ? 0 : -1;
}

static int copy_events(struct capture_file *file, int from, FILE **to)
{
    static struct ctf_reader reader; /* always has room for a block */
    struct zpl_event event;
    char block[PIECE];
    uint64_t last_ns = 0;
    ssize_t got;

    ctf_reader_open(&reader, file->facts);
    reader.tells_others = true;
    do {
        got = read(from, block, sizeof block);
        if (got > 0)
            byte_stream_feed(&reader.in, block, (size_t)got);
        else
            byte_stream_end(&reader.in);
        while (ctf_reader_next(&reader, &event)) {
            /* Time goes back after a reboot; in 32 bits it wraps. */
            bool is_back =
                reader.layout.version == 3 && event.time_ns < last_ns;
            int error = is_back ? 1 : put_event(file, to, &reader);

            if (error != 0)
                return error;
            last_ns = event.time_ns;
        }
    } while (got > 0);
    return (int)got;
}

int capture_file_settle(struct capture_file *file, bool is_mixed)
{
    FILE *to[2] = { NULL, NULL };
    int from, error = is_mixed || !file->is_described;

    if (file->folder < 0 || !file->has_bytes ||
        (error == 0 && file->facts->layout.has_packets))
        return 0;
    from = openat(file->folder, stream_name, O_RDONLY | O_CLOEXEC);
    if (error == 0)
        error = from < 0 ? -1 : copy_events(file, from, to);
    if (from >= 0)
        close(from);
    if (error == 0 && file->unknown_count > 0)
        error = describe_unknown(file);
    for (unsigned i = 0; i < 2; i++) {
        if (to[i] != NULL && fclose(to[i]) != 0)
            error = -1;
        if (to[i] != NULL && error != 0)
            unlinkat(file->folder, whole_names[i], 0);
    }
    if (error == 0 && to[0] != NULL)
        return renameat(file->folder, whole_names[0], file->folder,
                        stream_name);
    if (error > 0 && unlinkat(file->folder, metadata_name, 0) < 0)
        return -1;
    return error;
}

int capture_file_close(struct capture_file *file)
{
    int error = 0;

    if (file->descriptor > STDOUT_FILENO)
        error = close(file->descriptor);
    if (file->folder >= 0)
        close(file->folder);
    file->descriptor = file->folder = -1;
    return error;
}
