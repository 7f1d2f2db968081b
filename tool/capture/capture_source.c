/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_source.c - read a trace while it is written
 *
 * Nothing blocks: a pipe is opened before it has a writer, and it is read
 * when it is ready, so that a signal always comes through.
 *
 * This file is long because files, serial devices and both ends of a connection
 * are opened and waited for by that one rule.
 */
#include "tool/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/text_after.h"

enum { AGAIN_MS = 50, HOST_SIZE = 256 };

static const char *const form_advice = "write tcp:HOST:PORT or "
                                       "listen:HOST:PORT";
static const char enable_line[] = "enable\r";

static sigset_t signals; /* signals of wait_open(); empty before */

/*
 * Block the signals and receive them by a descriptor that is never read: so
 * none is missed between a check and a wait, and all later waits end, too.
 */
int wait_open(void)
{
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) < 0)
        return -1;
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

enum wait_result wait_for(int stop, int descriptor, short events,
                          int milliseconds)
{
    struct pollfd polled[] = {
        { .fd = stop, .events = POLLIN },
        { .fd = descriptor, .events = events },
    };
    int count;

    do
        count = poll(polled, 2, milliseconds);
    while (count < 0 && errno == EINTR);
    if (polled[0].revents != 0)
        return WAIT_STOPPED;
    return count <= 0 ? WAIT_LATE : WAIT_READY;
}

static bool is_device(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISCHR(status.st_mode);
}

/* Return a copy of PATH if `text` is PATH:BAUD of a device, else NULL. */
static char *split_baud(const char *text, unsigned *baud)
{
    const char *colon = strrchr(text, ':');
    unsigned long number;
    char *path, *end;

    if (colon == NULL || colon[1] < '1' || colon[1] > '9' ||
        access(text, F_OK) == 0)
        return NULL;
    errno = 0;
    number = strtoul(colon + 1, &end, 10);
    if (*end != '\0' || errno != 0 || number > 100000000)
        return NULL;
    path = strndup(text, (size_t)(colon - text));
    if (path != NULL && is_device(path)) {
        *baud = (unsigned)number;
        return path;
    }
    free(path);
    return NULL;
}

static int refuse_enable(struct source_failure *failure)
{
    return source_fail(failure, "nothing there waits for --enable",
                       "name a device or a connection, or leave it out");
}

/*
 * Set 8 bits, no parity, no flow control, no translation; `baud` 0 keeps the
 * speed. Return -1 with errno: no terminal, or an unsupported speed. The
 * kernel's struct takes any speed, libc's only some, and the two headers
 * conflict.
 */
static int make_raw(struct capture_source *source, unsigned baud)
{
    struct termios2 raw;

    if (ioctl(source->descriptor, TCGETS2, &source->before) < 0)
        return -1;
    raw = source->before;
    raw.c_iflag = IGNBRK;
    raw.c_oflag = 0;
    raw.c_lflag = 0;
    raw.c_cflag &= ~(tcflag_t)(CSIZE | PARENB | CSTOPB | CRTSCTS);
    raw.c_cflag |= CS8 | CREAD | CLOCAL;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (baud != 0) {
        raw.c_cflag &= ~(tcflag_t)(CBAUD | CBAUD << IBSHIFT);
        raw.c_cflag |= BOTHER | BOTHER << IBSHIFT;
        raw.c_ispeed = raw.c_ospeed = baud;
    }
    return ioctl(source->descriptor, TCSETS2, &raw);
}

static const struct capture_source *serial; /* to restore at exit */

/* Restore the device at exit. */
static void restore(void)
{
    if (serial != NULL)
        ioctl(serial->descriptor, TCSETS2, &serial->before);
    serial = NULL;
}

static int open_path(struct capture_source *source, const char *path,
                     unsigned baud, bool is_written,
                     struct source_failure *failure)
{
    struct stat status;

