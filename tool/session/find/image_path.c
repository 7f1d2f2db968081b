/* SPDX-License-Identifier: Apache-2.0 */
/* image_path.c - see image_path.h */
#include "tool/session/find/image_path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void image_path_write(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                      uint32_t generation)
{
    snprintf(path, IMAGE_PATH_SIZE, "%.*s.d/%ld-%" PRIu32, PATH_MAX, first,
             (long)pid, generation);
}

int image_path_make(char path[IMAGE_PATH_SIZE], const char *first, pid_t pid,
                    uint32_t generation, const char *what,
                    struct session_failure *failure)
{
    snprintf(path, IMAGE_PATH_SIZE, "%.*s.d", PATH_MAX, first);
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return session_fail(failure,
                            "record: %s: %s; %s of other processes are lost",
                            path, strerror(errno), what);
    image_path_write(path, first, pid, generation);
    return 0;
}
