/* SPDX-License-Identifier: Apache-2.0 */
/* event_output.c - see events.h */
#include "tool/session/events/events.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 18 };

_Static_assert((int)BUFFER_SIZE >= (int)EVENTS_PACKET_LIMIT, "one for both");

/* Write all bytes, or return false with `*written` set to the bytes that
   were. */
static bool write_all(struct event_output *output, const unsigned char *bytes,
                      size_t size, size_t *written)
{
    *written = 0;
    while (*written < size && output->error == 0) {
        ssize_t done = write(output->fd, bytes + *written, size - *written);

        if (done > 0)
            *written += (size_t)done;
        else if (done < 0 && errno != EINTR)
            output->error = errno;
    }
    return output->error == 0;
}

static bool write_packet(void *context, const void *bytes, size_t size)
{
    struct event_output *output = context;
    off_t begin = lseek(output->fd, 0, SEEK_CUR);
    size_t written;

    if (output->error != 0)
        return false;
    if (write_all(output, bytes, size, &written)) {
        output->last = begin;
        output->last_events = output->writer->pending;
        return true;
    }
    if (begin >= 0 && lseek(output->fd, begin, SEEK_SET) == begin)
        (void)!ftruncate(output->fd, begin); /* half a packet is useless */
    return false;
}

static int open_below(const char *folder, const char *name)
{
    char path[PATH_MAX]; /* event_output_open() ensures room for the name */

    strcpy(stpcpy(stpcpy(path, folder), "/"), name);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static void open_place(struct event_output *output)
{
    struct stat status;

    if (output->form == EVENT_FORM_CTF) {
        output->is_made = mkdir(output->path, 0777) == 0;
        if (output->is_made)
            output->fd = open_below(output->path, "stream");
        return;
    }
    output->fd =
        open(output->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    output->is_made = output->fd >= 0;
    if (!output->is_made && errno == EEXIST) {
        if (stat(output->path, &status) == 0 && !S_ISREG(status.st_mode))
            output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
        else
            errno = EEXIST;
    }
}

static void free_memory(struct event_output *output)
{
    free(output->buffer);
    free(output->writer);
    output->buffer = NULL;
    output->writer = NULL;
}

int event_output_open(struct event_output *output, enum event_form form,
                      const char *path, struct session_failure *failure)
{
    *output = (struct event_output){ .form = form, .fd = -1, .last = -1 };
    if (strlen(path) >= sizeof output->path - 16)
        return session_fail(failure, "record: %.100s...: the name is too long",
                            path);
    if (strcmp(path, "-") == 0)
        return session_fail(failure, "record: -: standard output is the "
                                     "program's; name a file for the trace");
    strcpy(output->path, path);
    output->buffer = malloc(BUFFER_SIZE);
    if (form == EVENT_FORM_CTF)
        output->writer = calloc(1, sizeof *output->writer);
    if (output->buffer == NULL ||
        (form == EVENT_FORM_CTF && output->writer == NULL)) {
        free_memory(output);
        return session_fail(failure, "record: out of memory; free some");
    }
    open_place(output);
    if (output->fd < 0) {
        free_memory(output);
        return session_fail(failure,
                            "record: %s: %s; choose another name for "
                            "the trace",
                            path, strerror(errno));
    }
    if (form == EVENT_FORM_CTF)
        events_writer_open(output->writer, 0, output->buffer, BUFFER_SIZE,
                           (struct tally_zpl_sink){ write_packet, output });
    return 0;
}

void event_output_describe(struct event_output *output, uint32_t process,
                           const char *program, uint64_t sample_interval)
{
    const struct ctf_surroundings surroundings = {
        .clock_zero_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC),
        .program = program,
        .process = process,
        .sample_interval = sample_interval,
    };
    char text[EVENTS_METADATA_CAPACITY];
    size_t length, written;
    int fd;

    if (output->writer == NULL && sample_interval != 0) {
        length = (size_t)snprintf(text, sizeof text, "#sampled:%" PRIu64 "\n",
                                  sample_interval);
        write_all(output, (const unsigned char *)text, length, &written);
    }
    if (output->writer == NULL)
        return;
    output->writer->process = process;
    length = events_metadata_write(text, sizeof text, &surroundings);
    fd = open_below(output->path, "metadata");
    if (fd < 0 || write(fd, text, length) != (ssize_t)length)
        output->error = errno;
    if (fd >= 0)
        close(fd);
}

/* Return true if the line is a call. Frames and facts of the trace begin with
   "#s". */
static bool is_of_call(const char *line)
{
    return line[1] != 's';
}

/* Remove a half-written line, unless the output is a pipe. */
static void cut_line(struct event_output *output, size_t written)
{
    size_t whole = written;

    while (whole > 0 && output->buffer[whole - 1] != '\n')
        whole--;
    if (whole < written) {
        off_t at = lseek(output->fd, (off_t)whole - (off_t)written, SEEK_CUR);

        if (at >= 0)
            (void)!ftruncate(output->fd, at);
    }
    for (const char *line = (const char *)output->buffer; whole > 0;) {
        size_t size =
            (size_t)((const char *)memchr(line, '\n', whole) - line) + 1;

        output->pending -= is_of_call(line);
        line += size;
        whole -= size;
    }
}

static void flush_text(struct event_output *output)
{
    size_t written = 0;

    if (output->error != 0 ||
        !write_all(output, output->buffer, output->used, &written)) {
        cut_line(output, written);
        output->events -= output->pending;
        output->lost += output->pending;
    }
    output->pending = 0;
    output->used = 0;
}

void event_output_add(struct event_output *output,
                      const struct mem_trace_event *event)
{
    if (output->buffer == NULL) {
        output->lost += mem_trace_is_call(event);
        return;
    }
    output->events += mem_trace_is_call(event);
    if (output->writer != NULL) {
        events_writer_add(output->writer, event);
        return;
    }
    if (output->used > BUFFER_SIZE - MEM_TRACE_TEXT_MAX)
        flush_text(output);
    output->used +=
        mem_trace_text_write((char *)output->buffer + output->used, event);
    output->pending += mem_trace_is_call(event);
}

void event_output_lose(struct event_output *output, uint64_t count)
{
    if (output->writer != NULL)
        events_writer_lose(output->writer, count);
    else
        output->lost += count;
}

static void take_counts(struct event_output *output)
{
    output->events = output->writer->events;
    output->lost = output->writer->discarded;
}

void event_output_flush(struct event_output *output)
{
    if (output->writer == NULL) {
        flush_text(output);
        return;
    }
    events_writer_flush(output->writer);
    take_counts(output);
}

/* Write a packet without events that has the number of lost ones; if there is
   no room, it replaces the last packet. */
static void write_last_packet(struct event_output *output)
{
    int error = output->error;

    output->error = 0;
    events_writer_finish(output->writer);
    if (output->error != 0 && output->last >= 0 &&
        lseek(output->fd, output->last, SEEK_SET) == output->last) {
        output->error = 0;
        output->writer->sequence--;
        output->writer->events -= output->last_events;
        output->writer->discarded += output->last_events;
        events_writer_finish(output->writer);
        (void)!ftruncate(output->fd, lseek(output->fd, 0, SEEK_CUR));
    }
    output->error = error;
}

/* Return the offset from which removing lines frees `size` bytes, and count the
   calls among these lines. */
static off_t find_room(const struct event_output *output, size_t size,
                       uint64_t *lines)
{
    char path[32], tail[4 * MEM_TRACE_TEXT_MAX];
    off_t end = lseek(output->fd, 0, SEEK_CUR);
    off_t begin = end > (off_t)sizeof tail ? end - (off_t)sizeof tail : 0;
    ssize_t at = -1;
    int fd;

    *lines = 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", output->fd);
    fd = end < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && pread(fd, tail, sizeof tail, begin) == end - begin)
        at = (ssize_t)(end - begin);
    if (fd >= 0)
        close(fd);
    while (at > 0 && end - begin - at < (off_t)size) {
        for (at--; at > 0 && tail[at - 1] != '\n'; at--)
            ;
        *lines += is_of_call(tail + at);
    }
    return at < 0 ? -1 : begin + at;
}

