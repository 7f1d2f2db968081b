/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client.h - one request to a server, and its answer
 *
 * The server is not trusted: redirects are not followed, only HTTP and HTTPS
 * are used, and an answer's memory is limited. A client keeps its connection
 * for the next request, and belongs to one thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_request {
    const char *method; /* "GET", "POST", "PUT" */
    const char *url;
    const char *const *headers; /* "Name: value", ended by NULL; or NULL */
    const char *user;           /* Basic authentication; NULL: none */
    const char *password;
    const void *body;
    size_t body_size;
    bool is_packed;   /* send the body by gzip */
    unsigned seconds; /* timeout, 10 of them to connect */
    size_t most;      /* most bytes that are kept of the answer, or of a row */
    /* Each line of an answer with status 200, without its end, instead of a
       body; false: no more. A 0 follows it. */
    bool (*row)(void *context, char *row, size_t size);
    void *context;
    bool (*is_over)(void); /* polled: return true to give up; NULL: never */
};

struct http_answer {
    unsigned status;
    uint64_t retry_after; /* seconds, if the server sent it */
    char *body;           /* for free(), ends with NUL */
    size_t size;
    bool is_cut;   /* longer than the limit */
    char why[256]; /* reason for no or a partial answer */
};

struct http_client;

/* Return true if the URL is valid; call http_client_open() before. */
bool http_url_is_valid(const char *url);

/* Open a client. Return NULL without libcurl; HTTP_CLIENT_ABSENT is the
   message. */
struct http_client *http_client_open(void);
void http_client_close(struct http_client *client);

#define HTTP_CLIENT_ABSENT "libcurl.so.4: no such library; install libcurl4"

/* Send a request. Return 0 with a status, which may be an error's, or -1 with
   `why`, and the status and body so far. */
int http_client_send(struct http_client *client,
                     const struct http_request *request,
                     struct http_answer *answer);

/* Return the text escaped for a URL, for free(). */
char *http_escaped(const char *text);
