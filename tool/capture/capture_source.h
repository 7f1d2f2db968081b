/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_source.h - where a trace comes from while it is written
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

/* Waiting for bytes, but not past a signal that ends all. */
enum wait_result {
    WAIT_READY,
    WAIT_LATE,    /* the time is over */
    WAIT_STOPPED, /* SIGINT, SIGTERM or SIGHUP came; it stays so */
};

/*
 * From here on those signals only end waits. The descriptor to wait with, or -1
 * with errno.
 */
int wait_open(void);

/*
 * Until `descriptor` has `events`, as poll() calls them, or is at its end; -1
 * as a descriptor only lets time pass. `milliseconds` -1: for ever. With -1 for
 * `stop` no signal ends it.
 */
enum wait_result wait_for(int stop, int descriptor, short events,
                          int milliseconds);

struct capture_source {
    int descriptor; /* for wait_for() */
    bool is_live;   /* what it holds comes just now; false: a file */

    bool is_serial;         /* private */
    struct termios2 before; /* private: what the device is given back */
};

struct capture_order {
    const char *source;
    int stop;         /* of wait_open() */
    int milliseconds; /* to wait for a connection; -1: for ever */
    bool has_enable;  /* send what Zephyr's UART waits for */
};

/* 0, or -1 with the reason. */
int capture_source_open(struct capture_source *source,
                        const struct capture_order *order,
                        struct source_failure *failure);
void capture_source_close(struct capture_source *source);

/*
 * Once it is ready: bytes, 0 at the end, or -1 with errno, which is EAGAIN when
 * it was not ready after all.
 */
ssize_t capture_source_read(struct capture_source *source, void *bytes,
                            size_t size);
