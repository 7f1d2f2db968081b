/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c - programs that the program runs, and that will not be recorded
 *
 * Nothing is changed: the same file is run with the same arguments and the same
 * environment. But a static or privileged program, or one whose environment has
 * lost the preload, will leave no ledger, and its parent's ledger says so. When
 * the call fails after all, what was said is taken back.
 *
 * This runs in children of fork and vfork. system and popen come by here when
 * their shell runs its command.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/session_layout.h"
#include "recorder/executable.h"
#include "recorder/export.h"
#include "recorder/ledger_writer.h"
#include "recorder/process.h"
#include "recorder/raw_calls.h"
#include "recorder/real_functions.h"
#include "recorder/sandbox.h"
#include "recorder/session.h"

typedef char *const argument_list[];

EXPORT int execve(const char *path, argument_list arguments,
                  argument_list environment);
EXPORT int execv(const char *path, argument_list arguments);
EXPORT int execvp(const char *file, argument_list arguments);
EXPORT int execvpe(const char *file, argument_list arguments,
                   argument_list environment);
EXPORT int execveat(int folder, const char *path, argument_list arguments,
                    argument_list environment, int flags);
EXPORT int fexecve(int fd, argument_list arguments, argument_list environment);
EXPORT int execl(const char *path, const char *argument, ...);
EXPORT int execlp(const char *file, const char *argument, ...);
EXPORT int execle(const char *path, const char *argument, ...);

static const enum ledger_notice_code notices[] = {
    [EXECUTABLE_STATIC] = LEDGER_NOTICE_child_static,
    [EXECUTABLE_SETUID] = LEDGER_NOTICE_child_setuid,
};

static bool has_preload(argument_list environment)
{
    if (environment == NULL)
        return false;
    for (size_t i = 0; environment[i] != NULL; i++) {
        if (strncmp(environment[i], "LD_PRELOAD=", 11) == 0 &&
            strstr(environment[i], "tally") != NULL)
            return true;
    }
    return false;
}

static bool is_worth_a_look(void)
{
    return process_is_recorded() && !sandbox_is_closed() &&
           session_follows_execs();
}

static uint32_t *say(enum executable_kind kind, const char *path,
                     argument_list environment)
{
    if (kind == EXECUTABLE_DYNAMIC && has_preload(environment))
        return NULL;
    if (!process_attach()) /* a forked child that has not allocated yet */
        return NULL;
    return ledger_write_notice(kind == EXECUTABLE_DYNAMIC
                                   ? LEDGER_NOTICE_child_no_preload
                                   : notices[kind],
                               path);
}

static uint32_t *look(const char *path, argument_list environment)
{
    if (!is_worth_a_look() || path == NULL ||
        raw_call(SYS_faccessat, AT_FDCWD, RAW_ARGUMENT(path), X_OK, 0, 0, 0) !=
            0)
        return NULL;
    return say(executable_look(path), path, environment);
}

static void take_back(uint32_t *times)
{
    if (times != NULL)
        __atomic_fetch_sub(times, 1, __ATOMIC_RELAXED);
}

/* What execvp will find, as it looks: along PATH, unless there is a slash. */
static __attribute__((noinline)) uint32_t *
look_along_path(const char *file, argument_list environment)
{
    char candidate[512];
    const char *folder = getenv("PATH");
    size_t length = file == NULL ? 0 : strlen(file);

    if (!is_worth_a_look() || length == 0)
        return NULL;
    if (strchr(file, '/') != NULL)
        return look(file, environment);
    if (folder == NULL)
        folder = "/bin:/usr/bin";
    for (;;) {
        size_t part = strcspn(folder, ":");

        if (part + length + 2 <= sizeof candidate) {
            memcpy(candidate, folder, part);
            candidate[part] = '/';
            memcpy(candidate + part + (part > 0), file, length + 1);
            if (raw_call(SYS_faccessat, AT_FDCWD, RAW_ARGUMENT(candidate), X_OK,
                         0, 0, 0) == 0)
                return look(candidate, environment);
        }
        if (folder[part] == '\0')
            return NULL;
        folder += part + 1;
    }
}

