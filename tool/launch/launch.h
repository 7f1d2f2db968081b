/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch.h - the program, started as if tally record were not there
 */
#pragma once

#include <limits.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "tool/launch/signal_relay.h"
#include "tool/session/session_failure.h"

/* libtally-record.so, in words for LD_PRELOAD. */
struct recorder_library {
    char path[PATH_MAX];   /* absolute, and LD_PRELOAD can name it */
    char folder[PATH_MAX]; /* private folder that holds a link, or "" */
};

/*
 * $TALLY_RECORDER, or ../lib/ of this command, or beside it. LD_PRELOAD cannot
 * name a path with a space or a colon: then a link is made in a private folder,
 * which recorder_library_remove() takes away.
 */
int recorder_library_find(struct recorder_library *library,
                          struct session_failure *failure);
void recorder_library_remove(const struct recorder_library *library);

/*
 * Make our environment the program's by two variables: LD_PRELOAD begins with
 * the recorder and keeps what it held; TALLY_SESSION names the session. All
 * other variables, and their order, stay; launch_program() alone puts its pid
 * where systemd has ours. `program` is the path that will be run.
 */
int launch_set_environment(const struct recorder_library *library,
                           const char *session, const char *program,
                           struct session_failure *failure);

struct launch {
    const char *path;
    char **arguments;              /* the program's argv */
    struct rlimit file_size_limit; /* the program's own */
    struct signal_relay *relay;
    pid_t *told; /* gets its pid before it runs; may be NULL */
};

/* The program's pid once it runs, or -1. */
pid_t launch_program(const struct launch *launch,
                     struct session_failure *failure);
