/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_source.c - where a trace comes from while it is written
 *
 * Nothing blocks: a pipe is opened before it has a writer, and it is read
 * when it is ready, so that a signal always comes through.
 */
#include "tool/capture/capture_source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/behind.h"
#include "tool/capture/tcp.h"

static const char enable_line[] = "enable\r";

static bool is_device(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISCHR(status.st_mode);
}

/* A copy of PATH when `text` is PATH:BAUD of a device, else NULL. */
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
 * 8 bits, no parity, no flow control, nothing translated; `baud` 0 leaves the
 * speed. -1 with errno: no terminal, or a speed that it does not have. The
 * kernel's own struct takes any speed; libc's has a list of them, and the two
 * headers do not go together.
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

static const struct capture_source *serial; /* whose settings were changed */

/* Whatever ends the command. */
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
        return source_fail(failure, strerror(errno),
                           "check its name and permissions");
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

static int open_any(struct capture_source *source,
                    const struct capture_order *order,
                    struct source_failure *failure)
{
    const struct tcp_wait wait = { order->stop, order->milliseconds };
    const char *name = order->source;
    const char *place;
    char *path;
    unsigned baud = 0;
    int error;

    if (strcmp(name, "-") == 0 && order->has_enable)
        return refuse_enable(failure);
    if (strcmp(name, "-") == 0) {
        source->descriptor = STDIN_FILENO;
        return 0;
    }
    if ((place = behind(name, "tcp:")) != NULL) {
        source->descriptor = tcp_connect(place, &wait, failure);
        return source->descriptor < 0 ? -1 : 0;
    }
    if ((place = behind(name, "listen:")) != NULL) {
        source->descriptor = tcp_accept(place, &wait, failure);
        return source->descriptor < 0 ? -1 : 0;
    }
    if ((place = behind(name, "serial:")) != NULL)
        name = place;
    path = split_baud(name, &baud);
    error = open_path(source, path != NULL ? path : name, baud,
                      order->has_enable, failure);
    free(path);
    return error;
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
    /* The other side of a pseudoterminal is gone. */
    if (got < 0 && errno == EIO && source->is_serial)
        return 0;
    return got;
}
