/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transport_tcp.h - connections that do not block
 *
 * `place` is HOST:PORT, an IPv6 address in brackets; for listening HOST may be
 * left out, and is then this machine alone. Each returns a descriptor or a
 * negative errno.
 */
#ifndef TALLY_PORTS_POSIX_TRANSPORT_TCP_H
#define TALLY_PORTS_POSIX_TRANSPORT_TCP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* The peer to connect to again. */
struct transport_peer {
    struct sockaddr_storage address;
    socklen_t size; /* 0: no peer */
    bool is_called; /* `fd` is being connected */
    int fd;
    uint64_t next_ns;  /* not before that */
    uint64_t delay_ns; /* until the time after that */
};

/* Within two seconds, or -ETIMEDOUT. */
int transport_tcp_connect(const char *place, struct transport_peer *peer);

int transport_tcp_listen(const char *place);

/*
 * Without waiting: a descriptor once the peer takes the connection; -1: not yet. At
 * first it is called 4 times a second, then less often, every 8 seconds at last.
 */
int transport_tcp_reconnect(struct transport_peer *peer);

/* Give up what is being connected. */
void transport_tcp_forget(struct transport_peer *peer);

#endif /* TALLY_PORTS_POSIX_TRANSPORT_TCP_H */
