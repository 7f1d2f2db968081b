/* SPDX-License-Identifier: Apache-2.0 */
/* console.c - what tally/port.h says of environment, descriptors and console */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tally/port.h"

const char *tally_port_environment(const char *name)
{
    return getenv(name);
}

int tally_port_write(int descriptor, const void *bytes, size_t size)
{
    const char *at = bytes;
    int error = errno;
    int result = 0;

    while (size > 0 && result == 0) {
        ssize_t written = write(descriptor, at, size);

        if (written > 0) {
            at += written;
            size -= (size_t)written;
        } else if (written == 0) {
            result = -EIO;
        } else if (errno != EINTR) {
            result = -errno;
        }
    }
    errno = error;
    return result;
}

void tally_port_console(const char *line, size_t size)
{
    tally_port_write(STDERR_FILENO, line, size);
}

void tally_port_abort(void)
{
    abort();
}
