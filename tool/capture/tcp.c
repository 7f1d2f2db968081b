/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tcp.c - a connection that bytes come through
 */
#include "tool/capture/tcp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tool/capture/wait.h"

enum { AGAIN_MS = 50, HOST_SIZE = 256 };

static const char *const form_advice = "write tcp:HOST:PORT or "
                                       "listen:HOST:PORT";

/* The host without its brackets; the port, or NULL. */
static const char *split_place(const char *place, char host[HOST_SIZE])
{
    const char *colon = strrchr(place, ':');
    size_t length = colon == NULL ? 0 : (size_t)(colon - place);

    if (colon == NULL || length >= HOST_SIZE || colon[1] == '\0')
        return NULL;
    if (length >= 2 && place[0] == '[' && place[length - 1] == ']') {
        place++;
        length -= 2;
    }
    memcpy(host, place, length);
    host[length] = '\0';
    return colon + 1;
}

static struct addrinfo *look_up(const char *place, int flags,
                                struct source_failure *failure)
{
    struct addrinfo wanted = {
        .ai_flags = flags,
        .ai_family = AF_UNSPEC,
        .ai_socktype = SOCK_STREAM,
    };
    struct addrinfo *found = NULL;
    char host[HOST_SIZE];
    const char *port = split_place(place, host);
    int error;

    if (port == NULL || (unsigned long)atol(port) > UINT16_MAX) {
        source_fail(failure,
                    port == NULL ? "it names no port" : "ports end at 65,535",
                    form_advice);
        return NULL;
    }
    error = getaddrinfo(host[0] == '\0' ? NULL : host, port, &wanted, &found);
    if (error != 0) {
        source_fail(failure, gai_strerror(error), form_advice);
        return NULL;
    }
    return found;
}

static int open_socket(const struct addrinfo *address)
{
    return socket(address->ai_family,
                  address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                  address->ai_protocol);
}

/* 0 when it is connected; -1 with errno. */
static int finish_connect(int descriptor, const struct addrinfo *address,
                          const struct tcp_wait *wait)
{
    int error = 0;
    socklen_t size = sizeof error;

    if (connect(descriptor, address->ai_addr, address->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return -1;
    switch (wait_for(wait->stop, descriptor, POLLOUT, wait->milliseconds)) {
    case WAIT_STOPPED:
        errno = EINTR;
        return -1;
    case WAIT_LATE:
        errno = ETIMEDOUT;
        return -1;
    default:
        break;
    }
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error;
    return error == 0 ? 0 : -1;
}

/* Every address of the host once; -1 with the last one's errno. */
static int connect_to_any(const struct addrinfo *addresses,
                          const struct tcp_wait *wait)
{
    for (const struct addrinfo *address = addresses; address != NULL;
         address = address->ai_next) {
        int descriptor = open_socket(address);
        int error;

        if (descriptor < 0)
            continue;
        if (finish_connect(descriptor, address, wait) == 0)
            return descriptor;
        error = errno;
        close(descriptor);
        errno = error;
        if (error == EINTR)
            break;
    }
    return -1;
}

int tcp_connect(const char *place, const struct tcp_wait *wait,
                struct source_failure *failure)
{
    struct addrinfo *addresses = look_up(place, 0, failure);
    int left = wait->milliseconds;
    int descriptor, error;

    if (addresses == NULL)
        return -1;
    for (;;) {
        descriptor = connect_to_any(addresses, wait);
        error = errno;
        if (descriptor >= 0 || error != ECONNREFUSED || left < AGAIN_MS ||
            wait_for(wait->stop, -1, 0, AGAIN_MS) == WAIT_STOPPED)
            break;
        left -= AGAIN_MS;
    }
    freeaddrinfo(addresses);
    if (descriptor < 0)
        source_fail(failure, strerror(error),
                    "start what listens there, or use --wait=SECONDS");
    return descriptor;
}

static void tell_port(int descriptor)
{
    union {
        struct sockaddr any;
        struct sockaddr_in in;
        struct sockaddr_in6 in6;
    } address = { 0 };
    socklen_t size = sizeof address;

    if (getsockname(descriptor, &address.any, &size) == 0)
        fprintf(stderr, "tally: listening on port %u\n",
                ntohs(address.any.sa_family == AF_INET6 ? address.in6.sin6_port
                                                        : address.in.sin_port));
}

static int listen_at(const struct addrinfo *address)
{
    int descriptor = open_socket(address);
    int on = 1, error;

    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(descriptor, address->ai_addr, address->ai_addrlen) == 0 &&
        listen(descriptor, 1) == 0)
        return descriptor;
    error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

static int accept_one(int listener, const struct tcp_wait *wait,
                      struct source_failure *failure)
{
    int descriptor;

    switch (wait_for(wait->stop, listener, POLLIN, wait->milliseconds)) {
    case WAIT_STOPPED:
        return source_fail(failure, "no program connected",
                           "start what connects to it");
    case WAIT_LATE:
        return source_fail(failure, "no program connected",
                           "start what connects to it, or use --wait=SECONDS");
    default:
        break;
    }
    descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return descriptor >= 0 ? descriptor
                           : source_fail(failure, strerror(errno),
                                         "start the capture again");
}

int tcp_accept(const char *place, const struct tcp_wait *wait,
               struct source_failure *failure)
{
    struct addrinfo *address = look_up(place, AI_PASSIVE, failure);
    size_t length = strlen(place);
    int listener, descriptor;

    if (address == NULL)
        return -1;
    listener = listen_at(address);
    freeaddrinfo(address);
    if (listener < 0)
        return source_fail(failure, strerror(errno), "name another port");
    if (length >= 2 && strcmp(place + length - 2, ":0") == 0)
        tell_port(listener);
    descriptor = accept_one(listener, wait, failure);
    close(listener);
    return descriptor;
}
