/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load.h - the recorder's library, loaded by a process that runs
 *
 * By its path, if that leads there to the file that it leads to here. A process
 * with files of its own, as in a container, gets a copy of it in memory.
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
