/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport.c - a place that bytes are sent to without waiting
 *
 * What we open ourselves does not block. A descriptor of the program's stays as
 * it is, for others share it; it is asked first, and gets no more at once than
 * a pipe that is not full takes.
 */
#define _GNU_SOURCE
#include "ports/posix/transport/transport.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/behind.h"
#include "tally/port.h"

enum { FASTEST = 100000000 }; /* baud */

/* Bytes go through as they are; `baud` 0 leaves the speed. */
static int configure(int fd, unsigned baud)
{
    struct termios2 raw;

    if (ioctl(fd, TCGETS2, &raw) != 0)
        return -errno;
    raw.c_iflag = raw.c_oflag = raw.c_lflag = 0;
    raw.c_cflag &= ~(tcflag_t)(CSIZE | PARENB);
    raw.c_cflag |= CS8 | CLOCAL;
    if (baud != 0) {
        raw.c_cflag &= ~(tcflag_t)(CBAUD | CBAUD << IBSHIFT);
        raw.c_cflag |= BOTHER | BOTHER << IBSHIFT;
        raw.c_ispeed = raw.c_ospeed = baud;
    }
    return ioctl(fd, TCSETS2, &raw) == 0 ? 0 : -errno;
}

/*
 * DEVICE, or DEVICE:BAUD. A descriptor that does not block, or a negative
 * errno: -EINVAL for what is no speed.
 */
static int open_serial(const char *place)
{
    const char *colon = strrchr(place, ':');
    char path[PATH_MAX];
    size_t length = colon == NULL ? strlen(place) : (size_t)(colon - place);
    unsigned long baud = 0;
    char *end;
    int fd, result;

    if (length >= sizeof path)
        return -ENAMETOOLONG;
    if (colon != NULL) {
        baud = strtoul(colon + 1, &end, 10);
        if (*end != '\0' || baud == 0 || baud > FASTEST)
            return -EINVAL;
    }
    memcpy(path, place, length);
    path[length] = '\0';
    fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    result = configure(fd, (unsigned)baud);
    if (result < 0) {
        close(fd);
        return result;
    }
    return fd;
}

enum { CONNECT_MS = 2000, HOST_CAPACITY = 256 };

#define FIRST_DELAY_NS   UINT64_C(250000000)
#define LONGEST_DELAY_NS UINT64_C(8000000000)

/* Addresses of HOST:PORT, IPv6 in brackets; 0, or a negative errno. */
static int resolve(const char *place, int flags, struct addrinfo **found)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                    .ai_flags = flags };
    const char *colon = strrchr(place, ':');
    char host[HOST_CAPACITY];
    size_t length;

    if (colon == NULL || colon[1] == '\0' ||
        (unsigned long)atol(colon + 1) > UINT16_MAX)
        return -EINVAL;
    length = (size_t)(colon - place);
    if (length >= 2 && place[0] == '[' && colon[-1] == ']') {
        place++;
        length -= 2;
    }
    if (length >= sizeof host)
        return -EINVAL;
    memcpy(host, place, length);
    host[length] = '\0';
    return getaddrinfo(length == 0 ? "localhost" : host, colon + 1, &hints,
                       found) == 0
               ? 0
               : -EADDRNOTAVAIL;
}

/* 0, or a negative errno; -ETIMEDOUT when it takes longer. */
static int wait_for_connection(int fd, int ms)
{
    struct pollfd wanted = { .fd = fd, .events = POLLOUT };
    socklen_t size = sizeof(int);
    int error = 0;

    if (poll(&wanted, 1, ms) <= 0)
        return -ETIMEDOUT;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        return -errno;
    return -error;
}

static int connect_to(int fd, const struct addrinfo *address)
{
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return 0;
    return errno == EINPROGRESS ? wait_for_connection(fd, CONNECT_MS) : -errno;
}

