/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.c - a place that bytes are sent to without waiting
 *
 * What we open ourselves does not block. A descriptor of the program's stays as
 * it is, for others share it; it is asked first, and gets no more at once than a
 * pipe that is not full takes.
 */
#define _GNU_SOURCE
#include "ports/posix/transport/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ports/posix/transport/transport_serial.h"
#include "ports/posix/transport/transport_tcp.h"

/*
 * A file is its owner's alone, for it holds addresses, and no symbolic link leads
 * to another. A named pipe is opened for both, so that there need be no reader
 * yet.
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

    if (flags < 0)
        return -EBADF;
    if ((flags & O_ACCMODE) == O_RDONLY)
        return -EBADF;
    transport->is_borrowed = true;
    transport->may_block = true;
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

/* What stands behind `prefix`, or NULL. */
static const char *behind(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

int transport_open(struct transport *transport, const char *target)
{
    const char *rest;
    int fd = -EINVAL;

    *transport = (struct transport){ .fd = -1, .listener = -1 };
    if (strcmp(target, "-") == 0) {
        fd = borrow(transport, STDOUT_FILENO);
    } else if ((rest = behind(target, "fd:")) != NULL) {
        fd = open_number(transport, rest);
    } else if ((rest = behind(target, "file:")) != NULL) {
        fd = open_file(rest);
    } else if ((rest = behind(target, "tcp:")) != NULL) {
        fd = transport_tcp_connect(rest, &transport->peer);
    } else if ((rest = behind(target, "listen:")) != NULL) {
        transport->listener = transport_tcp_listen(rest);
        return transport->listener < 0 ? transport->listener : 0;
    } else if ((rest = behind(target, "serial:")) != NULL) {
        fd = transport_serial_open(rest);
    }
    if (fd < 0)
        return fd;
    transport->fd = fd;
    return 0;
}

static void lose_reader(struct transport *transport)
{
    if (transport->fd >= 0 && !transport->is_borrowed)
        close(transport->fd);
    transport->fd = -1;
}

void transport_close(struct transport *transport)
{
    lose_reader(transport);
    transport_tcp_forget(&transport->peer);
    if (transport->listener >= 0)
        close(transport->listener);
    transport->listener = -1;
}

bool transport_is_ready(struct transport *transport)
{
    if (transport->fd < 0 && transport->listener >= 0)
        transport->fd = accept4(transport->listener, NULL, NULL,
                                SOCK_NONBLOCK | SOCK_CLOEXEC);
    else if (transport->fd < 0)
        transport->fd = transport_tcp_reconnect(&transport->peer);
    return transport->fd >= 0;
}

static bool is_writable(int fd)
{
    struct pollfd wanted = { .fd = fd, .events = POLLOUT };

    return poll(&wanted, 1, 0) > 0;
}

int64_t transport_write(struct transport *transport, const void *bytes,
                        size_t size)
{
    ssize_t written;

    if (transport->may_block) {
        if (!is_writable(transport->fd))
            return 0;
        if (size > PIPE_BUF)
            size = PIPE_BUF;
    }
    do
        written = write(transport->fd, bytes, size);
    while (written < 0 && errno == EINTR);
    if (written >= 0)
        return written;
    if (errno == EAGAIN)
        return 0;
    lose_reader(transport);
    return -1;
}

int transport_poll(const struct transport *transport, short *events)
{
    bool is_sent = transport->fd >= 0 || transport->peer.is_called;

    *events = is_sent ? POLLOUT : POLLIN;
    if (transport->fd >= 0)
        return transport->fd;
    return is_sent ? transport->peer.fd : transport->listener;
}
