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

/* Within two seconds, or -ETIMEDOUT. */
int transport_tcp_connect(const char *place);

int transport_tcp_listen(const char *place);

#endif /* TALLY_PORTS_POSIX_TRANSPORT_TCP_H */
