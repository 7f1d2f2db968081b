/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec.c - programs that the program runs, and that will not be recorded
 *
 * File, arguments and environment stay as they are. But a static or privileged
 * program, or one whose environment has lost the preload, leaves no ledger, and
 * its parent's ledger says so. A program that our preload would break - another
 * libc, a sanitizer, a root without this library - runs without it, and is
 * named too. If the call fails, the notice is taken back.
 *
 * This runs in children of fork and vfork. Commands of system and popen arrive
 * here when their shell runs them.
 *
 * This file is long because libc has eleven functions for it, and LD_PRELOAD is
 * edited without allocating.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "format/program_facts.h"
#include "format/text_after.h"
#include "ledger/blocks/attach.h"
#include "ledger/export.h"
#include "ledger/space/ledger_writer.h"
#include "ledger/space/modules.h"
#include "ledger/space/session.h"
#include "ports/posix/raw_calls.h"
#include "recorder/process/executable.h"
#include "recorder/real_functions.h"
#include "tally/port.h"

/* Aliases for use where the plain names lead to patched code. */
#define OWN(name)                                     \
    extern HIDDEN __typeof__(name) own_##name __THROW \
        __attribute__((alias(#name)));
OWN(execve)
EXEC_NAMES(OWN)

typedef char *const argument_list[];

/* address space, in bytes */
#define LITTLE_ROOM (UINT64_C(16) << 20)

#define VARIABLE "LD_PRELOAD="

static const char separators[] = ": ";

/* Return this library's path, as the loader was given it. */
static const char *own_path(void)
{
    return modules_path_of(separators);
}

static bool is_own_entry(const char *entry, size_t length)
{
    const char *path = own_path();

    return path != NULL && strlen(path) == length &&
           memcmp(path, entry, length) == 0;
}

/* Return the value of LD_PRELOAD, or "". */
static const char *find_preloads(char *const environment[])
{
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        const char *value = text_after(environment[i], VARIABLE);

        if (value != NULL)
            return value;
    }
    return "";
}

static bool preload_is_ours(char *const environment[])
{
    for (const char *entry = find_preloads(environment); *entry != '\0';) {
        size_t length = strcspn(entry, separators);

        if (is_own_entry(entry, length))
            return true;
        entry += length + (entry[length] != '\0');
    }
    return false;
}

/* Return true if the library can be opened from here, by its path. */
static bool preload_is_there(void)
{
    const char *path = own_path();

    return path != NULL && raw_call(SYS_faccessat, AT_FDCWD, RAW_ARGUMENT(path),
                                    R_OK, 0, 0, 0) == 0;
}

/* Return the bytes that preload_strip() or preload_add() needs. */
static size_t preload_room(char *const environment[])
{
    const char *path = own_path();
    size_t count = 0;

    while (environment != NULL && environment[count] != NULL)
        count++;
    return SESSION_VARIABLE + (2 + count + 1) * sizeof path + sizeof VARIABLE +
           (path == NULL ? 0 : strlen(path)) + sizeof ":" +
           strlen(find_preloads(environment));
}

/* Write VARIABLE with `first`, unless "", and the entries of `entry` but ours
   to `text`; return false if there are none. */
static bool write_variable(const char *first, const char *entry, char *text)
{
    char *begin = stpcpy(text, VARIABLE), *end = stpcpy(begin, first);

    while (*entry != '\0') {
        size_t length = strcspn(entry, separators);

        if (length > 0 && !is_own_entry(entry, length)) {
            if (end > begin)
                *end++ = ':';
            memcpy(end, entry, length);
            end += length;
        }
        entry += length + (entry[length] != '\0');
    }
    *end = '\0';
    return end > begin;
}

/* Return the environment without our entry, in `room` of preload_room() bytes.
   Unchanged strings are shared. */
static char **preload_strip(char *const environment[], void *room)
{
    const char *preloads = find_preloads(environment);
    char **stripped = room;
    size_t count = 0, kept = 0;
    char *text;

    while (environment[count] != NULL)
        count++;
    text = (char *)(stripped + count + 1);
    for (size_t i = 0; i < count; i++) {
        if (text_after(environment[i], VARIABLE) != preloads)
            stripped[kept++] = environment[i];
        else if (write_variable("", preloads, text))
            stripped[kept++] = text;
    }
    stripped[kept] = NULL;
    return stripped;
}

/*
 * Return the environment with our entry first and with the session, for an
 * attached process, whose environment does not name us; or return it unchanged
 * if the library or the session cannot be found.
 */
static char *const *preload_add(char *const environment[], void *room,
                                bool is_for_child)
{
    const char *preloads = find_preloads(environment), *path = own_path();
    char *session = room, *text;
    char **joined = (void *)(session + SESSION_VARIABLE);
    size_t kept = 2;

    if (sandbox_is_closed() || !preload_is_there() ||
        path[strcspn(path, separators)] != '\0' ||
        !session_write_variable(session, is_for_child))
        return environment;
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++) {
        if (text_after(environment[i], VARIABLE) == NULL &&
            text_after(environment[i], SESSION_ENVIRONMENT "=") == NULL)
            joined[kept++] = environment[i];
    }
    joined[kept++] = NULL;
    text = (char *)(joined + kept);
    joined[0] = session;
    joined[1] = text;
    write_variable(path, preloads, text);
    return joined;
}

static const enum ledger_notice_code notices[] = {
    [EXECUTABLE_STATIC] = LEDGER_NOTICE_child_static,
    [EXECUTABLE_SETUID] = LEDGER_NOTICE_child_setuid,
    [EXECUTABLE_FOREIGN] = LEDGER_NOTICE_child_foreign,
    [EXECUTABLE_SANITIZED] = LEDGER_NOTICE_child_sanitized,
};

struct verdict {
    uint32_t *said;   /* notice to take back, or NULL */
    bool is_stripped; /* it must not get our preload */
    bool is_recorded; /* it should leave a ledger */
};

static const struct verdict nothing = { NULL, false, false };

/*
 * Return true if the program must be examined, even if this image has no
 * ledger: the next one may have. Our preload can also break programs that are
 * not followed.
 */
static bool must_examine(argument_list environment)
{
    return !sandbox_is_closed() &&
           (session_follows_execs() || preload_is_ours(environment));
}

/*
 * Return true if there is too little address space. The loader maps us before
 * the program's libraries, and does not run it without space for those. There
 * would be none for a ledger either.
 */
static bool has_little_room(void)
{
    struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

    raw_call(SYS_prlimit64, 0, RLIMIT_AS, 0, RAW_ARGUMENT(&limit), 0, 0);
    return limit.rlim_cur < LITTLE_ROOM;
}

static enum ledger_notice_code find_notice(enum executable_kind kind,
                                           bool is_ours, bool is_stripped)
{
    if (kind != EXECUTABLE_DYNAMIC)
        return notices[kind];
    if (is_ours && has_little_room())
        return LEDGER_NOTICE_child_little_room;
    if (!is_ours || is_stripped)
        return LEDGER_NOTICE_child_no_preload;
    if (!session_is_reachable())
        return LEDGER_NOTICE_child_no_session;
    return session_is_full() ? LEDGER_NOTICE_child_past_limit
                             : LEDGER_NOTICE_NONE;
}

static struct verdict judge(enum executable_kind kind, const char *path,
                            argument_list environment)
{
    bool is_ours = preload_is_ours(environment);

    if (kind == EXECUTABLE_DYNAMIC &&
        sanitizer_runtime_of(find_preloads(environment)) != NULL)
        kind = EXECUTABLE_SANITIZED;

    struct verdict verdict = {
        .is_stripped = is_ours && (kind == EXECUTABLE_FOREIGN ||
                                   kind == EXECUTABLE_SANITIZED ||
                                   has_little_room() || !preload_is_there()),
    };
    enum ledger_notice_code notice;

    if (!session_follows_execs())
        return verdict; /* nothing to expect, nothing to miss */
    notice = find_notice(kind, is_ours, verdict.is_stripped);
    /* A program past the limit is expected as well, and named in a ledger. */
    verdict.is_recorded = notice == LEDGER_NOTICE_NONE ||
                          notice == LEDGER_NOTICE_child_past_limit;
    /* A forked child may open its ledger for this. */
    if (notice != LEDGER_NOTICE_NONE && process_attach())
        verdict.said = ledger_write_notice(notice, path);
    return verdict;
}

static struct verdict examine(const char *path, argument_list arguments,
                              argument_list environment)
{
    if (!must_examine(environment) || path == NULL ||
        raw_call(SYS_faccessat, AT_FDCWD, RAW_ARGUMENT(path), X_OK, 0, 0, 0) !=
            0)
        return nothing;

    const char *guest = emulated_program(path, arguments);

    if (guest != NULL && executable_kind_of(guest) == EXECUTABLE_FOREIGN)
        return judge(EXECUTABLE_FOREIGN, guest, environment);
    path = loader_program(path, arguments);
    return judge(executable_kind_of(path), path, environment);
}

static void take_back(struct verdict verdict)
{
    if (verdict.is_recorded)
        session_expect_image(raw_getpid(), (uint32_t)-1);
    if (verdict.said != NULL)
        __atomic_fetch_sub(verdict.said, 1, __ATOMIC_RELAXED);
}

/* Examine the file that execvp will find: along PATH, unless there is a
   slash. */
static __attribute__((noinline)) struct verdict
examine_along_path(const char *file, argument_list arguments,
                   argument_list environment)
{
    char candidate[512];
    const char *folder = tally_port_environment("PATH");
    size_t length = file == NULL ? 0 : strlen(file);

    if (!must_examine(environment) || length == 0)
        return nothing;
    if (file[strcspn(file, "/")] != '\0')
        return examine(file, arguments, environment);
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
                return examine(candidate, arguments, environment);
        }
        if (folder[part] == '\0')
            return nothing;
        folder += part + 1;
    }
}

