/* SPDX-License-Identifier: Apache-2.0 */
/*
 * served_page.h - the page of one source, as server.h hands it out
 *
 *     WAY/         the page
 *     WAY/data     its data: docs/page-format.md
 *     WAY/events   server-sent events: `data` when there is more to see,
 *                  `away` when there is none now, `end` when there never will
 *                  be
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tool/web/server.h"

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
    void (*end)(void *context); /* NULL: nothing is to be done */
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
