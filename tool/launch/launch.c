/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - its environment; fork, exec, and whether it came to that */
#include "tool/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "format/ledger/session_layout.h"

#define PRELOAD "LD_PRELOAD"

/* The value, if `entry` sets the variable `name`; else NULL. */
static const char *value_of(const char *entry, const char *name)
{
    size_t length = strlen(name);

    return strncmp(entry, name, length) == 0 && entry[length] == '='
               ? entry + length + 1
               : NULL;
}

static char *join(const char *name, const char *value, const char *separator,
                  const char *rest)
{
    char *entry = NULL;

    if (asprintf(&entry, "%s=%s%s%s", name, value, separator, rest) < 0)
        return NULL;
    return entry;
}

static char *preload_entry(const char *recorder, const char *held)
{
    size_t length = strlen(recorder);
    bool is_there =
        strncmp(held, recorder, length) == 0 &&
        (held[length] == '\0' || held[length] == ':' || held[length] == ' ');

    if (is_there) /* a recording inside a recording */
        return join(PRELOAD, held, "", "");
    return join(PRELOAD, recorder, *held == '\0' ? "" : ":", held);
}

/*
 * The shell leaves in "_" what it runs. It ran us, but would have run the
 * program.
 */
static bool names_this_command(const char *path)
{
    struct stat named, own;

    return stat(path, &named) == 0 && stat("/proc/self/exe", &own) == 0 &&
           named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

void child_environment_destroy(char **environment)
{
    if (environment == NULL)
        return;
    for (char **entry = environment; *entry != NULL; entry++)
        free(*entry);
    free(environment);
}

static char *child_entry(const char *entry, const char *recorder,
                         const char *session, const char *program)
{
    const char *value;

    if ((value = value_of(entry, PRELOAD)) != NULL)
        return preload_entry(recorder, value);
    if (value_of(entry, SESSION_ENVIRONMENT) != NULL)
        return join(SESSION_ENVIRONMENT, session, "", "");
    if ((value = value_of(entry, "_")) != NULL && names_this_command(value))
        return join("_", program, "", "");
    return strdup(entry);
}

char **child_environment_create(char *const *environment, const char *recorder,
                                const char *session, const char *program,
                                struct session_failure *failure)
{
    bool has_preload = false;
    bool has_session = false;
    size_t count = 0;
    char **child;

    while (environment[count] != NULL)
        count++;
    child = calloc(count + 3, sizeof *child);
    if (child == NULL)
        goto no_memory;
    for (size_t i = 0; i < count; i++) {
        has_preload |= value_of(environment[i], PRELOAD) != NULL;
        has_session |= value_of(environment[i], SESSION_ENVIRONMENT) != NULL;
        child[i] = child_entry(environment[i], recorder, session, program);
        if (child[i] == NULL)
            goto no_memory;
    }
    if (!has_preload && (child[count++] = preload_entry(recorder, "")) == NULL)
        goto no_memory;
    if (!has_session &&
        (child[count++] = join(SESSION_ENVIRONMENT, session, "", "")) == NULL)
        goto no_memory;
    return child;

no_memory:
    child_environment_destroy(child);
    session_fail(failure, "record: out of memory; free some");
    return NULL;
}

/* As execvp() does: a file without a known form is the shell's. */
static void exec_by_shell(const struct launch *launch)
{
    static char shell[] = "/bin/sh";
    size_t count = 0;
    char **arguments;

    while (launch->arguments[count] != NULL)
        count++;
    arguments = calloc(count + 2, sizeof *arguments);
    if (arguments == NULL)
        return;
    arguments[0] = shell;
    arguments[1] = (char *)(uintptr_t)launch->path;
    for (size_t i = 1; i < count; i++)
        arguments[i + 1] = launch->arguments[i];
    execve(shell, arguments, launch->environment);
}

/* In the child. Returns only by telling the parent why not. */
static _Noreturn void become_program(const struct launch *launch, int word,
                                     int pipe_end)
{
    int error;

    if (read(word, &error, sizeof error) != sizeof error)
        _exit(127); /* tally record was killed */
    setrlimit(RLIMIT_FSIZE, &launch->file_size_limit);
    signal_relay_undo(launch->relay);
    execve(launch->path, launch->arguments, launch->environment);
    if (errno == ENOEXEC)
        exec_by_shell(launch);
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
        signal_relay_join(launch->relay, pid);
        (void)!write(word[1], &error, sizeof error);
    }
    close(word[1]);
    if (pid < 0) {
        close(ends[0]);
        return session_fail(failure, "record: cannot fork: %s; see ulimit -u",
                            strerror(error));
    }
    /* The pipe closes when the program is running. */
    do {
        got = read(ends[0], &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    close(ends[0]);
    if (got != (ssize_t)sizeof error)
        return pid;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return session_fail(failure, "%s: cannot be run: %s; try it without tally",
                        launch->path, strerror(error));
}
