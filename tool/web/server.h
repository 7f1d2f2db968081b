/* SPDX-License-Identifier: Apache-2.0 */
/* server.h - the server of pages */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "tool/web/listen.h"

/*
 * HTTP for browsers and scrapers of this machine, by libmicrohttpd
 *
 *     static int answer(void *context, const struct web_request *request)
 *     {
 *         return strcmp(request->path, "/hello") == 0
 *                    ? web_tell(request, 200, "hello\n")
 *                    : web_tell(request, 404, "there is no such page\n");
 *     }
 *
 * Requests are answered in many threads at a time. Another Host or Origin is
 * refused, so that no page of another site gets here by a name of its own.
 * Without a way, which has a secret itself, it counts who asks: on a Unix
 * socket and on 127.0.0.1 the kernel knows whose the other end is. This user
 * and root are let in, others with the service's token alone.
 */

struct MHD_Connection;
struct MHD_Response;

struct web_request {
    struct MHD_Connection *connection;
    const char *path; /* behind the way; begins with a slash */
};

struct web_service {
    const struct web_listen *listen;
    const char *help;  /* what those are told who are refused */
    bool has_way;      /* each path begins with a random token */
    const char *token; /* NULL: none */
    int (*answer)(void *context, const struct web_request *request);
    void *context;
};

/* libmicrohttpd; false: it is not installed. */
bool web_library_load(void);

/*
 * Once the library is there: serve until SIGINT or SIGTERM. `opened` gets the
 * address once it can be opened. 0, or -1 with a reason, which is static or
 * errno's.
 */
int web_serve(const struct web_service *service,
              void (*opened)(const char *address), const char **why);

/* Return true if the server shall end. */
bool web_is_over(void);

/* A header, or an argument behind "?"; NULL: there is none. */
const char *web_header(const struct web_request *request, const char *name);
const char *web_argument(const struct web_request *request, const char *name);

/* Return true if the client closed the connection. */
bool web_is_gone(const struct web_request *request);

/* The answer is so late, which else would end the connection. */
void web_take_time(const struct web_request *request, unsigned seconds);

/*
 * Answer a request with `body`, which is taken over; a text, which is copied; a
 * body that many answers share; or the output of `next` until it returns
 * WEB_STREAM_END. `end` gets `context`.
 */
int web_reply(const struct web_request *request, unsigned status,
              const char *type, char *body, size_t size);
int web_tell(const struct web_request *request, unsigned status,
             const char *text);
int web_share(const struct web_request *request, struct MHD_Response *body);
int web_stream(const struct web_request *request, const char *type,
               ssize_t (*next)(void *context, uint64_t position, char *out,
                               size_t size),
               void *context, void (*end)(void *context));
#define WEB_STREAM_END (-1)

/* A body that web_share() sends; `bytes` are taken over. */
struct MHD_Response *web_body(const char *type, char *bytes, size_t size);
void web_body_free(struct MHD_Response *body);

/*
 * The page of one source, as server.h hands it out
 *
 *     WAY/         the page
 *     WAY/data     its data: docs/page-format.md
 *     WAY/events   server-sent events: `data` when there is more to see,
 *                  `away` when there is none now, `end` when there never will
 *                  be
 */

enum web_state {
    WEB_GOES_ON,
    WEB_AWAY, /* the process runs what is not seen */
    WEB_ENDED,
};

struct web_content {
    const char *title;
    /* The data as they are now; nothing, and in other states: what was written
       last stays. One call at a time, in any thread. */
    enum web_state (*write)(void *context, FILE *out);
    void (*end)(void *context); /* or NULL */
    void *context;
    bool is_live; /* they change */
};

struct served_page;

/* NULL: there were no data to begin with. */
struct served_page *served_page_open(const struct web_content *content);

/* One more who closes it; it ends with the last one, or with the last
   connection that reads its events. */
struct served_page *served_page_share(struct served_page *page);
void served_page_close(struct served_page *page);

/* Answer a request for "", "data" or "events"; return as web_reply(). */
int served_page_answer(struct served_page *page,
                       const struct web_request *request, const char *name);
