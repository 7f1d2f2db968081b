/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ways_to_run.c - run itself in each way that libc has, a letter a step
 *
 * The new program allocates, and ends with 3 if LD_PRELOAD names a library; the
 * answer is then an r, else a dot.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/recorder/victims/victim.h"

enum { BLOCKS = 7, LOADED = 3 };

static char path[PATH_MAX];
static char *name;
static char *arguments[] = { "it", "runs", NULL };

static int work(void)
{
    for (int i = 0; i < BLOCKS; i++)
        victim_keep(malloc(100));
    return getenv("LD_PRELOAD") != NULL ? LOADED : 0;
}

static void run(char way)
{
    switch (way) {
    case 'e':
        execve(path, arguments, environ);
        break;
    case 'v':
        execv(path, arguments);
        break;
    case 'C':
        close_range(3, ~0u, 0);
        execv(path, arguments);
        break;
    case 'p':
        execvp(name, arguments);
        break;
    case 'P':
        execvpe(name, arguments, environ);
        break;
    case 'l':
        execl(path, "it", "runs", NULL);
        break;
    case 'L':
        execlp(name, "it", "runs", NULL);
        break;
    case 'E':
        execle(path, "it", "runs", NULL, environ);
        break;
    case 'a':
        execveat(AT_FDCWD, path, arguments, environ, 0);
        break;
    default:
        fexecve(open(path, O_RDONLY | O_CLOEXEC), arguments, environ);
    }
    _exit(VICTIM_FAILED);
}

static int wait_for(pid_t child)
{
    int status;

    REQUIRE(waitpid(child, &status, 0) == child);
    return status;
}

static int run_vfork(void)
{
    pid_t child = vfork();

    if (child == 0) {
        execve(path, arguments, environ);
        _exit(VICTIM_FAILED);
    }
    return wait_for(child);
}

static int step(char way)
{
    char command[PATH_MAX + 8];
    pid_t child;

    snprintf(command, sizeof command, "%s runs", path);
    switch (way) {
    case 's':
        return system(command);
    case 'o':
        return pclose(popen(command, "r"));
    case 'k':
        return run_vfork();
    case 'i':
        REQUIRE(posix_spawn(&child, path, NULL, NULL, arguments, environ) == 0);
        return wait_for(child);
    case 'I':
        REQUIRE(posix_spawnp(&child, name, NULL, NULL, arguments, environ) ==
                0);
        return wait_for(child);
    default:
        child = fork();
        if (child == 0)
            run(way);
        return wait_for(child);
    }
}

int main(int count, char **given)
{
    char folder[PATH_MAX];
    char way;

    if (count == 2 && strcmp(given[1], "runs") == 0)
        return work();
    REQUIRE(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    strcpy(folder, path);
    name = strrchr(path, '/') + 1;
    setenv("PATH", dirname(folder), 1);
    victim_say(".");
    while (read(STDIN_FILENO, &way, 1) == 1 && way != 'X') {
        int status = step(way);

        REQUIRE(WIFEXITED(status));
        REQUIRE(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == LOADED);
        victim_say(WEXITSTATUS(status) == 0 ? "." : "r");
    }
    return 4;
}
