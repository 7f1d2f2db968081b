/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.h - wait for bytes, but not past a signal that ends all
 */
#ifndef TALLY_TOOL_CAPTURE_WAIT_H
#define TALLY_TOOL_CAPTURE_WAIT_H

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

#endif /* TALLY_TOOL_CAPTURE_WAIT_H */
