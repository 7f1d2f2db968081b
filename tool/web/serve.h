/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve.h - the page from a server of this process, for the user's own browser
 *
 * It listens on 127.0.0.1 or on a Unix socket. Each request needs the token
 * that is in the address:
 *
 *     /TOKEN/         the page
 *     /TOKEN/data     its data: docs/page-format.md
 *     /TOKEN/events   server-sent events: `data` when there is more to see,
 *                     `away` when there is none now, `end` when there never
 *                     will be
 *
 * Another Host or Origin is refused, so that no page of another site gets here
 * by a name of its own, and so are other users on a Unix socket.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tool/web/listen.h"

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
    void *context;
    bool is_live; /* they change */
};

/* libmicrohttpd; false: it is not installed. */
bool web_library_load(void);

/*
 * Once the library is there: serve until SIGINT or SIGTERM. `opened` gets the
 * address once it can be opened. 0, or -1 with a reason, which is static or
 * errno's; NULL: there were no data to begin with.
 */
int web_serve(const struct web_listen *listen,
              const struct web_content *content,
              void (*opened)(const char *address), const char **why);
