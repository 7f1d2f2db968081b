/* SPDX-License-Identifier: Apache-2.0 */
/* debug_file.c - see patch.h */
#include "tool/patch/patch.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/files/files.h"

enum { ID_CAPACITY = 64 };

static bool is_same(Elf *program, Elf *debug)
{
    const void *expected, *found;
    ssize_t size = dwelf_elf_gnu_build_id(program, &expected);

    return size > 0 && dwelf_elf_gnu_build_id(debug, &found) == size &&
           memcmp(expected, found, (size_t)size) == 0;
}

static Elf *open_same(Elf *program, const char *path, int *fd)
{
    Elf *debug;

    *fd = regular_file_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    debug = *fd < 0 ? NULL : elf_begin(*fd, ELF_C_READ, NULL);
    if (debug != NULL && is_same(program, debug))
        return debug;
    elf_end(debug);
    if (*fd >= 0)
        close(*fd);
    return NULL;
}

static Elf *open_by_id(Elf *program, int *fd)
{
    char path[sizeof "/usr/lib/debug/.build-id/" + 2 * ID_CAPACITY + 8];
    const void *id;
    const uint8_t *bytes;
    ssize_t size = dwelf_elf_gnu_build_id(program, &id);
    int length;

    if (size < 2 || size > ID_CAPACITY)
        return NULL;
    bytes = id;
    length = sprintf(path, "/usr/lib/debug/.build-id/%02x/", bytes[0]);
    for (ssize_t i = 1; i < size; i++)
        length += sprintf(path + length, "%02x", bytes[i]);
    strcpy(path + length, ".debug");
    return open_same(program, path, fd);
}

static Elf *open_beside(int program_fd, Elf *program, int *fd)
{
    static const char *const folders[] = { "", ".debug/" };
    char link[32], program_path[PATH_MAX], path[2 * PATH_MAX];
    GElf_Word sum;
    const char *name = dwelf_elf_gnu_debuglink(program, &sum);
    ssize_t length;
    Elf *debug = NULL;

    snprintf(link, sizeof link, "/proc/self/fd/%d", program_fd);
    length = readlink(link, program_path, sizeof program_path);
    while (length > 0 && program_path[length - 1] != '/')
        length--;
    for (size_t i = 0; name != NULL && length > 0 && debug == NULL && i < 2;
         i++) {
        int size = snprintf(path, sizeof path, "%.*s%s%s", (int)length,
                            program_path, folders[i], name);

        if (size < (int)sizeof path)
            debug = open_same(program, path, fd);
    }
    return debug;
}

Elf *debug_file_open(int program_fd, Elf *program, int *fd)
{
    Elf *debug = open_by_id(program, fd);

    return debug != NULL ? debug : open_beside(program_fd, program, fd);
}