/* Write the number of lost events as the last line (mem_trace_text.h). */
static void write_lost(struct event_output *output)
{
    char line[32];
    uint64_t lines = 0;
    off_t at = output->error == 0 ? -1 : find_room(output, sizeof line, &lines);
    int length;

    if (at >= 0 && lseek(output->fd, at, SEEK_SET) == at) {
        output->events -= lines;
        output->lost += lines;
    }
    length = snprintf(line, sizeof line, "#lost:%" PRIu64 "\n", output->lost);
    if (output->lost > 0 && write(output->fd, line, (size_t)length) == length &&
        at >= 0)
        (void)!ftruncate(output->fd, at + length);
}

void event_output_close(struct event_output *output)
{
    if (output->buffer == NULL)
        return;
    if (output->writer == NULL) {
        flush_text(output);
        write_lost(output);
    } else {
        events_writer_finish(output->writer);
        if (output->error != 0)
            write_last_packet(output);
        take_counts(output);
    }
    if (close(output->fd) < 0 && output->error == 0)
        output->error = errno;
    output->fd = -1;
    free_memory(output);
}

void event_output_discard(struct event_output *output)
{
    char stream[PATH_MAX + 8];

    if (output->buffer == NULL)
        return;
    close(output->fd);
    output->fd = -1;
    free_memory(output);
    if (output->form == EVENT_FORM_CTF) {
        snprintf(stream, sizeof stream, "%s/stream", output->path);
        unlink(stream);
        rmdir(output->path);
    } else if (output->is_made) {
        unlink(output->path);
    }
}
