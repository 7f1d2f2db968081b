/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ledger_file.c - writing ledgers; see ledger_file.h
 *
 * A ledger is written under a temporary name in its own folder and then given
 * its name by a step that fails if the name exists.
 */
#include "tool/session/images/ledger_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ledger/ledger_units.h"

enum { MOST_SUFFIXES = 100000 };

/* The folder part of `path`, "." for none. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        strcpy(folder, ".");
    else
        snprintf(folder, PATH_MAX, "%.*s",
                 slash == path ? 1 : (int)(slash - path), path);
}

int ledger_file_check_place(const char *path, int must_be_new,
                            struct session_failure *failure)
{
    char folder[PATH_MAX];
    char images[PATH_MAX + 8];
    struct stat status;

    /* Room for the longest name that is derived from it. */
    if (strlen(path) > PATH_MAX - 64)
        return session_fail(failure,
                            "record: %.60s...: name too long; use a "
                            "shorter one",
                            path);
    if (strcmp(path, "-") == 0)
        return session_fail(failure, "record: -o -: standard output is the "
                                     "program's; name a file with -o FILE");
    if (*path == '\0' || path[strlen(path) - 1] == '/')
        return session_fail(failure,
                            "record: '%s' is no file name; give one "
                            "with -o FILE",
                            path);
    snprintf(images, sizeof images, "%s.d", path);
    if (must_be_new && lstat(path, &status) == 0)
        return session_fail(failure,
                            "record: %s: exists already; remove it or "
                            "name another with -o FILE",
                            path);
    if (must_be_new && lstat(images, &status) == 0)
        return session_fail(failure,
                            "record: %s: exists already; remove it or "
                            "name another file with -o FILE",
                            images);
    folder_of(path, folder);
    if (stat(folder, &status) == 0 && !S_ISDIR(status.st_mode))
        return session_fail(failure,
                            "record: %s: not a folder; name another "
                            "file with -o FILE",
                            folder);
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) < 0)
        return session_fail(failure,
                            "record: %s: cannot write there: %s; name "
                            "another file with -o FILE",
                            folder, strerror(errno));
    return 0;
}

static bool is_zero(const unsigned char *page)
{
    return page[0] == 0 && memcmp(page, page + 1, LEDGER_PAGE - 1) == 0;
}

static int write_page(int fd, const unsigned char *page, size_t offset)
{
    size_t done = 0;

    while (done < LEDGER_PAGE) {
        ssize_t put =
            pwrite(fd, page + done, LEDGER_PAGE - done, (off_t)(offset + done));

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            errno = put == 0 ? ENOSPC : errno;
            return -1;
        }
        done += (size_t)put;
    }
    return 0;
}

static int write_sparse(int fd, const struct ledger_snapshot *snapshot)
{
    for (size_t at = 0; at < snapshot->size; at += LEDGER_PAGE) {
        const unsigned char *page = snapshot->bytes + at;

        if (!is_zero(page) && write_page(fd, page, at) < 0)
            return -1;
    }
    return ftruncate(fd, (off_t)snapshot->size);
}

/* Name the file `path` unless that name is taken: then -1 with EEXIST. */
static int take_name(const char *temporary, const char *path)
{
    if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* A file system without that: a second name, then without the first. */
    if (link(temporary, path) < 0)
        return -1;
    unlink(temporary);
    return 0;
}

static int take_free_name(const char *temporary, const char *path,
                          char written[PATH_MAX])
{
    snprintf(written, PATH_MAX, "%s", path);
    for (int suffix = 1; suffix < MOST_SUFFIXES; suffix++) {
        if (take_name(temporary, written) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
        snprintf(written, PATH_MAX, "%s.%d", path, suffix);
    }
    return -1;
}

int ledger_file_write(const struct ledger_snapshot *snapshot, const char *path,
                      char written[PATH_MAX], struct session_failure *failure)
{
    char folder[PATH_MAX];
    char temporary[PATH_MAX + 64];
    int fd, error;

    folder_of(path, folder);
    snprintf(temporary, sizeof temporary, "%s/.tally-%ld.part", folder,
             (long)getpid());
    unlink(temporary); /* of an earlier process with our number */
    fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return session_fail(failure, "record: %s: %s; the accounts are lost",
                            path, strerror(errno));
    error = write_sparse(fd, snapshot) < 0 ? errno : 0;
    if (close(fd) < 0 && error == 0)
        error = errno;
    if (error == 0 && take_free_name(temporary, path, written) < 0)
        error = errno;
    if (error == 0)
        return 0;
    unlink(temporary);
    return session_fail(failure,
                        "record: %s: %s; the accounts are lost, make room and "
                        "record again",
                        path, strerror(error));
}
