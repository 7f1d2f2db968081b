/* SPDX-License-Identifier: Apache-2.0 */
/* regular_file.c - see files.h */
#include "tool/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static _Thread_local unsigned only_regular; /* calls with true */
static _Thread_local regular_file_replace_fn *replacement;

static int call_open(int folder, const char *path, int flags, mode_t mode)
{
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

/* Return true if the file is regular and not made by the kernel as it is read:
   /proc/kmsg never ends, and reading it takes messages away from others. */
static bool is_stored(int place)
{
    struct stat status;
    struct statfs system;

    return fstat(place, &status) == 0 && S_ISREG(status.st_mode) &&
           fstatfs(place, &system) == 0 && system.f_type != PROC_SUPER_MAGIC &&
           system.f_type != SYSFS_MAGIC && system.f_type != TRACEFS_MAGIC &&
           system.f_type != DEBUGFS_MAGIC;
}

/* Open the file that was checked, although its name may lead elsewhere by now.
   */
int regular_file_open(int folder, const char *path, int flags)
{
    int place =
        call_open(folder, path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW), 0);
    char again[64];
    int fd = -1;
    int error = EMEDIUMTYPE;

    if (place < 0)
        return -1;
    if (is_stored(place)) {
        snprintf(again, sizeof again, "/proc/self/fd/%d", place);
        /* Do not wait for a lease. */
        fd = call_open(AT_FDCWD, again,
                       (flags & ~O_NOFOLLOW) | O_CLOEXEC | O_NONBLOCK, 0);
        error = errno;
    }
    close(place);
    errno = error;
    return fd;
}

const char *regular_file_error(void)
{
    return errno == EMEDIUMTYPE ? "not a regular file" : strerror(errno);
}

int regular_file_read(int fd, void *to, size_t size, uint64_t from)
{
    unsigned char *out = to;

    while (size > 0) {
        ssize_t got = pread(fd, out, size, (off_t)from);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got == 0 ? EIO : errno;
            return -1;
        }
        out += got;
        from += (uint64_t)got;
        size -= (size_t)got;
    }
    return 0;
}

int regular_file_read_data(int fd, void *to, size_t size, uint64_t from,
                           uint64_t *left)
{
    uint64_t end = from + size;
    uint64_t at = from;

    while (at < end) {
        off_t data = lseek(fd, (off_t)at, SEEK_DATA);
        off_t hole;

        if (data < 0)
            return errno == ENXIO ? 0 : -1;
        if ((uint64_t)data >= end)
            return 0;
        hole = lseek(fd, data, SEEK_HOLE);
        if (hole < 0)
            return -1;
        at = (uint64_t)hole < end ? (uint64_t)hole : end;
        if (at - (uint64_t)data > *left)
            return 0;
        *left -= at - (uint64_t)data;
        if (regular_file_read(fd, (char *)to + ((uint64_t)data - from),
                              (size_t)(at - (uint64_t)data),
                              (uint64_t)data) < 0)
            return -1;
    }
    return 0;
}

void regular_file_only(bool is_on)
{
    only_regular += is_on ? 1U : -1U;
}

void regular_file_replace(regular_file_replace_fn *replace)
{
    replacement = replace;
}

/* Replace libc's open(), because libdw has no hook for the files that it opens.
   */
__attribute__((visibility("default"))) int open(const char *path, int flags,
                                                ...)
{
    mode_t mode = 0;
    va_list rest;

    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    } else if (only_regular != 0 && (flags & (O_PATH | O_DIRECTORY)) == 0) {
        int file = regular_file_open(AT_FDCWD, path, flags);

        return replacement == NULL ? file : replacement(path, file);
    }
    return call_open(AT_FDCWD, path, flags, mode);
}
