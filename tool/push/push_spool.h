/* SPDX-License-Identifier: Apache-2.0 */
/*
 * push_spool.h - profiles that wait to be sent, in files of one folder
 *
 * A profile is there whole or not at all: it is written beside and then given
 * its name, by which the oldest is found. The folder is ours alone while it is
 * open; what is in it is checked all the same.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct push_profile {
    uint64_t from_ns, until_ns; /* CLOCK_REALTIME */
    char id[37];                /* the same however often it is sent */
    const char *name;           /* SERVICE{KEY=VALUE,...} */
    const char *bytes;          /* of pprof, by gzip */
    size_t size;
};

/* `file`, of `size` bytes and a 0, becomes the texts of the profile. */
bool push_profile_parse(char *file, size_t size, struct push_profile *profile);

struct push_spool {
    int folder;
    uint64_t limit;   /* bytes of all profiles */
    uint64_t dropped; /* for want of room, or damaged */
    char *held;       /* private: of the profile that was read, as is its... */
    char oldest[32];  /* ... file */
};

/* Makes the folder if need be. -1 with errno; EWOULDBLOCK: it is in use, EPERM:
   others may write there. */
int push_spool_open(struct push_spool *spool, const char *path, uint64_t limit);
void push_spool_close(struct push_spool *spool);

/* As `file`, 24 digits and ".push", which orders them; one of that name is
   replaced. Drops the oldest where there is no room. -1 with errno. */
int push_spool_add(struct push_spool *spool, const char *file,
                   const struct push_profile *profile);

/* The oldest, until the next call; false: there is none. */
bool push_spool_read(struct push_spool *spool, struct push_profile *profile);
/* The one that was read. */
bool push_spool_remove(struct push_spool *spool);
