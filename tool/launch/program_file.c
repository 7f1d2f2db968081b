/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program_file.c - find a program and check it; see launch_parts.h
 *
 * For programs that gain privileges the loader silently ignores LD_PRELOAD, and
 * static programs have no loader. Both are refused, because the recording would
 * be empty.
 */
#include "tool/launch/launch_parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { SCRIPT_LEVELS = 4 };

/* Folders that execvp() searches without PATH. */
#define DEFAULT_PATH "/bin:/usr/bin"

static bool is_regular(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* Return true if `path` can be executed; otherwise set errno. */
static bool is_executable(const char *path)
{
    if (access(path, F_OK) < 0)
        return false;
    if (!is_regular(path)) {
        errno = EISDIR;
        return false;
    }
    return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

/* Search for a program by name. Return 0 or an errno. */
static int search_path(const char *name, struct program_file *program)
{
    const char *folders = secure_getenv("PATH");
    bool was_refused = false;

    if (folders == NULL)
        folders = DEFAULT_PATH;
    for (const char *folder = folders;; folder++) {
        size_t length = strcspn(folder, ":");
        int written =
            snprintf(program->path, sizeof program->path, "%.*s%s%s",
                     (int)length, folder, length > 0 ? "/" : "", name);

        if (written > 0 && (size_t)written < sizeof program->path) {
            if (is_executable(program->path))
                return 0;
            was_refused |= errno == EACCES && is_regular(program->path);
        }
        folder += length;
        if (*folder == '\0')
            return was_refused ? EACCES : ENOENT;
    }
}

static int find_path(const char *name, struct program_file *program)
{
    if (*name == '\0')
        return ENOENT;
    if (strchr(name, '/') == NULL)
        return search_path(name, program);
    if (strlen(name) >= sizeof program->path)
        return ENAMETOOLONG;
    strcpy(program->path, name);
    return is_executable(name) ? 0 : errno;
}

static int find(const char *name, struct program_file *program,
                struct session_failure *failure)
{
    bool is_path = strchr(name, '/') != NULL;
    int error = find_path(name, program);

    if (error == 0)
        return 0;
    if (*name == '\0')
        session_fail(failure, "record: the program's name is empty; name a "
                              "program");
    else if (error == ENAMETOOLONG)
        session_fail(failure, "%.60s...: name too long; use a shorter path",
                     name);
    else if (error == EISDIR)
        session_fail(failure,
                     "%s: not a program; name a file that can be executed",
                     name);
    else if (error == EACCES && (!is_path || is_regular(name)))
        session_fail(failure,
                     "%s: %snot executable; set its permission with chmod +x",
                     name, is_path ? "" : "found in PATH but ");
    else if (is_path)
        session_fail(failure, "%s: %s; name an existing program", name,
                     strerror(error));
    else
        session_fail(failure, "%s: no such program in PATH; %s", name,
                     name[strspn(name, "0123456789")] == '\0'
                         ? "a process that runs cannot be recorded, start it "
                           "with tally record"
                         : "give its path");
    return session_failure_of_start(failure, error);
}

static long read_at(int fd, void *into, size_t size, uint64_t offset)
{
    return pread(fd, into, size, (off_t)offset);
}

void program_file_read(const char *path, struct program_facts *facts)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    program_facts_read(fd, read_at, facts);
    if (fd >= 0)
        close(fd);
}

static int check_privileges(const char *path, struct session_failure *failure)
{
    struct stat status;

    if (stat(path, &status) < 0)
        return session_fail(failure, "%s: %s; name an existing program", path,
                            strerror(errno));
    /* A file of our own user and group grants no privileges. */
    if (((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid()) ||
        ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
         status.st_gid != getgid()))
        return session_fail(failure,
                            "%s: set-user-ID or set-group-ID, so nothing can "
                            "be preloaded into it; record a copy without that "
                            "bit",
                            path);
    if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
        return session_fail(failure,
                            "%s: has file capabilities, so nothing can be "
                            "preloaded into it; record a copy without them",
                            path);
    return 0;
}

/* Return why the program cannot be recorded, or NULL. `text` has room for
   `size` bytes. */
static const char *find_trouble(const struct program_facts *facts, char *text,
                                size_t size)
{
    if (facts->is_foreign)
        return "made for another machine; record it there, with the tally of "
               "that machine";
    if (facts->is_damaged)
        return "a damaged ELF file; build it again";
    if (!facts->is_elf) /* run by the shell */
        return NULL;
    if (facts->has_musl)
        return "linked with musl, which this recorder does not know; link it "
               "with glibc";
    /* The loader itself can be executed; it loads the program in its
       arguments. */
    if (!facts->has_loader && !facts->is_loader)
        return "statically linked, so nothing can be preloaded into it; link "
               "it dynamically";
    if (facts->runtime == NULL)
        return NULL;
    snprintf(text, size,
             "built with %s, whose runtime %s; build it without -fsanitize=%s",
             facts->runtime->sanitizer, facts->runtime->trouble,
             facts->runtime->option);
    return text;
}

/* Check an ELF file. `what` names its role if it is not the named program. */
static int check_elf(const char *path, const char *what,
                     const struct program_facts *facts,
                     struct program_file *program,
                     struct session_failure *failure)
{
    char why[PATCH_WHY_SIZE], text[160];
    const char *trouble = find_trouble(facts, text, sizeof text);

    if (trouble != NULL && strcmp(path, program->path) != 0)
        return session_fail(failure, "%s: %s %s is %s", program->path, what,
                            path, trouble);
    if (trouble != NULL)
        return session_fail(failure, "%s: %s", path, trouble);
    if (!facts->is_elf)
        return 0;
    patch_find_allocator(path, program->own_allocator,
                         sizeof program->own_allocator);
    if (program->own_allocator[0] != '\0' &&
        !patch_plan_make(path, &program->plan, why)) {
        program->plan.count = 0;
        if (why[0] != '\0')
            strcpy(program->own_allocator, why);
    }
    return 0;
}

int program_file_find(char *const command[], struct program_file *program,
                      struct session_failure *failure)
{
    const char *preloads = secure_getenv("LD_PRELOAD");
    const struct sanitizer_runtime *preloaded =
        preloads == NULL ? NULL : sanitizer_runtime_of(preloads);
    struct program_facts facts;
    const char *loaded;
    char path[PATH_MAX];

    if (preloaded != NULL)
        return session_fail(failure,
                            "LD_PRELOAD: %s's runtime %s; take it out to "
                            "record",
                            preloaded->sanitizer, preloaded->trouble);
    program->own_allocator[0] = '\0';
    program->plan.count = 0;
    if (find(command[0], program, failure) < 0)
        return -1;
    loaded = emulated_program(program->path, command);
    program_file_read(loaded == NULL ? "" : loaded, &facts);
    program->guest = facts.is_foreign ? loaded : NULL;
    if (program->guest != NULL)
        return 0;
    strcpy(path, program->path);
    for (int level = 0;; level++) {
        if (level == 0 || is_executable(path)) {
            if (check_privileges(path, failure) < 0)
                return -1;
        } else {
            int error = errno;

            session_fail(failure,
                         "%s: its interpreter %s cannot be run: %s; correct "
                         "its first line",
                         program->path, path, strerror(error));
            return session_failure_of_start(failure, error);
        }
        program_file_read(path, &facts);
        if (level == SCRIPT_LEVELS || facts.interpreter == NULL)
            break;
        strcpy(path, facts.interpreter);
    }
    if (check_elf(path, "its interpreter", &facts, program, failure) < 0)
        return -1;
    loaded = loader_program(program->path, command);
    if (loaded == program->path)
        return 0;
    program_file_read(loaded, &facts);
    return check_elf(loaded, "what it loads,", &facts, program, failure);
}
