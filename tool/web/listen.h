/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - sockets, and connections that are new */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * A socket that this machine or this user alone reaches
 */

struct web_listen {
    uint16_t port;    /* of 127.0.0.1; 0: any */
    const char *path; /* of a Unix socket, which is made; NULL: none */
};

/* "unix:PATH" or "127.0.0.1:PORT", which stays the caller's; false: it is no
   such text. */
bool web_listen_read(struct web_listen *listen, const char *text);

/* Its descriptor, or -1 with errno. */
int web_listen_open(const struct web_listen *listen);

/* Find the user at the other end of a connection; return false if the kernel
   does not tell. */
bool web_peer_user(int fd, uint32_t *user);

/*
 * Connections that have not sent a valid token yet
 *
 * The head of a request must be complete within 5 to 10 seconds, even if bytes
 * keep arriving. The number of newcomers is limited. A further one replaces the
 * oldest of the peer with the most, so a peer with one connection always gets
 * in. A peer is a user; all users that the kernel does not name count as one.
 */

/* Note a connection. Its descriptor stays open until newcomers_end(). */
void newcomers_begin(int fd);

/* Forget a connection that has sent its token, or is about to be closed. */
void newcomers_end(int fd);

/* Close connections whose time is over. Call this at each SIGALRM;
   newcomers_begin() starts the timer. */
void newcomers_sweep(void);
