/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - fork, exec, and telling whether it came to that */
#include "tool/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
