/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps_library.c - a library's own mmap, munmap and mremap, like tcmalloc's
 *
 * They end in syscall(), or, with BY_MMAP64, mmap ends in libc's mmap64. To
 * find aligned address space, mmap maps more and unmaps the rest.
 */
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/recorder/victims/victim.h"

enum { PAGE = 4096 };

static long map(void *at, size_t size, int protection, int flags, int fd,
                off_t offset)
{
#ifdef BY_MMAP64
    return (long)(intptr_t)mmap64(at, size, protection, flags, fd, offset);
#else
    return syscall(SYS_mmap, at, size, protection, flags, fd, offset);
#endif
}

static void *map_aligned(size_t size, int protection, int flags)
{
    size_t pages = (size + PAGE - 1) / PAGE * PAGE;
    long at = map(NULL, pages + PAGE, protection, flags, -1, 0);

    if (at != -1 && syscall(SYS_munmap, at + (long)pages, PAGE) != 0)
        victim_fail("munmap\n");
    return (void *)(intptr_t)at;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd,
           off_t offset)
{
    if (at == NULL && fd < 0 && size < SIZE_MAX / 4)
        return map_aligned(size, protection, flags);
    return (void *)(intptr_t)map(at, size, protection, flags, fd, offset);
}

int munmap(void *at, size_t size)
{
    return (int)syscall(SYS_munmap, at, size);
}

void *mremap(void *old, size_t old_size, size_t new_size, int flags, ...)
{
    va_list arguments;
    void *target;

    va_start(arguments, flags);
    target = va_arg(arguments, void *);
    va_end(arguments);
    return (void *)(intptr_t)syscall(SYS_mremap, old, old_size, new_size, flags,
                                     target);
}
