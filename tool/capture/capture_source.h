/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_source.h - read a trace while it is written
 *
 *     PATH               a file, a pipe, a device
 *     -                  standard input
 *     tcp:HOST:PORT      connect
 *     listen:HOST:PORT   wait for a connection
 *     PATH:BAUD          a serial device or a pseudoterminal
 */
#pragma once

#include <asm/termbits.h>
#include <stddef.h>
#include <sys/types.h>

#include "tool/model/source.h"

/* Results of waiting for bytes or a signal. */
enum wait_result {
    WAIT_READY,
    WAIT_LATE,    /* timeout */
    WAIT_STOPPED, /* SIGINT, SIGTERM or SIGHUP came; stays so */
};

/*
 * Have those signals only end waits from now on. Return the descriptor to wait
 * with, or -1 with errno.
 */
int wait_open(void);

/*
 * Wait until `descriptor` has `events` of poll(), or is at its end.
 * `descriptor` -1: only let time pass; `milliseconds` -1: no timeout; `stop`
 * -1: no signal ends the wait.
 */
enum wait_result wait_for(int stop, int descriptor, short events,
                          int milliseconds);

struct capture_source {
    int descriptor; /* for wait_for() */
    bool is_live;   /* bytes arrive live; false: a file */

    bool is_serial;         /* private */
    struct termios2 before; /* private: settings of the device to restore */
};

struct capture_order {
    const char *source;
    int stop;         /* of wait_open() */
    int milliseconds; /* timeout of a connection; -1: none */
    bool has_enable;  /* send the byte that Zephyr's UART waits for */
};

/* Open the source. Return 0, or -1 with the reason. */
int capture_source_open(struct capture_source *source,
                        const struct capture_order *order,
                        struct source_failure *failure);
void capture_source_close(struct capture_source *source);

/*
 * Read from a ready source. Return the bytes read, 0 at the end, or -1 with
 * errno; EAGAIN if it was not ready after all.
 */
ssize_t capture_source_read(struct capture_source *source, void *bytes,
                            size_t size);
