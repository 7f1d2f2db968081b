/* SPDX-License-Identifier: Apache-2.0 */
/* former_output.c - see files.h */
#include "tool/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEPTH = 4 }; /* most folders open at once */

/* Return true for the name PID-GENERATION or a file of a trace. */
static bool is_ours(const char *name)
{
    static const char *const names[] = { "stream", "metadata", "channel0_0",
                                         "channel0_1", ".channel0_0" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return name[strspn(name, "0123456789-")] == '\0';
}

static int judge(const char *path, const struct stat *status, int type,
                 struct FTW *at)
{
    (void)type;
    errno = ENOTEMPTY;
    if (at->level > 0 && !is_ours(path + at->base))
        return -1;
    errno = EMEDIUMTYPE;
    return S_ISREG(status->st_mode) || S_ISDIR(status->st_mode) ? 0 : -1;
}

static int drop(const char *path, const struct stat *status, int type,
                struct FTW *at)
{
    (void)status;
    (void)type;
    (void)at;
    return remove(path);
}

int former_output_check(const char *path, const char *read)
{
    struct stat status, other;

    if (read == NULL || stat(path, &status) < 0 || stat(read, &other) < 0 ||
        status.st_dev != other.st_dev || status.st_ino != other.st_ino)
        return 0;
    errno = EBUSY;
    return -1;
}

int former_output_may_go(const char *path, const char *read)
{
    struct stat status;

    if (lstat(path, &status) < 0)
        return errno == ENOENT ? 0 : -1;
    return former_output_check(path, read) < 0
               ? -1
               : nftw(path, judge, DEPTH, FTW_PHYS);
}

int former_output_remove(const char *path, const char *read)
{
    if (former_output_may_go(path, read) < 0)
        return -1;
    return nftw(path, drop, DEPTH, FTW_PHYS | FTW_DEPTH) < 0 && errno != ENOENT
               ? -1
               : 0;
}

int output_try(const char *path)
{
    char name[PATH_MAX + 16];
    size_t length = strlen(path);
    struct stat status;
    int fd;

    if (lstat(path, &status) < 0) {
        if (errno != ENOENT)
            return -1;
        while (length > 0 && path[length - 1] == '/')
            length--;
    }
    while (length > 0 && path[length - 1] != '/')
        length--;
    snprintf(name, sizeof name, "%.*s.tally-XXXXXX", (int)length, path);
    fd = mkostemp(name, O_CLOEXEC);
    return fd < 0 ? -1 : close(fd) + unlink(name);
}

const char *former_output_error(void)
{
    if (errno == ENOTEMPTY)
        return "it contains files that tally did not write";
    if (errno == EBUSY)
        return "it is the input";
    return regular_file_error();
}