    if (is_written && !is_device(path))
        return refuse_enable(failure);
    source->descriptor = open(path, (is_written ? O_RDWR : O_RDONLY) |
                                        O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (source->descriptor < 0)
        return source_fail_to_open(failure, path);
    if (fstat(source->descriptor, &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return source_fail(failure, strerror(EISDIR),
                               "name a file, a pipe, a device, tcp:HOST:PORT "
                               "or listen:HOST:PORT");
        source->is_live = !S_ISREG(status.st_mode);
    }
    if (baud == 0 && !isatty(source->descriptor))
        return 0;
    if (make_raw(source, baud) < 0)
        return source_fail(failure, strerror(errno),
                           "name a serial device and a speed that it has");
    source->is_serial = true;
    serial = source;
    atexit(restore);
    return 0;
}

/* Split HOST:PORT, [HOST]:PORT or :PORT: copy the host without brackets, and
   return the port, or NULL. */
static const char *split_place(const char *place, char host[HOST_SIZE])
{
    const char *colon = strrchr(place, ':');
    size_t length = colon == NULL ? 0 : (size_t)(colon - place);

    if (colon == NULL || length >= HOST_SIZE || colon[1] == '\0')
        return NULL;
    if (length >= 2 && place[0] == '[' && place[length - 1] == ']') {
        place++;
        length -= 2;
    }
    memcpy(host, place, length);
    host[length] = '\0';
    return colon + 1;
}

static struct addrinfo *look_up(const char *place, int flags,
                                struct source_failure *failure)
{
    struct addrinfo wanted = {
        .ai_flags = flags,
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
    };
    struct addrinfo *found = NULL;
    char host[HOST_SIZE];
    const char *port = split_place(place, host);
    int error;

    if (port == NULL || (unsigned long)atol(port) > UINT16_MAX) {
        source_fail(failure,
                    port == NULL ? "it names no port" : "ports end at 65,535",
                    form_advice);
        return NULL;
    }
    /* A name server may not answer; nothing is recorded yet, so a signal may
       end the command. */
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    error = getaddrinfo(host[0] == '\0' ? NULL : host, port, &wanted, &found);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    if (error != 0) {
        source_fail(failure, gai_strerror(error), form_advice);
        return NULL;
    }
    return found;
}

static int open_socket(const struct addrinfo *address)
{
    return socket(address->ai_family,
                  address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                  address->ai_protocol);
}

/* Close the descriptor, keep errno and return -1. */
static int close_failed(int descriptor)
{
    int error = errno;

    close(descriptor);
    errno = error;
    return -1;
}

/* Wait until the descriptor is ready. Return -1 with errno EINTR or
   ETIMEDOUT. */
static int wait_ready(const struct capture_order *order, int descriptor,
                      short events)
{
    enum wait_result result =
        wait_for(order->stop, descriptor, events, order->milliseconds);

    errno = result == WAIT_STOPPED ? EINTR : ETIMEDOUT;
    return result == WAIT_READY ? 0 : -1;
}

/* Wait until the socket is connected. Return 0, or -1 with errno. */
static int finish_connect(int descriptor, const struct addrinfo *address,
                          const struct capture_order *order)
{
    int error = 0;
    socklen_t size = sizeof error;

    if (connect(descriptor, address->ai_addr, address->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS || wait_ready(order, descriptor, POLLOUT) < 0)
        return -1;
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error;
    return error == 0 ? 0 : -1;
}

/* Try each address of the host once; return -1 with the last errno. */
static int connect_to_any(const struct addrinfo *addresses,
                          const struct capture_order *order)
{
    for (const struct addrinfo *address = addresses; address != NULL;
         address = address->ai_next) {
        int descriptor = open_socket(address);

        if (descriptor < 0)
            continue;
        if (finish_connect(descriptor, address, order) == 0)
            return descriptor;
        close_failed(descriptor);
        if (errno == EINTR)
            break;
    }
    return -1;
}

/* Connect; try again while the other side does not listen. */
static int tcp_connect(const char *place, const struct capture_order *order,
                       struct source_failure *failure)
{
    struct addrinfo *addresses = look_up(place, 0, failure);
    int left = order->milliseconds;
    int descriptor, error;

    if (addresses == NULL)
        return -1;
    for (;;) {
        descriptor = connect_to_any(addresses, order);
        error = errno;
        if (descriptor >= 0 || error != ECONNREFUSED || left < AGAIN_MS ||
            wait_for(order->stop, -1, 0, AGAIN_MS) == WAIT_STOPPED)
            break;
        left -= AGAIN_MS;
    }
    freeaddrinfo(addresses);
    if (descriptor < 0)
        source_fail(failure, strerror(error),
                    "start what listens there, or use --wait=SECONDS");
    return descriptor;
}

static void tell_port(int descriptor)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } address = { 0 };
    socklen_t size = sizeof address;

    if (getsockname(descriptor, &address.any, &size) == 0)
        fprintf(stderr, "tally: listening on port %u\n",
                ntohs(address.any.sa_family == AF_INET6 ? address.in6.sin6_port
                                                        : address.in.sin_port));
}

static int listen_at(const struct addrinfo *address)
{
    int descriptor = open_socket(address);
    int on = 1;

    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(descriptor, address->ai_addr, address->ai_addrlen) == 0 &&
        listen(descriptor, 1) == 0)
        return descriptor;
    return close_failed(descriptor);
}

