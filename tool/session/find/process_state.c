/* SPDX-License-Identifier: Apache-2.0 */
/* process_state.c - reading /proc/PID/stat; see proc(5) for its fields */
#include "tool/session/find/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int process_state_read(pid_t pid, struct process_state *state)
{
    char path[64];
    char text[1024];
    const char *behind;
    long threads;
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) {
        errno = ESRCH;
        return -1;
    }
    text[length] = '\0';
    /* The name may hold anything, so fields are counted from its last ')'. */
    behind = strrchr(text, ')');
    if (behind == NULL ||
        sscanf(behind,
               ") %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
               "%*s %*s %ld %*s %" SCNu64,
               &state->letter, &state->parent, &threads,
               &state->start_ticks) != 4) {
        errno = EIO;
        return -1;
    }
    /* The first thread of a living process may be a zombie. */
    state->has_ended =
        state->letter == 'X' || (state->letter == 'Z' && threads <= 1);
    return 0;
}

bool process_is_alive(pid_t pid, uint64_t start_ticks)
{
    struct process_state state;

    if (process_state_read(pid, &state) < 0)
        return errno != ENOENT && errno != ESRCH;
    if (start_ticks != 0 && start_ticks != state.start_ticks)
        return false;
    return !state.has_ended;
}
