/* SPDX-License-Identifier: Apache-2.0 */
/* transport_tcp.c - connections that do not block */
#define _GNU_SOURCE
#include "ports/posix/transport_tcp.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECT_MS = 2000, HOST_CAPACITY = 256 };

/* Addresses of HOST:PORT; 0, or a negative errno. */
static int resolve(const char *place, int flags, struct addrinfo **found)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                    .ai_flags = flags };
    const char *colon = strrchr(place, ':');
    char host[HOST_CAPACITY];
    size_t length;

    if (colon == NULL || colon[1] == '\0')
        return -EINVAL;
    length = (size_t)(colon - place);
    if (length >= 2 && place[0] == '[' && colon[-1] == ']') {
        place++;
        length -= 2;
    }
    if (length >= sizeof host)
        return -EINVAL;
    memcpy(host, place, length);
    host[length] = '\0';
    return getaddrinfo(length == 0 ? "localhost" : host, colon + 1, &hints,
                       found) == 0
               ? 0
               : -EADDRNOTAVAIL;
}

static int wait_for_connection(int fd)
{
    struct pollfd wanted = { .fd = fd, .events = POLLOUT };
    socklen_t size = sizeof(int);
    int error = 0;

    if (poll(&wanted, 1, CONNECT_MS) <= 0)
        return -ETIMEDOUT;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        return -errno;
    return -error;
}

static int connect_to(int fd, const struct addrinfo *address)
{
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return 0;
    return errno == EINPROGRESS ? wait_for_connection(fd) : -errno;
}

static int listen_on(int fd, const struct addrinfo *address)
{
    const int yes = 1;

    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, address->ai_addr, address->ai_addrlen) != 0 ||
        listen(fd, 1) != 0)
        return -errno;
    return 0;
}

/* The first of the addresses that it works with. */
static int open_socket(const char *place, int flags,
                       int (*use)(int fd, const struct addrinfo *address))
{
    struct addrinfo *addresses;
    int result = resolve(place, flags, &addresses);

    if (result < 0)
        return result;
    result = -EADDRNOTAVAIL;
    for (const struct addrinfo *address = addresses; address != NULL;
         address = address->ai_next) {
        int fd = socket(address->ai_family,
                        SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

        if (fd < 0) {
            result = -errno;
            continue;
        }
        result = use(fd, address);
        if (result == 0) {
            result = fd;
            break;
        }
        close(fd);
    }
    freeaddrinfo(addresses);
    return result;
}

int transport_tcp_connect(const char *place)
{
    return open_socket(place, 0, connect_to);
}

int transport_tcp_listen(const char *place)
{
    return open_socket(place, AI_PASSIVE, listen_on);
}