/* Accept the first connection. With port 0 the system picks the port, and a
   line names it. */
static int tcp_accept(const char *place, const struct capture_order *order,
                      struct source_failure *failure)
{
    struct addrinfo *address = look_up(place, AI_PASSIVE, failure);
    size_t length = strlen(place);
    int listener, descriptor;

    if (address == NULL)
        return -1;
    listener = listen_at(address);
    freeaddrinfo(address);
    if (listener < 0)
        return source_fail(failure, strerror(errno), "name another port");
    if (length >= 2 && strcmp(place + length - 2, ":0") == 0)
        tell_port(listener);
    if (wait_ready(order, listener, POLLIN) < 0)
        descriptor =
            source_fail(failure, "no program connected",
                        errno == EINTR ? "start what connects to it"
                                       : "start what connects to it, or use "
                                         "--wait=SECONDS");
    else if ((descriptor = accept4(listener, NULL, NULL,
                                   SOCK_CLOEXEC | SOCK_NONBLOCK)) < 0)
        source_fail(failure, strerror(errno), "start the capture again");
    close(listener);
    return descriptor;
}

static int open_any(struct capture_source *source,
                    const struct capture_order *order,
                    struct source_failure *failure)
{
    const char *name = order->source;
    const char *place;
    char *path;
    unsigned baud = 0;
    int error;

    if (strcmp(name, "-") == 0) {
        if (order->has_enable)
            return refuse_enable(failure);
        source->descriptor = STDIN_FILENO;
    } else if ((place = text_after(name, "tcp:")) != NULL) {
        source->descriptor = tcp_connect(place, order, failure);
    } else if ((place = text_after(name, "listen:")) != NULL) {
        source->descriptor = tcp_accept(place, order, failure);
    } else {
        if ((place = text_after(name, "serial:")) != NULL)
            name = place;
        path = split_baud(name, &baud);
        error = open_path(source, path != NULL ? path : name, baud,
                          order->has_enable, failure);
        free(path);
        return error;
    }
    return source->descriptor < 0 ? -1 : 0;
}

int capture_source_open(struct capture_source *source,
                        const struct capture_order *order,
                        struct source_failure *failure)
{
    int error;

    *source = (struct capture_source){ .descriptor = -1, .is_live = true };
    error = open_any(source, order, failure);
    if (error == 0 && order->has_enable &&
        write(source->descriptor, enable_line, sizeof enable_line - 1) < 0)
        error =
            source_fail(failure, strerror(errno), "start the capture again");
    if (error < 0)
        capture_source_close(source);
    return error;
}

void capture_source_close(struct capture_source *source)
{
    restore();
    if (source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    source->descriptor = -1;
    source->is_serial = false;
}

ssize_t capture_source_read(struct capture_source *source, void *bytes,
                            size_t size)
{
    ssize_t got;

    do
        got = read(source->descriptor, bytes, size);
    while (got < 0 && errno == EINTR);
    /* The other side of a pseudoterminal has closed. */
    if (got < 0 && errno == EIO && source->is_serial)
        return 0;
    return got;
}
