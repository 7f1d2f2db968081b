/* SPDX-License-Identifier: Apache-2.0 */
/* test_listen.c - listening addresses, and the peer of a connection */
#include "tool/web/listen.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static void texts_of_addresses(void **state)
{
    static const char *const wrong[] = {
        "",
        "unix:",
        "127.0.0.1",
        "127.0.0.1:",
        ":80",
        "127.0.0.1:65536",
        "127.0.0.1:80x",
        "::1:80",
        "localhost:80",
        "0.0.0.0:1",
        "127.0.0.2:0",
        "127.0.0.01:80",
        "127.0.0.1.1:80",
        "1111.2222.3333.4444.5555:1",
    };
    struct web_listen listen;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(web_listen_read(&listen, wrong[i]));
    assert_true(web_listen_read(&listen, "127.0.0.1:8000"));
    assert_int_equal(listen.port, 8000);
    assert_null(listen.path);
    assert_true(web_listen_read(&listen, "unix:a:1"));
    assert_string_equal(listen.path, "a:1");
}

/* Create both ends of a connection; the first is the server's. */
static void connect_to(int family, const void *to, socklen_t size, int fd,
                       int ends[2])
{
    ends[1] = socket(family, SOCK_STREAM, 0);
    assert_int_equal(connect(ends[1], to, size), 0);
    ends[0] = accept(fd, NULL, NULL);
    assert_true(ends[0] >= 0);
}

static void the_other_end_is_ours(void **state)
{
    const struct web_listen any = { 0 };
    struct sockaddr_in own;
    struct sockaddr_in6 mapped = { .sin6_family = AF_INET6 };
    socklen_t size = sizeof own;
    uint32_t user = UINT32_MAX;
    int ends[2], fd = web_listen_open(&any);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&own, &size), 0);
    assert_int_equal(own.sin_addr.s_addr, htonl(INADDR_LOOPBACK));
    connect_to(AF_INET, &own, size, fd, ends);
    assert_true(web_peer_user(ends[0], &user));
    assert_int_equal(user, geteuid());
    /* A closed connection has no user: it is not reported as root's. */
    close(ends[1]);
    assert_false(web_peer_user(ends[0], &user));
    close(ends[0]);
    assert_int_equal(inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr),
                     1);
    mapped.sin6_port = own.sin_port;
    connect_to(AF_INET6, &mapped, sizeof mapped, fd, ends);
    user = UINT32_MAX;
    assert_true(web_peer_user(ends[0], &user));
    assert_int_equal(user, geteuid());
    close(ends[0]);
    close(ends[1]);
    close(fd);
}

static void the_other_end_of_a_local_socket(void **state)
{
    uint32_t user = UINT32_MAX;
    int ends[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_true(web_peer_user(ends[0], &user));
    assert_int_equal(user, geteuid());
    assert_false(web_peer_user(-1, &user));
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_addresses),
        cmocka_unit_test(the_other_end_is_ours),
        cmocka_unit_test(the_other_end_of_a_local_socket),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
