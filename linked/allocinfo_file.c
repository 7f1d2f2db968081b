/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocinfo_file.c - TALLY_ALLOCINFO=FILE: the table at the end of a program
 *
 * It is written in version 2.0 after the program's exit handlers. A forked
 * child writes none; a program that it runs replaces it. Only a regular file is
 * written, and links are not followed. Errors are not reported: the output is
 * the program's.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tally/allocinfo.h"
#include "tally/port.h"

static pid_t owner;

static int write_piece(const char *text, size_t size, void *context)
{
    return tally_port_write(*(const int *)context, text, size);
}

__attribute__((constructor(101))) static void start(void)
{
    if (tally_port_environment("TALLY_ALLOCINFO") != NULL)
        owner = getpid();
}

/* After the program's own destructors, which may free, and before the tags
   leave. */
__attribute__((destructor(102))) static void finish(void)
{
    static const struct allocinfo_options options = { .version = 2 };
    const char *path = tally_port_environment("TALLY_ALLOCINFO");
    struct stat status;
    int saved = errno, fd;

    if (path == NULL || owner != getpid())
        return; /* a forked child writes none */
    fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
              S_IRUSR | S_IWUSR);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
        ftruncate(fd, 0) == 0)
        allocinfo_write_to(write_piece, &fd, &options);
    if (fd >= 0)
        close(fd);
    errno = saved;
}
