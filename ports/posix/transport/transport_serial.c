/* SPDX-License-Identifier: Apache-2.0 */
/* transport_serial.c - a serial device, or a pty, that passes bytes as they are */
#define _GNU_SOURCE
#include "ports/posix/transport/transport_serial.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const struct {
    long baud;
    speed_t speed;
} speeds[] = {
    { 9600, B9600 },       { 19200, B19200 },     { 38400, B38400 },
    { 57600, B57600 },     { 115200, B115200 },   { 230400, B230400 },
    { 460800, B460800 },   { 921600, B921600 },   { 1000000, B1000000 },
    { 1500000, B1500000 }, { 2000000, B2000000 }, { 3000000, B3000000 },
    { 4000000, B4000000 },
};

static int find_speed(const char *text, speed_t *speed)
{
    char *end;
    long baud = strtol(text, &end, 10);

    for (size_t i = 0; *end == '\0' && i < sizeof speeds / sizeof speeds[0];
         i++) {
        if (speeds[i].baud == baud) {
            *speed = speeds[i].speed;
            return 0;
        }
    }
    return -EINVAL;
}

/* Bytes go through as they are. */
static int configure(int fd, speed_t speed)
{
    struct termios settings;

    if (tcgetattr(fd, &settings) != 0)
        return -errno;
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL;
    if (speed != B0) {
        cfsetispeed(&settings, speed);
        cfsetospeed(&settings, speed);
    }
    return tcsetattr(fd, TCSANOW, &settings) == 0 ? 0 : -errno;
}

int transport_serial_open(const char *place)
{
    const char *colon = strrchr(place, ':');
    char path[PATH_MAX];
    size_t length = colon == NULL ? strlen(place) : (size_t)(colon - place);
    speed_t speed = B0; /* as it is */
    int fd, result;

    if (length >= sizeof path)
        return -ENAMETOOLONG;
    if (colon != NULL && find_speed(colon + 1, &speed) < 0)
        return -EINVAL;
    memcpy(path, place, length);
    path[length] = '\0';
    fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    result = configure(fd, speed);
    if (result < 0) {
        close(fd);
        return result;
    }
    return fd;
}
