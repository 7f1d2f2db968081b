/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_line.c - the line that shows what arrives, on a terminal only
 */
#include "tool/commands/trace/capture_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "format/text/zpl_text.h"
#include "tool/render/terminal.h"
#include "tool/text/number.h"

enum { LINE_SIZE = 512 };

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void capture_line_open(struct capture_line *line)
{
    *line = (struct capture_line){ .is_shown = isatty(STDERR_FILENO) };
}

static int put_last(char *out, size_t size, const struct zpl_event *last)
{
    return snprintf(out, size, ", %s 0x%" PRIx64 ": %s of %s",
                    zpl_text_region(last->memory_region), last->memory_addr,
                    NUMBER(last->used),
                    NUMBER((uint64_t)last->used + last->unused));
}

const char *capture_calls(char out[CAPTURE_CALLS_SIZE],
                          const struct call_accounts *calls)
{
    uint64_t bytes = call_accounts_live_bytes(calls);
    uint64_t blocks = call_accounts_live_blocks(calls);
    char live[NUMBER_SIZE], peak[NUMBER_SIZE];

    snprintf(out, CAPTURE_CALLS_SIZE, "live %s byte%s in %s block%s, peak %s",
             number_unsigned(live, bytes), number_plural(bytes), NUMBER(blocks),
             number_plural(blocks),
             number_unsigned(peak, calls->sum.peak_bytes));
    return out;
}

static int put_counts(char *out, size_t size, const struct capture_sight *sight)
{
    const struct trace_counts *counts = sight->counts;
    char bytes[NUMBER_SIZE];
    char calls[CAPTURE_CALLS_SIZE];
    size_t regions = sight->regions->count;
    int length =
        snprintf(out, size, "%s, %s event%s",
                 number_bytes(bytes, (int64_t)counts->bytes),
                 NUMBER(counts->events), number_plural(counts->events));

    if (counts->calls == 0 || regions > 0)
        length += snprintf(out + length, size - (size_t)length,
                           ", %zu region%s", regions, number_plural(regions));
    if (counts->calls > 0)
        length += snprintf(out + length, size - (size_t)length, ", %s",
                           capture_calls(calls, sight->calls));
    if (counts->skipped.bytes > 0)
        length +=
            snprintf(out + length, size - (size_t)length, ", %s bytes skipped",
                     number_unsigned(bytes, counts->skipped.bytes));
    return length;
}

void capture_line_update(struct capture_line *line,
                         const struct capture_sight *sight)
{
    char text[LINE_SIZE];
    unsigned width = terminal_width(stderr);
    int length;

    if (!line->is_shown || now_ms() < line->next_ms)
        return;
    line->next_ms = now_ms() + CAPTURE_LINE_MS;
    length = put_counts(text, sizeof text, sight);
    if (sight->last != NULL)
        length +=
            put_last(text + length, sizeof text - (size_t)length, sight->last);
    if (width > 0 && (unsigned)length >= width)
        length = (int)width - 1;
    fprintf(stderr, "\r\033[K%.*s", length, text);
    fflush(stderr);
}

void capture_line_close(struct capture_line *line)
{
    if (line->is_shown && line->next_ms != 0)
        fputs("\r\033[K", stderr);
    line->next_ms = 0;
}
