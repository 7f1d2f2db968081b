/* SPDX-License-Identifier: Apache-2.0 */
/* process_state.c - reading /proc/PID; see proc(5) for its fields */
#include "tool/session/find/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int process_open(pid_t pid, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

FILE *process_file(pid_t pid, const char *name)
{
    int fd = process_open(pid, name);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

    if (fd >= 0 && file == NULL)
        close(fd);
    return file;
}

uint64_t process_status_read(pid_t pid, const char *key, int base)
{
    FILE *file = process_file(pid, "status");
    uint64_t value = 0;
    char line[256];

    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            value = strtoull(line + strlen(key), NULL, base);
            break;
        }
    }
    fclose(file);
    return value;
}

int process_state_read(pid_t pid, struct process_state *state)
{
    char text[1024];
    const char *behind;
    long threads;
    ssize_t length;
    int fd = process_open(pid, "stat");

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