static int listen_on(int fd, const struct addrinfo *address)
{
    const int yes = 1;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, address->ai_addr, address->ai_addrlen) != 0 ||
        listen(fd, 1) != 0)
        return -errno;
    return 0;
}

/* The first of the addresses that it works with. */
static int open_socket(const char *place, int flags,
                       int (*use)(int fd, const struct addrinfo *address))
{
    struct addrinfo *addresses;
    int result = resolve(place, flags, &addresses);

    if (result < 0)
        return result;
    result = -EADDRNOTAVAIL;
    for (const struct addrinfo *address = addresses; address != NULL;
         address = address->ai_next) {
        int fd = socket(address->ai_family,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

        if (fd < 0) {
            result = -errno;
            continue;
        }
        result = use(fd, address);
        if (result == 0) {
            result = fd;
            break;
        }
        close(fd);
    }
    freeaddrinfo(addresses);
    return result;
}

/* Within two seconds, or -ETIMEDOUT. */
static int connect_tcp(const char *place, struct transport_peer *peer)
{
    int fd = open_socket(place, 0, connect_to);

    if (fd < 0)
        return fd;
    *peer = (struct transport_peer){ .size = sizeof peer->address };
    if (getpeername(fd, (struct sockaddr *)&peer->address, &peer->size) != 0)
        peer->size = 0;
    return fd;
}

/* Give up what is being connected. */
static void forget_peer(struct transport_peer *peer)
{
    if (peer->is_called)
        close(peer->fd);
    peer->is_called = false;
}

/* Begin to connect; the time after that is put off. */
static void call(struct transport_peer *peer, uint64_t now_ns)
{
    peer->delay_ns = peer->delay_ns == 0 ? FIRST_DELAY_NS : 2 * peer->delay_ns;
    if (peer->delay_ns > LONGEST_DELAY_NS)
        peer->delay_ns = LONGEST_DELAY_NS;
    peer->next_ns = now_ns + peer->delay_ns;
    peer->fd = socket(peer->address.ss_family,
                      SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (peer->fd < 0)
        return;
    peer->is_called = true;
    if (connect(peer->fd, (const struct sockaddr *)&peer->address,
                peer->size) != 0 &&
        errno != EINPROGRESS)
        forget_peer(peer);
}

/*
 * Without waiting: a descriptor once the peer takes the connection; -1: not
 * yet. At first it is called 4 times a second, then less often, every 8 seconds
 * at last.
 */
static int reconnect(struct transport_peer *peer)
{
    uint64_t now_ns = tally_port_time_ns();
    int result;

    if (peer->size == 0)
        return -1;
    if (!peer->is_called && now_ns >= peer->next_ns)
        call(peer, now_ns);
    if (!peer->is_called)
        return -1;
    result = wait_for_connection(peer->fd, 0);
    if (result == 0) {
        peer->is_called = false;
        peer->delay_ns = 0;
        return peer->fd;
    }
    if (result != -ETIMEDOUT || now_ns >= peer->next_ns)
        forget_peer(peer);
    return -1;
}

/*
 * A file is its owner's alone, for it holds addresses, and no symbolic link
 * leads to another. A named pipe is opened for both, so that there need be no
 * reader yet.
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
        fd = connect_tcp(rest, &transport->peer);
    } else if ((rest = behind(target, "listen:")) != NULL) {
        /* HOST may be left out, and is then this machine alone. */
        transport->listener = open_socket(rest, AI_PASSIVE, listen_on);
        return transport->listener < 0 ? transport->listener : 0;
    } else if ((rest = behind(target, "serial:")) != NULL) {
        fd = open_serial(rest);
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
    forget_peer(&transport->peer);
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
        transport->fd = reconnect(&transport->peer);
    return transport->fd >= 0;
}

int64_t transport_write(struct transport *transport, const void *bytes,
                        size_t size)
{
    struct pollfd wanted = { .fd = transport->fd, .events = POLLOUT };
    ssize_t written;

    if (transport->may_block) {
        if (poll(&wanted, 1, 0) <= 0)
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
