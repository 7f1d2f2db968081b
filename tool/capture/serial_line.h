/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serial_line.h - bytes as they are from a serial device or a pseudoterminal
 */
#ifndef TALLY_TOOL_CAPTURE_SERIAL_LINE_H
#define TALLY_TOOL_CAPTURE_SERIAL_LINE_H

#include <asm/termbits.h>

struct serial_line {
    int descriptor;
    struct termios2 before;
};

/*
 * 8 bits, no parity, no flow control, nothing translated; `baud` 0 leaves the
 * speed. 0, or -1 with errno: no terminal, or a speed that it does not have.
 */
int serial_line_open(struct serial_line *line, int descriptor, unsigned baud);

/* As it was before. The descriptor stays open. */
void serial_line_close(const struct serial_line *line);

#endif /* TALLY_TOOL_CAPTURE_SERIAL_LINE_H */
