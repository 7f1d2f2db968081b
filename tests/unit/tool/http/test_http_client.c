/* SPDX-License-Identifier: Apache-2.0 */
/* test_http_client.c - requests to a server scripted by the test */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "tool/http/http_client.h"

#define OK "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"

static struct {
    int fd;
    const char *reply;
    char seen[1 << 16];
    size_t size;
    ssize_t sent;
} server;

static char url[64];
static struct http_client *client;

/* Read the whole request, then reply. */
static void *serve(void *unused)
{
    int fd = accept(server.fd, NULL, NULL);
    size_t expected = 0;

    (void)unused;
    server.size = 0;
    for (;;) {
        ssize_t got = recv(fd, server.seen + server.size,
                           sizeof server.seen - 1 - server.size, 0);
        char *end, *length;

        if (got <= 0)
            break;
        server.size += (size_t)got;
        server.seen[server.size] = '\0';
        end = strstr(server.seen, "\r\n\r\n");
        if (end == NULL)
            continue;
        length = strstr(server.seen, "Content-Length: ");
        expected = (size_t)(end + 4 - server.seen);
        if (length != NULL)
            expected += (size_t)atoi(length + 16);
        if (server.size >= expected)
            break;
    }
    if (server.reply != NULL)
        server.sent =
            send(fd, server.reply, strlen(server.reply), MSG_NOSIGNAL);
    else
        recv(fd, server.seen, 1, 0); /* until the client disconnects */
    close(fd);
    return NULL;
}

static int ask(struct http_request request, const char *reply,
               struct http_answer *answer)
{
    pthread_t thread;
    int status;

    server.reply = reply;
    pthread_create(&thread, NULL, serve, NULL);
    request.method = request.method ? request.method : "GET";
    request.url = url;
    request.seconds = request.seconds ? request.seconds : 20;
    request.most = request.most ? request.most : 100;
    status = http_client_send(client, &request, answer);
    pthread_join(thread, NULL);
    return status;
}

static int open_server(void **state)
{
    struct sockaddr_in address = { .sin_family = AF_INET };
    socklen_t size = sizeof address;

    (void)state;
    setenv("no_proxy", "127.0.0.1", 1);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    server.fd = socket(AF_INET, SOCK_STREAM, 0);
    bind(server.fd, (struct sockaddr *)&address, sizeof address);
    listen(server.fd, 4);
    getsockname(server.fd, (struct sockaddr *)&address, &size);
    sprintf(url, "http://127.0.0.1:%u/a?b=c", ntohs(address.sin_port));
    client = http_client_open();
    return client == NULL;
}

static int close_server(void **state)
{
    (void)state;
    http_client_close(client);
    return close(server.fd);
}

static void sends_what_it_was_given(void **state)
{
    const char *const headers[] = { "X-One: 1", NULL };
    struct http_answer answer;

    (void)state;
    assert_int_equal(ask((struct http_request){ .method = "PUT",
                                                .headers = headers,
                                                .user = "me",
                                                .password = "word",
                                                .body = "a\0b",
                                                .body_size = 3 },
                         OK "fine", &answer),
                     0);
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.body, "fine");
    assert_int_equal(answer.size, 4);
    assert_false(answer.is_cut);
    assert_memory_equal(server.seen, "PUT /a?b=c HTTP/1.1\r\n", 21);
    assert_non_null(strstr(server.seen, "\r\nX-One: 1\r\n"));
    assert_non_null(
        strstr(server.seen, "\r\nAuthorization: Basic bWU6d29yZA==\r\n"));
    assert_null(strstr(server.seen, "Expect:"));
    assert_memory_equal(server.seen + server.size - 4, "\na\0b", 4);
    free(answer.body);
}

static void packs_a_body(void **state)
{
    char out[8];
    z_stream zlib = { .next_out = (Bytef *)out, .avail_out = sizeof out };
    struct http_answer answer;
    char *body;

    (void)state;
    assert_int_equal(ask((struct http_request){ .method = "POST",
                                                .is_packed = true,
                                                .body = "packed",
                                                .body_size = 6 },
                         OK, &answer),
                     0);
    free(answer.body);
    assert_non_null(strstr(server.seen, "\r\nContent-Encoding: gzip\r\n"));
    body = strstr(server.seen, "\r\n\r\n") + 4;
    zlib.next_in = (Bytef *)body;
    zlib.avail_in = (uInt)(server.seen + server.size - body);
    assert_int_equal(inflateInit2(&zlib, 31), Z_OK);
    assert_int_equal(inflate(&zlib, Z_FINISH), Z_STREAM_END);
    inflateEnd(&zlib);
    assert_int_equal(zlib.total_out, 6);
    assert_memory_equal(out, "packed", 6);
}

