/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - find the recorder, set the environment, start the program */
#include "tool/launch/launch_parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/ledger/session_layout.h"

#define PRELOAD       "LD_PRELOAD"
#define RECORDER_NAME "libtally-record.so"

/* places of the recorder, relative to this command's folder */
static const char *const places[] = {
    "/../lib/" RECORDER_NAME,
    "/" RECORDER_NAME,
};

/* Return false if the path has separators of LD_PRELOAD or characters that the
   loader expands. */
static bool can_be_preloaded(const char *path)
{
    return strpbrk(path, " :$\t\n") == NULL;
}

static int find_beside_command(char *path, struct session_failure *failure)
{
    char command[PATH_MAX];
    char place[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);

    if (length < 0)
        return session_fail(failure, "record: /proc/self/exe: %s; mount /proc",
                            strerror(errno));
    command[length] = '\0';
    *strrchr(command, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(place, sizeof place, "%s%s", command, places[i]);
        if (realpath(place, path) != NULL && access(path, R_OK) == 0)
            return 0;
    }
    return session_fail(failure,
                        "record: no " RECORDER_NAME " beside %s or in "
                        "../lib; install it there or name it in "
                        "TALLY_RECORDER",
                        command);
}

static int link_from_private_folder(struct recorder_library *library,
                                    struct session_failure *failure)
{
    const char *place = secure_getenv("TMPDIR");
    char target[PATH_MAX];

    if (place == NULL || place[0] != '/' || !can_be_preloaded(place) ||
        strlen(place) > PATH_MAX / 2)
        place = "/tmp";
    snprintf(library->folder, sizeof library->folder, "%s/tally-XXXXXX", place);
    strcpy(target, library->path);
    if (mkdtemp(library->folder) == NULL) {
        library->folder[0] = '\0';
        return session_fail(failure,
                            "record: %s: %s; LD_PRELOAD cannot name %s, so a "
                            "link is needed there",
                            place, strerror(errno), target);
    }
    chmod(library->folder, 0755); /* the program may change its user */
    snprintf(library->path, sizeof library->path, "%.*s/" RECORDER_NAME,
             PATH_MAX - 64, library->folder);
    if (symlink(target, library->path) < 0) {
        session_fail(failure, "record: %s: %s; make room there", library->path,
                     strerror(errno));
        recorder_library_remove(library);
        return -1;
    }
    return 0;
}

int recorder_library_find(struct recorder_library *library,
                          struct session_failure *failure)
{
    const char *named = secure_getenv("TALLY_RECORDER");

    library->folder[0] = '\0';
    if (named != NULL && *named != '\0') {
        if (realpath(named, library->path) == NULL ||
            access(library->path, R_OK) < 0)
            return session_fail(failure,
                                "record: TALLY_RECORDER=%s: %s; name the "
                                "recorder or unset it",
                                named, strerror(errno));
    } else if (find_beside_command(library->path, failure) < 0) {
        return -1;
    }
    return can_be_preloaded(library->path)
               ? 0
               : link_from_private_folder(library, failure);
}

void recorder_library_remove(const struct recorder_library *library)
{
    if (library->folder[0] == '\0')
        return;
    unlink(library->path);
    rmdir(library->folder);
}

/* Return the value if `entry` sets the variable `name`, or NULL. */
static const char *value_of(const char *entry, const char *name)
{
    size_t length = strlen(name);

    return strncmp(entry, name, length) == 0 && entry[length] == '='
               ? entry + length + 1
               : NULL;
}

/* Return true if LD_PRELOAD begins with the recorder, as in another
   recording. */
static bool begins_with_recorder(const char *preloads, const char *recorder)
{
    size_t length = strlen(recorder);
    char behind =
        strncmp(preloads, recorder, length) == 0 ? preloads[length] : '?';

    return behind == '\0' || behind == ':' || behind == ' ';
}

/*
 * Return true if "_" in the environment names this command. A shell sets it to
 * the command it runs; without tally that is the program.
 */