int execve(const char *path, argument_list arguments, argument_list environment)
{
    uint32_t *said = look(path, environment);
    int result = REAL(execve)(path, arguments, environment);

    take_back(said);
    return result;
}

int execv(const char *path, argument_list arguments)
{
    uint32_t *said = look(path, environ);
    int result = REAL(execv)(path, arguments);

    take_back(said);
    return result;
}

int execvp(const char *file, argument_list arguments)
{
    uint32_t *said = look_along_path(file, environ);
    int result = REAL(execvp)(file, arguments);

    take_back(said);
    return result;
}

int execvpe(const char *file, argument_list arguments,
            argument_list environment)
{
    uint32_t *said = look_along_path(file, environment);
    int result = REAL(execvpe)(file, arguments, environment);

    take_back(said);
    return result;
}

/* The file behind a descriptor, or behind a path below one. */
static uint32_t *look_below(int folder, const char *path,
                            argument_list environment, int flags)
{
    enum executable_kind kind;
    long fd;

    if (!is_worth_a_look())
        return NULL;
    if ((flags & AT_EMPTY_PATH) != 0 && (path == NULL || path[0] == '\0'))
        return say(executable_look_at(folder), "(a descriptor)", environment);
    fd = raw_call(SYS_openat, folder, RAW_ARGUMENT(path),
                  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
    if (fd < 0)
        return NULL;
    kind = executable_look_at((int)fd);
    raw_close((int)fd);
    return say(kind, path, environment);
}

int execveat(int folder, const char *path, argument_list arguments,
             argument_list environment, int flags)
{
    uint32_t *said = look_below(folder, path, environment, flags);
    int result = REAL(execveat)(folder, path, arguments, environment, flags);

    take_back(said);
    return result;
}

int fexecve(int fd, argument_list arguments, argument_list environment)
{
    uint32_t *said = look_below(fd, NULL, environment, AT_EMPTY_PATH);
    int result = REAL(fexecve)(fd, arguments, environment);

    take_back(said);
    return result;
}

static size_t count_arguments(va_list *rest)
{
    size_t count = 1;

    while (va_arg(*rest, const char *) != NULL)
        count++;
    return count;
}

/* The arguments as an array on the stack, where libc puts them too. */
#define COLLECT(arguments, first, rest)                                   \
    va_list rest;                                                         \
    va_start(rest, first);                                                \
    size_t count = count_arguments(&rest);                                \
    va_end(rest);                                                         \
    char **arguments = __builtin_alloca((count + 1) * sizeof *arguments); \
    va_start(rest, first);                                                \
    arguments[0] = (char *)(uintptr_t)first;                              \
    for (size_t i = 1; i <= count; i++)                                   \
    arguments[i] = va_arg(rest, char *)

int execl(const char *path, const char *argument, ...)
{
    COLLECT(arguments, argument, rest);

    va_end(rest);
    return execv(path, arguments);
}

int execlp(const char *file, const char *argument, ...)
{
    COLLECT(arguments, argument, rest);

    va_end(rest);
    return execvp(file, arguments);
}

int execle(const char *path, const char *argument, ...)
{
    COLLECT(arguments, argument, rest);
    char **environment = va_arg(rest, char **);

    va_end(rest);
    return execve(path, arguments, environment);
}

typedef int spawn_fn(pid_t *child, const char *file,
                     const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes,
                     argument_list arguments, argument_list environment);

EXPORT spawn_fn posix_spawn;
EXPORT spawn_fn posix_spawnp;

int posix_spawn(pid_t *child, const char *file,
                const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, argument_list arguments,
                argument_list environment)
{
    uint32_t *said = look(file, environment);
    int error = REAL(posix_spawn)(child, file, actions, attributes, arguments,
                                  environment);

    if (error != 0)
        take_back(said);
    return error;
}

int posix_spawnp(pid_t *child, const char *file,
                 const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, argument_list arguments,
                 argument_list environment)
{
    uint32_t *said = look_along_path(file, environment);
    int error = REAL(posix_spawnp)(child, file, actions, attributes, arguments,
                                   environment);

    if (error != 0)
        take_back(said);
    return error;
}