static void keeps_no_more_than_asked(void **state)
{
    struct http_answer answer;

    (void)state;
    assert_int_equal(
        ask((struct http_request){ .most = 3 }, OK "12345", &answer), 0);
    assert_string_equal(answer.body, "123");
    assert_true(answer.is_cut);
    free(answer.body);
}

static void tells_when_to_try_again(void **state)
{
    struct http_answer answer;

    (void)state;
    assert_int_equal(ask((struct http_request){ 0 },
                         "HTTP/1.1 503 Busy\r\nConnection: close\r\n"
                         "Retry-After: 7\r\n\r\n",
                         &answer),
                     0);
    assert_int_equal(answer.status, 503);
    assert_int_equal(answer.retry_after, 7);
    free(answer.body);
    assert_int_equal(ask((struct http_request){ 0 }, OK, &answer), 0);
    assert_int_equal(answer.retry_after, 0);
    free(answer.body);
}

/* The connection is closed long before all was read. */
static void reads_no_endless_answer(void **state)
{
    static char reply[sizeof OK + (8 << 20)] = OK;
    struct http_answer answer;

    (void)state;
    memset(reply + sizeof OK - 1, 'x', 8 << 20);
    assert_int_equal(ask((struct http_request){ .most = 3 }, reply, &answer),
                     0);
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.body, "xxx");
    assert_true(answer.is_cut);
    assert_true(server.sent < 8 << 20);
    free(answer.body);
}

static void follows_no_redirect(void **state)
{
    struct http_answer answer;

    (void)state;
    assert_int_equal(ask((struct http_request){ 0 },
                         "HTTP/1.1 302 Found\r\nConnection: close\r\n"
                         "Location: /other\r\n\r\nthere",
                         &answer),
                     0);
    assert_int_equal(answer.status, 302);
    assert_string_equal(answer.body, "there");
    free(answer.body);
}

struct rows {
    char text[64];
    unsigned most;
};

static bool take_row(void *context, char *row, size_t size)
{
    struct rows *rows = context;

    assert_int_equal(strlen(row), size);
    strcat(strcat(rows->text, row), "|");
    return --rows->most != 0;
}

static void hands_out_rows(void **state)
{
    struct rows rows = { .most = 9 };
    struct http_request request = { .row = take_row, .context = &rows };
    struct http_answer answer;

    (void)state;
    assert_int_equal(ask(request, OK "one\n\nthree\nlast", &answer), 0);
    assert_string_equal(rows.text, "one||three|last|");
    free(answer.body);

    rows = (struct rows){ .most = 2 };
    assert_int_equal(ask(request, OK "one\ntwo\nthree\n", &answer), 0);
    assert_string_equal(rows.text, "one|two|");
    free(answer.body);

    rows = (struct rows){ .most = 9 };
    request.most = 4;
    assert_int_equal(ask(request, OK "one\nlonger\n", &answer), -1);
    assert_string_equal(answer.why, "a row of the answer is too long");
    assert_string_equal(rows.text, "one|");
    free(answer.body);

    assert_int_equal(ask(request,
                         "HTTP/1.1 500 No\r\nConnection: close\r\n"
                         "\r\nno\nrow",
                         &answer),
                     0);
    assert_int_equal(answer.status, 500);
    assert_string_equal(answer.body, "no\nr");
    free(answer.body);
}

static void says_why_not(void **state)
{
    struct http_request request = { .method = "GET", .seconds = 1 };
    struct http_answer answer;

    (void)state;
    assert_int_equal(ask(request, "nonsense\r\n\r\n", &answer), -1);
    assert_int_equal(answer.status, 0);
    assert_string_not_equal(answer.why, "");
    free(answer.body);

    assert_int_equal(ask(request, NULL, &answer), -1); /* it stalls */
    assert_non_null(strstr(answer.why, "timed out"));
    free(answer.body);

    request.url = "file:///etc/passwd";
    assert_int_equal(http_client_send(client, &request, &answer), -1);
    assert_non_null(strstr(answer.why, "file"));
    free(answer.body);
}

static void escapes(void **state)
{
    char *text = http_escaped("a Z/\xc3%0");

    (void)state;
    assert_string_equal(text, "a%20Z%2F%C3%250");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_what_it_was_given),
        cmocka_unit_test(packs_a_body),
        cmocka_unit_test(keeps_no_more_than_asked),
        cmocka_unit_test(tells_when_to_try_again),
        cmocka_unit_test(reads_no_endless_answer),
        cmocka_unit_test(follows_no_redirect),
        cmocka_unit_test(hands_out_rows),
        cmocka_unit_test(says_why_not),
        cmocka_unit_test(escapes),
    };

    return cmocka_run_group_tests(tests, open_server, close_server);
}
