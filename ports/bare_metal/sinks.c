/* SPDX-License-Identifier: Apache-2.0 */
/* sinks.c - sinks for the profiler's events without an operating system */
#include <stdint.h>

#include "ports/bare_metal/machine.h"
#include "tally/bare_metal.h"

static bool write_to_board(void *context, const void *bytes, size_t size)
{
    (void)context;
    tally_board_write(bytes, size);
    return true;
}

struct tally_zpl_sink tally_board_sink(void)
{
    return (struct tally_zpl_sink){ write_to_board, NULL };
}

#ifdef SEMIHOSTING
enum { SYS_OPEN = 1, SYS_WRITE = 5, MODE_WRITE_BINARY = 5 };
enum { UNOPENED = -2, FAILED = -1 };

static int file;

static bool write_to_host(void *context, const void *bytes, size_t size)
{
    const char *path = context;

    if (file == UNOPENED) {
        uint32_t length = 0;

        while (path[length] != '\0')
            length++;

        const uint32_t open[] = { (uint32_t)path, MODE_WRITE_BINARY, length };

        file = call_debugger(SYS_OPEN, open);
    }
    if (file == FAILED)
        return false;

    const uint32_t write[] = { (uint32_t)file, (uint32_t)bytes, size };

    /* The result is the number of bytes not written. */
    return call_debugger(SYS_WRITE, write) == 0;
}

struct tally_zpl_sink tally_semihosting_sink(const char *path)
{
    file = UNOPENED;
    return (struct tally_zpl_sink){ write_to_host, (void *)(uintptr_t)path };
}
#endif
