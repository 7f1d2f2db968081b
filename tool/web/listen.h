/* SPDX-License-Identifier: Apache-2.0 */
/* listen.h - a socket that this machine alone, or this user alone, reaches */
#pragma once

#include <stdint.h>

struct web_listen {
    uint16_t port;    /* of 127.0.0.1; 0: any */
    const char *path; /* of a Unix socket, which is made; NULL: none */
};

/* Its descriptor, or -1 with errno. */
int web_listen_open(const struct web_listen *listen);
