/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_sender.h - send a profile in the receiver's format
 *
 * A URL that ends in /push.v1.PusherService/Push gets JSON that contains the
 * profile, as for Pyroscope's push service. Any other URL gets the profile by
 * POST, as for Pyroscope's /ingest, with name and times in the query string.
 */
#pragma once

#include "tool/http/http_client.h"
#include "tool/push/push_spool.h"

enum push_result {
    PUSH_ACCEPTED,
    PUSH_REFUSED, /* this profile will never be accepted */
    PUSH_LATER,   /* try again later */
};

struct push_sender {
    struct http_client *client;
    const char *url;
    const char *headers;   /* file of lines NAME: VALUE; NULL: none */
    unsigned seconds;      /* timeout of a request */
    bool (*is_over)(void); /* polled: return true to give up; NULL: never */
};

/* Send a profile. `answer` has the reason of a failure, and no body. */
enum push_result push_send(const struct push_sender *sender,
                           const struct push_profile *profile,
                           struct http_answer *answer);
