/* SPDX-License-Identifier: Apache-2.0 */
/* push.h - profiles that wait, and their sender */
#pragma once

#include "tool/http/http_client.h"

/*
 * A folder of profiles that wait to be sent
 *
 * A profile appears atomically: it is written to a temporary file and then
 * renamed; names are in order of age. The folder is locked while it is open;
 * its content is checked all the same.
 */

struct push_profile {
    uint64_t from_ns, until_ns; /* CLOCK_REALTIME */
    char id[37];                /* identical each time it is sent */
    const char *name;           /* SERVICE{KEY=VALUE,...} */
    const char *bytes;          /* pprof, packed by gzip */
    size_t size;
};

/* Parse `file`, `size` bytes and a NUL, in place; the profile points into
   it. */
bool push_profile_parse(char *file, size_t size, struct push_profile *profile);

struct push_spool {
    int folder;
    uint64_t limit;   /* most bytes of all profiles */
    uint64_t dropped; /* profiles dropped because of the limit, or damaged */
    char *held;       /* private: bytes of the profile that was read */
    char oldest[32];  /* private: its file */
};

/* Open the folder, and make it if it is missing. Return -1 with errno;
   EWOULDBLOCK: in use, EPERM: writable for others. */
int push_spool_open(struct push_spool *spool, const char *path, uint64_t limit);
void push_spool_close(struct push_spool *spool);

/* Add a profile as `file`, 24 digits and ".push", which gives the order; a file
   of that name is replaced. Drop the oldest beyond the limit. Return -1 with
   errno. */
int push_spool_add(struct push_spool *spool, const char *file,
                   const struct push_profile *profile);

/* Read the oldest profile, valid until the next call; return false if there is
   none. */
bool push_spool_read(struct push_spool *spool, struct push_profile *profile);
/* Remove the profile that was read. */
bool push_spool_remove(struct push_spool *spool);

/*
 * Send a profile in the receiver's format
 *
 * A URL that ends in /push.v1.PusherService/Push gets JSON that contains the
 * profile, as for Pyroscope's push service. Any other URL gets the profile by
 * POST, as for Pyroscope's /ingest, with name and times in the query string.
 */

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
