/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_path.h - where that goes which is of another image than the first
 *
 * FILE.d/PID-GENERATION, beside the FILE or folder of the program's first image.
 */
#ifndef TALLY_TOOL_SESSION_IMAGE_PATH_H
#define TALLY_TOOL_SESSION_IMAGE_PATH_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

#include "tool/session/session_failure.h"

enum { IMAGE_PATH_SIZE = PATH_MAX + 64 };

/* Its name alone. */
void image_path_write(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                      uint32_t generation);

/*
 * The same, with FILE.d made if need be. 0, or -1: `what` of other processes is
 * lost.
 */
int image_path_make(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                    uint32_t generation, const char *what,
                    struct session_failure *failure);

#endif /* TALLY_TOOL_SESSION_IMAGE_PATH_H */
