/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp.h - a connection that bytes come through
 */
#ifndef TALLY_TOOL_CAPTURE_TCP_H
#define TALLY_TOOL_CAPTURE_TCP_H

#include "tool/model/source.h"

struct tcp_wait {
    int stop;         /* of wait_open() */
    int milliseconds; /* for the other side to be there */
};

/* What follows "tcp:" or "listen:" is HOST:PORT, [HOST]:PORT or :PORT. */

/*
 * Connect; try again while the other side does not listen. Returns a descriptor
 * that does not block, or -1 with the reason.
 */
int tcp_connect(const char *place, const struct tcp_wait *wait,
                struct source_failure *failure);

/*
 * Listen, and take the first connection. With port 0 the system picks one, and
 * a line on standard error names it.
 */
int tcp_accept(const char *place, const struct tcp_wait *wait,
               struct source_failure *failure);

#endif /* TALLY_TOOL_CAPTURE_TCP_H */