/* The environment to run with, on the caller's stack if it differs: JOIN adds
   us before the program is examined, and RUN_WITH picks the result. */
#define JOIN(is_for_child)                                                  \
    char *const *given = environment;                                       \
                                                                            \
    if (session_is_own())                                                   \
    environment = preload_add(given, __builtin_alloca(preload_room(given)), \
                              is_for_child)
#define RUN_WITH(verdict)                                              \
    ((verdict).is_stripped && environment == given                     \
         ? preload_strip(given, __builtin_alloca(preload_room(given))) \
     : (verdict).is_recorded ? environment                             \
                             : given)

/* Become the program examined by `examine`, by the call `run`; or go on. */
#define BECOME(examine, run)                   \
    JOIN(false);                               \
    struct verdict verdict = examine;          \
    int result;                                \
                                               \
    if (verdict.is_recorded)                   \
        session_expect_image(raw_getpid(), 1); \
    result = run;                              \
    take_back(verdict);                        \
    return result

EXPORT int execve(const char *path, argument_list arguments,
                  argument_list environment)
{
    BECOME(examine(path, arguments, environment),
           REAL(execve)(path, arguments, RUN_WITH(verdict)));
}

EXPORT int execv(const char *path, argument_list arguments)
{
    return own_execve(path, arguments, environ);
}

