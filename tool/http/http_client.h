/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_client.h - one request to a server, and its answer
 *
 * The server may be anyone: redirects are not followed, nothing but HTTP and
 * HTTPS is spoken, and an answer takes no more memory than it was given. A
 * client keeps its connection for the next request; it is one thread's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_request {
    const char *method; /* "GET", "POST", "PUT" */
    const char *url;
    const char *const *headers; /* "Name: value"; NULL ends them, or: none */
    const char *user;           /* for Basic; NULL: none */
    const char *password;
    const void *body;
    size_t body_size;
    bool is_packed;   /* the body is sent by gzip */
    unsigned seconds; /* for all of it, connecting as well, which has 10 */
    size_t most;      /* bytes of the answer that are kept, and of a row */
    /* Each line of an answer with status 200, without its end, instead of a
       body; false: no more. A 0 follows it. */
    bool (*row)(void *context, char *row, size_t size);
    void *context;
    bool (*is_over)(void); /* asked meanwhile: give up; NULL: never */
};

struct http_answer {
    unsigned status;
    uint64_t retry_after; /* seconds, if the server says so */
    char *body;           /* for free(); a 0 follows it */
    size_t size;
    bool is_cut;   /* there was more than may be kept */
    char why[256]; /* there was no answer, or not all of it */
};

struct http_client;

/* Whether it is an address; after http_client_open(). */
bool http_url_is_valid(const char *url);

/* NULL: libcurl is not there; HTTP_CLIENT_ABSENT says so. */
struct http_client *http_client_open(void);
void http_client_close(struct http_client *client);

#define HTTP_CLIENT_ABSENT "libcurl.so.4: no such library; install libcurl4"

/* 0 with a status, which may be an error's; -1 with why. Also after -1 the
   status, if any, and the body so far are there. */
int http_client_send(struct http_client *client,
                     const struct http_request *request,
                     struct http_answer *answer);

/* As a part of an address, for free(). */
char *http_escaped(const char *text);