static bool names_this_command(const char *path)
{
    struct stat named, own;

    return stat(path, &named) == 0 && stat("/proc/self/exe", &own) == 0 &&
           named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

int launch_set_environment(const struct recorder_library *library,
                           const char *session, const char *program,
                           struct session_failure *failure)
{
    bool has_preload = false, has_session = false;

    for (char **entry = environ; *entry != NULL; entry++) {
        const char *value;
        int length = 0;

        if ((value = value_of(*entry, PRELOAD)) != NULL) {
            has_preload = true;
            if (!begins_with_recorder(value, library->path))
                length = asprintf(entry, PRELOAD "=%s%s%s", library->path,
                                  *value == '\0' ? "" : ":", value);
        } else if (value_of(*entry, SESSION_ENVIRONMENT) != NULL) {
            has_session = true;
            length = asprintf(entry, SESSION_ENVIRONMENT "=%s", session);
        } else if ((value = value_of(*entry, "_")) != NULL &&
                   names_this_command(value)) {
            length = asprintf(entry, "_=%s", program);
        }
        if (length < 0)
            goto no_memory;
    }
    if ((has_preload || setenv(PRELOAD, library->path, 1) == 0) &&
        (has_session || setenv(SESSION_ENVIRONMENT, session, 1) == 0))
        return 0;

no_memory:
    return session_fail(failure, "record: out of memory; free some");
}

static uint64_t pidfd_inode(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    struct stat facts = { 0 };

    if (fd >= 0) {
        (void)!fstat(fd, &facts);
        close(fd);
    }
    return facts.st_ino;
}

/*
 * In the child, replace our pid by the program's in variables of systemd.
 * Sockets and the watchdog are only for the process that these name.
 */
static void replace_systemd_pids(void)
{
    static const char *const names[] = { "LISTEN_PID", "WATCHDOG_PID",
                                         "SYSTEMD_EXEC_PID", "LISTEN_PIDFDID" };
    enum { PIDFD = 3 }; /* a pidfd's inode, from systemd 258 on */
    static char entries[sizeof names / sizeof names[0]][40];

    for (char **entry = environ; *entry != NULL; entry++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const char *value = value_of(*entry, names[i]);

            if (value == NULL ||
                strtoull(value, NULL, 10) !=
                    (i == PIDFD ? pidfd_inode(getppid()) : (uint64_t)getppid()))
                continue;
            snprintf(entries[i], sizeof entries[i], "%s=%" PRIu64, names[i],
                     i == PIDFD ? pidfd_inode(getpid()) : (uint64_t)getpid());
            *entry = entries[i];
            break;
        }
    }
}

/* In the child, execute the program. On failure, send errno to the parent and
   exit. */
static _Noreturn void become_program(const struct launch *launch, int word,
                                     int pipe_end)
{
    int error;

    if (read(word, &error, sizeof error) != sizeof error)
        _exit(127); /* tally record was killed */
    setrlimit(RLIMIT_FSIZE, &launch->file_size_limit);
    signal_relay_undo(launch->relay);
    replace_systemd_pids();
    /* execvpe(), not execve(): files of an unknown format are run by the
       shell. */
    execvpe(launch->path, launch->arguments, environ);
    error = errno;
    if (write(pipe_end, &error, sizeof error) < 0)
        _exit(127);
    _exit(126);
}

pid_t launch_program(const struct launch *launch,
                     struct session_failure *failure)
{
    int ends[2], word[2] = { -1, -1 };
    int error = 0;
    ssize_t got;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0 || pipe2(word, O_CLOEXEC) < 0)
        return session_fail(failure, "record: no pipe: %s; raise ulimit -n",
                            strerror(errno));
    pid = fork();
    if (pid == 0) {
        close(word[1]);
        become_program(launch, word[0], ends[1]);
    }
    error = errno;
    close(ends[1]);
    close(word[0]);
    if (pid > 0) {
        if (launch->told != NULL)
            *launch->told = pid;
        signal_relay_join(launch->relay, pid);
        (void)!write(word[1], &error, sizeof error);
    }
    close(word[1]);
    if (pid < 0) {
        close(ends[0]);
        return session_fail(failure, "record: cannot fork: %s; see ulimit -u",
                            strerror(error));
    }
    /* A successful exec closes the pipe. */
    do {
        got = read(ends[0], &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    close(ends[0]);
    if (got != (ssize_t)sizeof error)
        return pid;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    session_fail(failure, "%s: cannot be run: %s; try it without tally",
                 launch->path, strerror(error));
    return session_failure_of_start(failure, error);
}
