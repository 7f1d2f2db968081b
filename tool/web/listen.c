/* SPDX-License-Identifier: Apache-2.0 */
/* listen.c - see listen.h */
#include "tool/web/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

int web_listen_open(const struct web_listen *wanted)
{
    struct sockaddr_in inet = { .sin_family = AF_INET,
                                .sin_port = htons(wanted->port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct sockaddr_un local = { .sun_family = AF_UNIX };
    const void *address = &inet;
    socklen_t size = sizeof inet;
    mode_t mask;
    int error, fd;

    if (wanted->path != NULL) {
        if (strlen(wanted->path) >= sizeof local.sun_path) {
            errno = ENAMETOOLONG;
            return -1;
        }
        strcpy(local.sun_path, wanted->path);
        address = &local;
        size = sizeof local;
    }
    fd = socket(wanted->path != NULL ? AF_UNIX : AF_INET,
                SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    mask = umask(0177); /* for this user alone */
    error = bind(fd, address, size);
    umask(mask);
    if (error == 0)
        error = listen(fd, SOMAXCONN);
    if (error < 0) {
        error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}