EXPORT int execvpe(const char *file, argument_list arguments,
                   argument_list environment)
{
    BECOME(examine_along_path(file, arguments, environment),
           REAL(execvpe)(file, arguments, RUN_WITH(verdict)));
}

EXPORT int execvp(const char *file, argument_list arguments)
{
    return own_execvpe(file, arguments, environ);
}

/* Examine the file of a descriptor, or of a path below one. */
static struct verdict examine_below(int folder, const char *path,
                                    argument_list environment, int flags)
{
    enum executable_kind kind;
    long fd;

    if (!must_examine(environment))
        return nothing;
    if ((flags & AT_EMPTY_PATH) != 0 && (path == NULL || path[0] == '\0'))
        return judge(executable_kind_at(folder), "(a descriptor)", environment);
    fd = raw_call(SYS_openat, folder, RAW_ARGUMENT(path),
                  O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
    if (fd < 0)
        return nothing;
    kind = executable_kind_at((int)fd);
    raw_close((int)fd);
    return judge(kind, path, environment);
}

EXPORT int execveat(int folder, const char *path, argument_list arguments,
                    argument_list environment, int flags)
{
    BECOME(examine_below(folder, path, environment, flags),
           REAL(execveat)(folder, path, arguments, RUN_WITH(verdict), flags));
}

EXPORT int fexecve(int fd, argument_list arguments, argument_list environment)
{
    BECOME(examine_below(fd, NULL, environment, AT_EMPTY_PATH),
           REAL(fexecve)(fd, arguments, RUN_WITH(verdict)));
}

static size_t count_arguments(va_list *rest)
{
    size_t count = 1;

    while (va_arg(*rest, const char *) != NULL)
        count++;
    return count;
}

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

EXPORT int execl(const char *path, const char *argument, ...)
{
    COLLECT(arguments, argument, rest);

    va_end(rest);
    return own_execv(path, arguments);
}

EXPORT int execlp(const char *file, const char *argument, ...)
{
    COLLECT(arguments, argument, rest);

    va_end(rest);
    return own_execvp(file, arguments);
}

EXPORT int execle(const char *path, const char *argument, ...)
{
    COLLECT(arguments, argument, rest);
    char **environment = va_arg(rest, char **);

    va_end(rest);
    return own_execve(path, arguments, environment);
}

typedef int spawn_fn(pid_t *child, const char *file,
                     const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attributes,
                     argument_list arguments, argument_list environment);

/* Spawn: the child is another process. A program that cannot be run was not
   expected. */
static int spawn(spawn_fn *real_spawn, struct verdict verdict, pid_t *child,
                 const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, argument_list arguments,
                 argument_list environment)
{
    pid_t own;
    int error = real_spawn(child == NULL ? (child = &own) : child, file,
                           actions, attributes, arguments, environment);

    if (error == 0 && verdict.is_recorded)
        session_expect_image(*child, 1);
    verdict.is_recorded = false;
    if (error != 0)
        take_back(verdict);
    return error;
}

#define SPAWN(name, examine)                                                \
    EXPORT int name(pid_t *child, const char *file,                         \
                    const posix_spawn_file_actions_t *actions,              \
                    const posix_spawnattr_t *attributes,                    \
                    argument_list arguments, argument_list environment)     \
    {                                                                       \
        JOIN(true);                                                         \
        struct verdict verdict = examine(file, arguments, environment);     \
                                                                            \
        return spawn(REAL(name), verdict, child, file, actions, attributes, \
                     arguments, RUN_WITH(verdict));                         \
    }
SPAWN(posix_spawn, examine)
SPAWN(posix_spawnp, examine_along_path)
