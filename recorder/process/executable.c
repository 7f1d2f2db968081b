/* SPDX-License-Identifier: Apache-2.0 */
/* executable.c - examining an executable before it runs; see executable.h */
#define _GNU_SOURCE
#include "recorder/process/executable.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "format/program_facts.h"
#include "ports/posix/raw_calls.h"

enum { SCRIPT_DEPTH = 4 };

static long read_at(int fd, void *into, size_t size, uint64_t offset)
{
    return raw_call(SYS_pread64, fd, RAW_ARGUMENT(into), (long)size,
                    (long)offset, 0, 0);
}

static long open_file(const char *path)
{
    return raw_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Return true if ids or capabilities change: Linux then tells the loader to be
   careful. */
static bool is_privileged(int fd)
{
    struct stat status;
    long user = raw_call(SYS_getuid, 0, 0, 0, 0, 0, 0);
    long group = raw_call(SYS_getgid, 0, 0, 0, 0, 0, 0);

    if (raw_call(SYS_fstat, fd, RAW_ARGUMENT(&status), 0, 0, 0, 0) != 0)
        return false;
    if ((status.st_mode & S_ISUID) != 0 && (long)status.st_uid != user)
        return true;
    if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
        (long)status.st_gid != group)
        return true;
    return user != 0 &&
           raw_call(SYS_fgetxattr, fd, RAW_ARGUMENT("security.capability"), 0,
                    0, 0, 0) > 0;
}

static enum executable_kind judge(int fd, const struct program_facts *facts)
{
    if (!facts->is_elf)
        return EXECUTABLE_DYNAMIC;
    if (facts->is_foreign || facts->has_musl)
        return EXECUTABLE_FOREIGN;
    if (facts->runtime != NULL)
        return EXECUTABLE_SANITIZED;
    if (!facts->has_loader && !facts->has_name && !facts->is_damaged)
        return EXECUTABLE_STATIC;
    return is_privileged(fd) ? EXECUTABLE_SETUID : EXECUTABLE_DYNAMIC;
}

/* A script's interpreter decides. */
enum executable_kind executable_kind_at(int fd)
{
    struct program_facts facts;
    enum executable_kind kind;

    program_facts_read(fd, read_at, &facts);
    kind = judge(fd, &facts);
    for (int depth = 0; facts.interpreter != NULL && depth < SCRIPT_DEPTH;
         depth++) {
        long next = open_file(facts.interpreter);

        if (next < 0)
            return EXECUTABLE_DYNAMIC;
        program_facts_read((int)next, read_at, &facts);
        kind = judge((int)next, &facts);
        raw_close((int)next);
    }
    return kind;
}

enum executable_kind executable_kind_of(const char *path)
{
    long fd = open_file(path);
    enum executable_kind kind;

    if (fd < 0)
        return EXECUTABLE_DYNAMIC;
    kind = executable_kind_at((int)fd);
    raw_close((int)fd);
    return kind;
}
