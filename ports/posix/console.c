/* SPDX-License-Identifier: Apache-2.0 */
/* console.c - what tally/port.h says of environment, descriptors and console */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "ports/posix/environment.h"
#include "ports/posix/raw_calls.h"
#include "tally/port.h"

const char *tally_port_environment(const char *name)
{
    return environment_find(name);
}

/* Not libc's write: that may end a thread which is being cancelled. */
int tally_port_write(int descriptor, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size > 0) {
        long written = raw_write(descriptor, at, size);

        if (written > 0) {
            at += written;
            size -= (size_t)written;
        } else if (written != -EINTR) {
            return written == 0 ? -EIO : (int)written;
        }
    }
    return 0;
}

void tally_port_console(const char *line, size_t size)
{
    tally_port_write(STDERR_FILENO, line, size);
}

void tally_port_abort(void)
{
    abort();
}
