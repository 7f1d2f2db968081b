/* SPDX-License-Identifier: Apache-2.0 */
/* transport_tcp.c - connections that do not block */
#define _GNU_SOURCE
#include "ports/posix/transport/transport_tcp.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tally/port.h"

enum { CONNECT_MS = 2000, HOST_CAPACITY = 256 };

#define FIRST_DELAY_NS   UINT64_C(250000000)
#define LONGEST_DELAY_NS UINT64_C(8000000000)

/* Addresses of HOST:PORT; 0, or a negative errno. */
static int resolve(const char *place, int flags, struct addrinfo **found)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
                                    .ai_flags = flags };
    const char *colon = strrchr(place, ':');
    char host[HOST_CAPACITY];
    size_t length;

    if (colon == NULL || colon[1] == '\0' ||
        (unsigned long)atol(colon + 1) > UINT16_MAX)
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

/* 0, or a negative errno; -ETIMEDOUT when it takes longer. */
static int wait_for_connection(int fd, int ms)
{
    struct pollfd wanted = { .fd = fd, .events = POLLOUT };
    socklen_t size = sizeof(int);
    int error = 0;

    if (poll(&wanted, 1, ms) <= 0)
        return -ETIMEDOUT;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        return -errno;
    return -error;
}

static int connect_to(int fd, const struct addrinfo *address)
{
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return 0;
    return errno == EINPROGRESS ? wait_for_connection(fd, CONNECT_MS) : -errno;
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

int transport_tcp_connect(const char *place, struct transport_peer *peer)
{
    int fd = open_socket(place, 0, connect_to);

    if (fd < 0)
        return fd;
    *peer = (struct transport_peer){ .size = sizeof peer->address };
    if (getpeername(fd, (struct sockaddr *)&peer->address, &peer->size) != 0)
        peer->size = 0;
    return fd;
}

int transport_tcp_listen(const char *place)
{
    return open_socket(place, AI_PASSIVE, listen_on);
}

/* Begin to connect; the time after that is put off. */
static void call(struct transport_peer *peer, uint64_t now_ns)
{
    peer->delay_ns = peer->delay_ns == 0 ? FIRST_DELAY_NS : 2 * peer->delay_ns;
    if (peer->delay_ns > LONGEST_DELAY_NS)
        peer->delay_ns = LONGEST_DELAY_NS;
    peer->next_ns = now_ns + peer->delay_ns;
    peer->fd = socket(peer->address.ss_family,
                      SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (peer->fd < 0)
        return;
    peer->is_called = true;
    if (connect(peer->fd, (const struct sockaddr *)&peer->address,
                peer->size) != 0 &&
        errno != EINPROGRESS)
        transport_tcp_forget(peer);
}

int transport_tcp_reconnect(struct transport_peer *peer)
{
    uint64_t now_ns = tally_port_time_ns();
    int result;

    if (peer->size == 0)
        return -1;
    if (!peer->is_called && now_ns >= peer->next_ns)
        call(peer, now_ns);
    if (!peer->is_called)
        return -1;
    result = wait_for_connection(peer->fd, 0);
    if (result == 0) {
        peer->is_called = false;
        peer->delay_ns = 0;
        return peer->fd;
    }
    if (result != -ETIMEDOUT || now_ns >= peer->next_ns)
        transport_tcp_forget(peer);
    return -1;
}

void transport_tcp_forget(struct transport_peer *peer)
{
    if (peer->is_called)
        close(peer->fd);
    peer->is_called = false;
}
