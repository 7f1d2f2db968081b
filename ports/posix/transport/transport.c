/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.c - send bytes to a target without waiting
 *
 * Descriptors opened here do not block. The program's own descriptors are not
 * changed, since others share them; they are polled first, and receive at most
 * as much as a pipe that is not full accepts.
 */
#include "ports/posix/transport/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/text_after.h"

/*
 * Open a file. It is private to its owner, since it contains addresses;
 * symbolic links are refused. A named pipe is opened for reading and writing,
 * so that no reader is needed yet.
 */
static int open_file(const char *path)
{
    struct stat status;
    int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
    int fd;

    if (lstat(path, &status) == 0 && S_ISFIFO(status.st_mode))
        flags |= O_RDWR;
    else
        flags |= O_WRONLY | O_CREAT | O_TRUNC;
    fd = open(path, flags, S_IRUSR | S_IWUSR);
    return fd < 0 ? -errno : fd;
}

static int borrow(struct transport *transport, int fd)
{
    int flags = fcntl(fd, F_GETFL);

    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return -EBADF;
    transport->is_borrowed = true;
    return fd;
}

static int open_number(struct transport *transport, const char *text)
{
    char *end;
    long fd = strtol(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || fd > INT_MAX)
        return -EINVAL;
    return borrow(transport, (int)fd);
}

int transport_open(struct transport *transport, const char *target)
{
    const char *rest;
    int fd = -EINVAL;

    *transport = (struct transport){ .fd = -1 };
    if (strcmp(target, "-") == 0) {
        fd = borrow(transport, STDOUT_FILENO);
    } else if ((rest = text_after(target, "fd:")) != NULL) {
        fd = open_number(transport, rest);
    } else if ((rest = text_after(target, "file:")) != NULL) {
        fd = open_file(rest);
    }
    if (fd < 0)
        return fd;
    transport->fd = fd;
    return 0;
}

void transport_close(struct transport *transport)
{
    if (transport->fd >= 0 && !transport->is_borrowed)
        close(transport->fd);
    transport->fd = -1;
}

size_t transport_write(struct transport *transport, const void *bytes,
                       size_t size)
{
    struct pollfd wanted = { .fd = transport->fd, .events = POLLOUT };
    ssize_t written;

    if (transport->is_borrowed) {
        if (poll(&wanted, 1, 0) <= 0)
            return 0;
        if (size > PIPE_BUF)
            size = PIPE_BUF;
    }
    do
        written = write(transport->fd, bytes, size);
    while (written < 0 && errno == EINTR);
    if (written < 0 && errno != EAGAIN)
        transport_close(transport);
    return written < 0 ? 0 : (size_t)written;
}
