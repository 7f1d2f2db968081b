/* SPDX-License-Identifier: Apache-2.0 */
/* executable.c - looking at an executable before it runs; see executable.h */
#define _GNU_SOURCE
#include "recorder/process/executable.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "format/sanitizer_runtimes.h"
#include "ports/posix/raw_calls.h"

enum { SCRIPT_DEPTH = 4, HEAD_SIZE = 128, HEADER_LIMIT = 128, TEXT_LIMIT = 96 };

#if __SIZEOF_POINTER__ == 8
#define OTHER_CLASS ELFCLASS32
#else
#define OTHER_CLASS ELFCLASS64
#endif

static long read_at(int fd, void *into, size_t size, uint64_t offset)
{
    return raw_call(SYS_pread64, fd, RAW_ARGUMENT(into), (long)size,
                    (long)offset, 0, 0);
}

/* Linux tells the loader to be careful when ids or capabilities change. */
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

static bool read_header(int fd, const ElfW(Ehdr) * elf, unsigned number,
                        ElfW(Phdr) * header)
{
    uint64_t at = elf->e_phoff + (uint64_t)number * sizeof *header;

    return number < elf->e_phnum && number < HEADER_LIMIT &&
           read_at(fd, header, sizeof *header, at) == (long)sizeof *header;
}

/* Where the byte at `address` of the loaded program lies in the file, or 0. */
static uint64_t file_offset(int fd, const ElfW(Ehdr) * elf, uint64_t address)
{
    ElfW(Phdr) header;

    for (unsigned i = 0; read_header(fd, elf, i, &header); i++) {
        if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
            address - header.p_vaddr < header.p_filesz)
            return address - header.p_vaddr + header.p_offset;
    }
    return 0;
}

static bool has_text_at(int fd, uint64_t offset, const char *text)
{
    char found[TEXT_LIMIT];
    size_t length = strlen(text);

    return read_at(fd, found, length, offset) == (long)length &&
           memcmp(found, text, length) == 0;
}

/* What the dynamic section says: enough to tell three cases apart. */
struct needs {
    bool has_name;       /* a shared object, such as the loader itself */
    unsigned libraries;  /* how many are needed */
    uint64_t text_table; /* its address */
};

static struct needs read_needs(int fd, const ElfW(Phdr) * dynamic)
{
    struct needs needs = { false, 0, 0 };
    ElfW(Dyn) entry;

    for (uint64_t at = 0; at < dynamic->p_filesz; at += sizeof entry) {
        if (read_at(fd, &entry, sizeof entry, dynamic->p_offset + at) !=
                (long)sizeof entry ||
            entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_SONAME)
            needs.has_name = true;
        else if (entry.d_tag == DT_STRTAB)
            needs.text_table = entry.d_un.d_ptr;
        else if (entry.d_tag == DT_NEEDED)
            needs.libraries++;
    }
    return needs;
}

static bool is_runtime_at(int fd, uint64_t offset)
{
    char name[TEXT_LIMIT + 1];
    long length = read_at(fd, name, TEXT_LIMIT, offset);

    if (length <= 0)
        return false;
    name[length] = '\0';
    return sanitizer_runtime_of(name) != NULL;
}

static bool is_sanitized(int fd, const ElfW(Ehdr) * elf,
                         const ElfW(Phdr) * dynamic, struct needs needs)
{
    uint64_t table = file_offset(fd, elf, needs.text_table);
    uint64_t at = dynamic->p_offset;
    ElfW(Dyn) entry;

    /* They were counted, so as many are read again. */
    for (; table != 0 && needs.libraries > 0; at += sizeof entry) {
        if (read_at(fd, &entry, sizeof entry, at) != (long)sizeof entry)
            return false;
        if (entry.d_tag != DT_NEEDED)
            continue;
        if (is_runtime_at(fd, table + entry.d_un.d_val))
            return true;
        needs.libraries--;
    }
    return false;
}

static bool is_musl(int fd, const ElfW(Phdr) * interpreter)
{
    return has_text_at(fd, interpreter->p_offset, "/lib/ld-musl");
}

static enum executable_kind look_at_headers(int fd, const ElfW(Ehdr) * elf)
{
    bool has_loader = false, is_foreign = false, has_runtime = false;
    ElfW(Phdr) header;
    unsigned i;

    for (i = 0; read_header(fd, elf, i, &header); i++) {
        if (header.p_type == PT_INTERP) {
            has_loader = true;
            is_foreign |= is_musl(fd, &header);
        } else if (header.p_type == PT_DYNAMIC) {
            struct needs needs = read_needs(fd, &header);

            has_loader |= needs.has_name;
            has_runtime |= is_sanitized(fd, elf, &header, needs);
        }
    }
    if (is_foreign)
        return EXECUTABLE_FOREIGN;
    if (has_runtime)
        return EXECUTABLE_SANITIZED;
    if (!has_loader && i == elf->e_phnum)
        return EXECUTABLE_STATIC;
    return is_privileged(fd) ? EXECUTABLE_SETUID : EXECUTABLE_DYNAMIC;
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
    if (elf.e_ident[EI_CLASS] == OTHER_CLASS)
        return EXECUTABLE_FOREIGN;
    if (elf.e_phentsize != sizeof(ElfW(Phdr)))
        return EXECUTABLE_DYNAMIC; /* damaged: the kernel will say so */
    return look_at_headers(fd, &elf);
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
