/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session_search.c - from a pid to its session's file
 *
 * The environment names a descriptor of tally record. After that has ended, the
 * file still exists in the memory of the processes that map it. A privileged
 * user can open it through /proc/PID/map_files.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/session/find/process_facts.h"
#include "tool/session/find/session_ledgers.h"
#include "tool/text/text.h"

enum { MOST_ENVIRONMENT = 8 << 20, PARENTS = 16 };

/* Read the initial value of TALLY_SESSION of a process, or "". */
static int read_environment(pid_t pid, char value[PATH_MAX])
{
    static const char name[] = SESSION_ENVIRONMENT "=";
    FILE *file = process_file(pid, "environ");
    size_t length = 0;
    bool is_read;
    char *text;

    if (file == NULL)
        return -1;
    /* Only written pages of it take memory. */
    text = malloc(MOST_ENVIRONMENT + 1);
    if (text != NULL)
        length = fread(text, 1, MOST_ENVIRONMENT, file);
    is_read = text != NULL && !ferror(file);
    fclose(file);
    value[0] = '\0';
    if (is_read)
        text[length] = '\0';
    for (size_t at = 0; is_read && at < length; at += strlen(text + at) + 1) {
        if (strncmp(text + at, name, sizeof name - 1) == 0) {
            snprintf(value, PATH_MAX, "%s", text + at + sizeof name - 1);
            break;
        }
    }
    free(text);
    return is_read ? 0 : -1;
}

bool session_is_named_by(pid_t pid)
{
    char value[PATH_MAX];

    return read_environment(pid, value) == 0 && value[0] != '\0';
}

/* Open the file named by the environment, if its nonce matches. */
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
    fd = session_file_open(path, header);
    if (fd < 0 || header->nonce == name.nonce)
        return fd;
    close(fd);
    errno = ENOMSG;
    return -1;
}

/* Open the first entry of /proc/PID/FOLDER that is a session. */
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
            fd = session_file_open(path, header);
    }
    closedir(folder);
    return fd;
}

bool session_is_held_by(pid_t pid)
{
    struct session_header header;
    int fd = open_from_folder(pid, "fd", &header);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Open the session named by the environment of an ancestor. Servers overwrite
   their environment with titles, but the first process is a child of tally
   record. */
static int open_from_parents(pid_t pid, struct session_header *header)
{
    struct process_state state;
    char value[PATH_MAX];
    int fd = -1;

    for (int level = 0; fd < 0 && level < PARENTS; level++) {
        if (process_state_read(pid, &state) < 0)
            break;
        pid = state.parent;
        if (read_environment(pid, value) == 0 && value[0] != '\0')
            return open_named(value, header);
        fd = open_from_folder(pid, "fd", header);
    }
    return fd;
}

int session_search(pid_t pid, struct session_header *header,
                   struct session_failure *failure)
{
    struct process_state state;
    char value[PATH_MAX];
    int fd = -1;
    int error;

    if (pid == 0 || (kill(pid, 0) < 0 && errno == ESRCH) ||
        (process_state_read(pid, &state) == 0 && state.has_ended))
        return session_fail(failure, "%ld: no such process; name one that runs",
                            (long)pid);
    if (read_environment(pid, value) < 0)
        return session_fail(failure, "%ld: cannot look at that process: %s; %s",
                            (long)pid, strerror(errno),
                            advice_as_root("ask as its user or as root"));
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
                            "it; %s",
                            (long)pid,
                            geteuid() != 0 ? "ask as root" : "record it anew");
    return session_fail(failure,
                        "%ld: not recorded by Tally; record it from now on "
                        "with tally attach",
                        (long)pid);
}

int session_search_holder(uint64_t inode, struct session_header *header)
{
    struct process_walk walk = { .pid = 0 };
    struct stat status;
    char name[256];
    int fd = -1;

    while (fd < 0 && process_next(&walk)) {
        process_status_words(walk.pid, "Name:\t", name);
        if (strncmp(name, "tally", 5) == 0)
            fd = open_from_folder(walk.pid, "fd", header);
        if (fd >= 0 && (fstat(fd, &status) < 0 || status.st_ino != inode)) {
            close(fd);
            fd = -1;
        }
    }
    process_walk_end(&walk);
    return fd;
}
