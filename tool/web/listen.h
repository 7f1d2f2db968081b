/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - a socket that this machine or this user alone reaches */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct web_listen {
    uint16_t port;    /* of 127.0.0.1; 0: any */
    const char *path; /* of a Unix socket, which is made; NULL: none */
};

/* "unix:PATH" or "127.0.0.1:PORT", which stays the caller's; false: it is no
   such text. */
bool web_listen_read(struct web_listen *listen, const char *text);

/* Its descriptor, or -1 with errno. */
int web_listen_open(const struct web_listen *listen);

/* Whose the other end of a connection is; false: that does not show. */
bool web_peer_user(int fd, uint32_t *user);
