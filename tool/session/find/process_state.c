/* SPDX-License-Identifier: Apache-2.0 */
/* process_state.c - reading /proc/PID/stat; see proc(5) for its fields */
#include "tool/session/find/process_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FIELD_STATE = 3,
    FIELD_PARENT = 4,
    FIELD_THREADS = 20,
    FIELD_START = 22
};

/*
 * Field `number` of the text behind "PID (NAME)", where the state is field 3.
 * The name may hold anything, so fields are counted from its last parenthesis.
 */
static const char *find_field(const char *text, int number)
{
    const char *at = strrchr(text, ')');

    for (int field = FIELD_STATE - 1; at != NULL && field < number; field++) {
        at = strchr(at, ' ');
        if (at != NULL)
            at++;
    }
    return at;
}

int process_state_read(pid_t pid, struct process_state *state)
{
    char path[64];
    char text[1024];
    const char *letter, *parent, *threads, *start;
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
    letter = find_field(text, FIELD_STATE);
    parent = find_field(text, FIELD_PARENT);
    threads = find_field(text, FIELD_THREADS);
    start = find_field(text, FIELD_START);
    if (letter == NULL || parent == NULL || threads == NULL || start == NULL) {
        errno = EIO;
        return -1;
    }
    state->letter = *letter;
    state->parent = (pid_t)atol(parent);
    state->start_ticks = strtoull(start, NULL, 10);
    /* The first thread of a living process may be a zombie. */
    state->has_ended = *letter == 'X' || (*letter == 'Z' && atol(threads) <= 1);
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
