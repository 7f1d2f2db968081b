/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listen.c - see listen.h
 *
 * The kernel's socket diagnosis names the owner of each end of a local TCP
 * connection. A closed end is reported as root's, without an inode.
 */
#include "tool/web/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "format/text_after.h"
#include "tool/text/text.h"

bool web_listen_read(struct web_listen *listen, const char *text)
{
    const char *port = text_after(text, "127.0.0.1:");
    uint64_t number = 0;

    *listen = (struct web_listen){ .path = text_after(text, "unix:") };
    if (listen->path != NULL)
        return *listen->path != '\0';
    if (port == NULL || !parse_count(port, UINT16_MAX, &number))
        return false;
    listen->port = (uint16_t)number;
    return true;
}

/* Return true for the socket of a killed server, false for other files. */
static bool is_left(int fd, const struct sockaddr_un *local)
{
    struct stat file;

    return lstat(local->sun_path, &file) == 0 && S_ISSOCK(file.st_mode) &&
           connect(fd, (const void *)local, sizeof *local) < 0 &&
           errno == ECONNREFUSED;
}

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
    /* A restarted server can bind at once. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
    mask = umask(0177); /* for this user alone */
    error = bind(fd, address, size);
    if (error < 0 && errno == EADDRINUSE && wanted->path != NULL &&
        is_left(fd, &local) && unlink(wanted->path) == 0)
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

/* Find the user of a connection from one address to the other. */
static bool find_user(const struct sockaddr_in *from,
                      const struct sockaddr_in *to, uint32_t *user)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 asked;
    } question = {
        .head = { .nlmsg_len = sizeof question,
                  .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                  .nlmsg_flags = NLM_F_REQUEST },
        .asked = { .sdiag_family = AF_INET,
                   .sdiag_protocol = IPPROTO_TCP,
                   .idiag_states = UINT32_MAX,
                   .id = { .idiag_sport = from->sin_port,
                           .idiag_dport = to->sin_port,
                           .idiag_src = { from->sin_addr.s_addr },
                           .idiag_dst = { to->sin_addr.s_addr },
                           .idiag_cookie = { INET_DIAG_NOCOOKIE,
                                             INET_DIAG_NOCOOKIE } } },
    };
    struct {
        struct nlmsghdr head;
        struct inet_diag_msg found;
        char rest[512];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    bool is_found =
        fd >= 0 &&
        send(fd, &question, sizeof question, 0) == (ssize_t)sizeof question &&
        recv(fd, &answer, sizeof answer, MSG_DONTWAIT) >=
            (ssize_t)(sizeof answer.head + sizeof answer.found) &&
        answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY &&
        answer.found.idiag_inode != 0;

    if (fd >= 0)
        close(fd);
    if (is_found)
        *user = answer.found.idiag_uid;
    return is_found;
}

bool web_peer_user(int fd, uint32_t *user)
{
    struct sockaddr_in own, other;
    socklen_t own_size = sizeof own, other_size = sizeof other;
    struct ucred peer;
    socklen_t size = sizeof peer;

    if (getsockname(fd, (struct sockaddr *)&own, &own_size) < 0 ||
        getpeername(fd, (struct sockaddr *)&other, &other_size) < 0)
        return false;
    if (own.sin_family == AF_INET)
        return find_user(&other, &own, user);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return false;
    *user = peer.uid;
    return true;
}
