/* SPDX-License-Identifier: Apache-2.0 */
/* description.c - what a ledger says of its process; see description.h */
#define _GNU_SOURCE
#include "ledger/space/description.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "format/ledger/session_layout.h"
#include "ledger/record/embedding.h"
#include "ledger/space/ledger_writer.h"
#include "ports/posix/raw_calls.h"

/* The 22nd field of /proc/self/stat: when the process began, in ticks. */
static __attribute__((noinline)) uint64_t read_start_ticks(void)
{
    char text[512];
    uint64_t ticks = 0;
    long fd = raw_open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    long length, at;
    int field = 2;

    if (fd < 0)
        return 0;
    length = raw_read((int)fd, text, sizeof text);
    raw_close((int)fd);
    for (at = length - 1; at > 0 && text[at] != ')'; at--)
        ;
    for (; at < length && field < 22; at++)
        field += text[at] == ' ';
    for (; at > 0 && at < length && text[at] >= '0' && text[at] <= '9'; at++)
        ticks = ticks * 10 + (uint64_t)(text[at] - '0');
    return ticks;
}

static uint64_t now_ns(void)
{
    struct timespec now = { 0, 0 };

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline)) void
description_write_names(struct ledger_header *header)
{
    static char text[4096]; /* one thread opens a ledger, once */
    long length = raw_call(SYS_readlinkat, -100, RAW_ARGUMENT("/proc/self/exe"),
                           RAW_ARGUMENT(text), sizeof text, 0, 0);
    long fd;

    if (length > 0)
        header->program = ledger_write_text(text, (size_t)length);
    fd = raw_open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    length = raw_read((int)fd, text, sizeof text);
    raw_close((int)fd);
    if (length > 0)
        header->command_line = ledger_write_text(text, (size_t)length);
}

__attribute__((noinline)) void description_note_allocator(const char *symbol)
{
    static char text[4096 + SESSION_SYMBOL_CAPACITY + 4];
    long length = raw_call(SYS_readlinkat, -100, RAW_ARGUMENT("/proc/self/exe"),
                           RAW_ARGUMENT(text), 4096, 0, 0);
    char *end = text + (length > 0 ? length : 0);
    size_t symbol_length = strlen(symbol);

    memcpy(end, " (", 2);
    memcpy(end + 2, symbol, symbol_length);
    memcpy(end + 2 + symbol_length, ")", 2);
    ledger_write_notice(LEDGER_NOTICE_own_allocator, text);
}

void description_write(struct ledger_header *header, uint32_t flags)
{
    header->pid = (uint32_t)raw_getpid();
    header->parent_pid = (uint32_t)raw_call(SYS_getppid, 0, 0, 0, 0, 0, 0);
    header->start_ns = now_ns();
    header->start_ticks = read_start_ticks();
    header->writer_version = TALLY_VERSION_NUMBER;
    header->flags = flags | LEDGER_FLAG_TEMPORARY;
    header->map_table = embedding_map_table();
}
