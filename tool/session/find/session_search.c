/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_search.c - from a pid to its session's file
 *
 * The environment names a descriptor of tally record. Once that has ended, the
 * file lives on in the memory of the processes that map it. A privileged user
 * may open it through /proc/PID/map_files.
 */
#include "tool/session/find/session_search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool/files/regular_file.h"
#include "tool/session/find/process_state.h"
#include "tool/session/find/session_file.h"

enum { MOST_ENVIRONMENT = 8 << 20, PARENTS = 16 };

/* The process's environment, NUL-terminated; NULL with errno set. */
static char *read_whole(pid_t pid, size_t *length)
{
    char path[64];
    char *text;
    ssize_t got = 1;
    int fd;

    snprintf(path, sizeof path, "/proc/%ld/environ", (long)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    /* Memory only as far as it is written. */
    text = malloc(MOST_ENVIRONMENT + 1);
    *length = 0;
    while (text != NULL && got > 0 && *length < MOST_ENVIRONMENT) {
        got = read(fd, text + *length, MOST_ENVIRONMENT - *length);
        *length += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    if (got < 0) {
        free(text);
        return NULL;
    }
    if (text != NULL)
        text[*length] = '\0';
    return text;
}

/* The value of TALLY_SESSION that the process began with; "" without one. */
static int read_environment(pid_t pid, char value[PATH_MAX])
{
    static const char name[] = SESSION_ENVIRONMENT "=";
    size_t length;
    char *text = read_whole(pid, &length);

    if (text == NULL)
        return -1;
    value[0] = '\0';
    for (size_t at = 0; at < length; at += strlen(text + at) + 1) {
        if (strncmp(text + at, name, sizeof name - 1) == 0) {
            snprintf(value, PATH_MAX, "%s", text + at + sizeof name - 1);
            break;
        }
    }
    free(text);
    return 0;
}

bool session_is_named_by(pid_t pid)
{
    char value[PATH_MAX];

    return read_environment(pid, value) == 0 && value[0] != '\0';
}

static bool is_session(int fd, struct session_header *header)
{
    int seals = fcntl(fd, F_GET_SEALS);

    return seals >= 0 && (seals & F_SEAL_SHRINK) != 0 &&
           pread(fd, header, sizeof *header, 0) == sizeof *header &&
           memcmp(header->magic, SESSION_MAGIC, SESSION_MAGIC_SIZE) == 0 &&
           header->version == SESSION_VERSION &&
           header->extent_size == SESSION_EXTENT_SIZE;
}

/*
 * Only a file that is sealed against shrinking while we map it: the other
 * process chooses where the name leads.
 */
static int open_session(const char *path, struct session_header *header)
{
    int fd = regular_file_open(AT_FDCWD, path, O_RDWR);

    if (fd >= 0 && !is_session(fd, header)) {
        close(fd);
        errno = ENOMSG;
        return -1;
    }
    return fd;
}

/* As the environment says, if its number is the session's. */
static int open_named(const char *value, struct session_header *header)
{
    struct session_name name;
    char path[64];
    int fd;

    errno = ENOMSG;
    if (!session_name_read(value, &name))
        return -1;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd/%" PRIu32, name.pid,
             name.fd);
    fd = open_session(path, header);
    if (fd >= 0 && header->nonce != name.nonce) {
        close(fd);
        errno = ENOMSG;
        return -1;
    }
    return fd;
}

/* The first entry of /proc/PID/FOLDER that leads to a session. */
static int open_from_folder(pid_t pid, const char *name,
                            struct session_header *header)
{
    char folder_path[64];
    struct dirent *entry;
    DIR *folder;
    int fd = -1;

    snprintf(folder_path, sizeof folder_path, "/proc/%ld/%s", (long)pid, name);
    folder = opendir(folder_path);
    if (folder == NULL)
        return -1;
    while (fd < 0 && (entry = readdir(folder)) != NULL) {
        char path[64 + sizeof entry->d_name];
        char target[64];
        ssize_t length;

        snprintf(path, sizeof path, "%s/%s", folder_path, entry->d_name);
        length = readlink(path, target, sizeof target - 1);
        if (length <= 0)
            continue;
        target[length] = '\0';
        if (strncmp(target, "/memfd:tally", strlen("/memfd:tally")) == 0)
            fd = open_session(path, header);
    }
    closedir(folder);
    return fd;
}

/* Servers write titles over their environment: a parent's says it, too. */
static int open_from_parents(pid_t pid, struct session_header *header)
{
    struct process_state state;
    char value[PATH_MAX];

    for (int level = 0; level < PARENTS; level++) {
        if (process_state_read(pid, &state) < 0)
            break;
        pid = state.parent;
        if (read_environment(pid, value) == 0 && value[0] != '\0')
            return open_named(value, header);
    }
    return -1;
}

int session_search(pid_t pid, struct session_header *header,
                   struct session_failure *failure)
{
    char value[PATH_MAX];
    int fd = -1;
    int error;

    if (pid == 0 || (kill(pid, 0) < 0 && errno == ESRCH))
        return session_fail(failure, "%ld: no such process; name one that runs",
                            (long)pid);
    if (read_environment(pid, value) < 0)
        return session_fail(failure,
                            "%ld: cannot look at that process: %s; "
                            "ask as its user or as root",
                            (long)pid, strerror(errno));
    if (value[0] != '\0')
        fd = open_named(value, header);
    error = value[0] != '\0' ? errno : 0;
    if (fd < 0)
        fd = open_from_folder(pid, "fd", header);
    if (fd < 0)
        fd = open_from_folder(pid, "map_files", header);
    if (fd < 0 && value[0] == '\0')
        fd = open_from_parents(pid, header);
    if (fd >= 0)
        return fd;
    if (error == EACCES || error == EPERM)
        return session_fail(failure,
                            "%ld: its ledger cannot be opened: %s; "
                            "ask as the user of tally record",
                            (long)pid, strerror(error));
    if (value[0] != '\0')
        return session_fail(failure,
                            "%ld: its tally record has ended, and "
                            "its ledger cannot be reached without "
                            "it; ask as root",
                            (long)pid);
    return session_fail(failure,
                        "%ld: not recorded by Tally; attaching to a "
                        "program that was not started under tally "
                        "record is not supported",
                        (long)pid);
}
