/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.h - the recorder's library, loaded by a process that runs
 *
 * It is loaded by its path if that names the same file there. A process with
 * files of its own, as in a container, gets a copy of it in memory.
 */
#pragma once

#include <stdbool.h>

#include "tool/attach/remote_call.h"

#define LOAD_RECORDER "libtally-record"

bool load_is_done(pid_t pid);

/* `room` is memory of the process, for a path; its calls have the stack
   `stack`. */
int load_recorder(struct remote *remote, const char *library, uint64_t room,
                  uint64_t stack);

/*
 * Return true for an empty memfd of `user` without seals: the recorder may be
 * written there. The program can have closed its own and opened another file by
 * that number, and chooses its name.
 */
bool load_is_fresh(int fd, uid_t user);

/*
 * Make the recorder of a process new that was attached to before, while all
 * threads are stopped: `*stopped_ns` is as in jumps_write(). Return -1 if the
 * recorder is of another version, or if a thread is in it all the time.
 */
int renew(struct remote *remote, uint64_t image, int limit_ms,
          uint64_t *stopped_ns);
