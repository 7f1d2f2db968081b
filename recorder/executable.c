/* SPDX-License-Identifier: Apache-2.0 */
/* executable.c - looking at an executable before it runs; see executable.h */
#define _GNU_SOURCE
#include "recorder/executable.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>

#include "recorder/raw_calls.h"

enum { SCRIPT_DEPTH = 4, HEAD_SIZE = 128, HEADER_LIMIT = 64 };

static long read_at(int fd, void *into, size_t size, uint64_t offset)
{
    return raw_call(SYS_pread64, fd, RAW_ARGUMENT(into), (long)size,
                    (long)offset, 0, 0);
}

/* Linux tells the loader to be careful when ids or capabilities change. */
static int is_privileged(int fd)
{
    struct stat status;
    long user = raw_call(SYS_getuid, 0, 0, 0, 0, 0, 0);
    long group = raw_call(SYS_getgid, 0, 0, 0, 0, 0, 0);

    if (raw_call(SYS_fstat, fd, RAW_ARGUMENT(&status), 0, 0, 0, 0) != 0)
        return 0;
    if ((status.st_mode & S_ISUID) != 0 && (long)status.st_uid != user)
        return 1;
    if ((status.st_mode & S_ISGID) != 0 && (status.st_mode & S_IXGRP) != 0 &&
        (long)status.st_gid != group)
        return 1;
    return user != 0 &&
           raw_call(SYS_fgetxattr, fd, RAW_ARGUMENT("security.capability"), 0,
                    0, 0, 0) > 0;
}

/* The loader itself: a shared object with a name, that preloads what it runs. */
static int is_loader(int fd, const ElfW(Phdr) * dynamic)
{
    for (uint64_t at = 0; at < dynamic->p_filesz; at += sizeof(ElfW(Dyn))) {
        ElfW(Dyn) entry;

        if (read_at(fd, &entry, sizeof entry, dynamic->p_offset + at) !=
                (long)sizeof entry ||
            entry.d_tag == DT_NULL)
            return 0;
        if (entry.d_tag == DT_SONAME)
            return 1;
    }
    return 0;
}

static int has_loader(int fd, const ElfW(Ehdr) * elf)
{
    for (unsigned i = 0; i < elf->e_phnum && i < HEADER_LIMIT; i++) {
        ElfW(Phdr) header;
        uint64_t at = elf->e_phoff + (uint64_t)i * sizeof header;

        if (read_at(fd, &header, sizeof header, at) != (long)sizeof header)
            return 1;
        if (header.p_type == PT_INTERP ||
            (header.p_type == PT_DYNAMIC && is_loader(fd, &header)))
            return 1;
    }
    return 0;
}

/* "#! /path argument" in `head`: cut so that *path is the path alone. */
static const char *interpreter(char *head)
{
    char *path = head + 2;

    while (*path == ' ' || *path == '\t')
        path++;
    path[strcspn(path, " \t\n")] = '\0';
    return path;
}

/* A script's interpreter is what decides; its path is left in `head`. */
static enum executable_kind look(int fd, char *head, const char **script)
{
    long length = read_at(fd, head, HEAD_SIZE - 1, 0);
    ElfW(Ehdr) elf;

    *script = NULL;
    if (length < 4)
        return EXECUTABLE_DYNAMIC;
    head[length] = '\0';
    if (head[0] == '#' && head[1] == '!') {
        *script = interpreter(head);
        return EXECUTABLE_DYNAMIC;
    }
    if (memcmp(head, ELFMAG, SELFMAG) != 0 || length < (long)sizeof elf)
        return EXECUTABLE_DYNAMIC;
    memcpy(&elf, head, sizeof elf);
    if (elf.e_phentsize != sizeof(ElfW(Phdr)))
        return EXECUTABLE_DYNAMIC; /* another class: the loader will say so */
    if (!has_loader(fd, &elf))
        return EXECUTABLE_STATIC;
    return is_privileged(fd) ? EXECUTABLE_SETUID : EXECUTABLE_DYNAMIC;
}

static enum executable_kind look_through(int fd, char *head,
                                         const char **script)
{
    enum executable_kind kind = look(fd, head, script);

    for (int depth = 0; *script != NULL && depth < SCRIPT_DEPTH; depth++) {
        long next =
            raw_open(*script, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

        if (next < 0)
            return EXECUTABLE_DYNAMIC;
        kind = look((int)next, head, script);
        raw_close((int)next);
    }
    return kind;
}

enum executable_kind executable_look_at(int fd)
{
    char head[HEAD_SIZE];
    const char *script;

    return look_through(fd, head, &script);
}

enum executable_kind executable_look(const char *path)
{
    long fd = raw_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    enum executable_kind kind;

    if (fd < 0)
        return EXECUTABLE_DYNAMIC;
    kind = executable_look_at((int)fd);
    raw_close((int)fd);
    return kind;
}
