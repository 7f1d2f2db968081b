/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serial_line.c - bytes as they are from a serial device or a pseudoterminal
 *
 * The kernel's own struct takes any speed; libc's has a list of them, and the
 * two headers do not go together.
 */
#include "tool/capture/serial_line.h"

#include <sys/ioctl.h>

int serial_line_open(struct serial_line *line, int descriptor, unsigned baud)
{
    struct termios2 raw;

    line->descriptor = descriptor;
    if (ioctl(descriptor, TCGETS2, &line->before) < 0)
        return -1;
    raw = line->before;
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
    return ioctl(descriptor, TCSETS2, &raw);
}

void serial_line_close(const struct serial_line *line)
{
    ioctl(line->descriptor, TCSETS2, &line->before);
}
