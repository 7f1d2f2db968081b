/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_file.c - write sparse pages under a temporary name, then rename */
#include "tool/session/images/images.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/files/files.h"

enum { MOST_SUFFIXES = 100000, FEW_PARTS = 1 << 20 };

void ledger_file_folder(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        strcpy(folder, ".");
    else
        snprintf(folder, PATH_MAX, "%.*s",
                 slash == path ? 1 : (int)(slash - path), path);
}

void ledger_file_name(const char *folder, const char *program, pid_t pid,
                      char path[PATH_MAX])
{
    const char *slash = strrchr(program, '/');

    snprintf(path, PATH_MAX, "%.*s%.200s.%ld.tally", PATH_MAX - 300, folder,
             slash == NULL ? program : slash + 1, (long)pid);
}

void ledger_file_choose(char path[PATH_MAX])
{
    char images[PATH_MAX + 8];
    struct stat status;
    size_t length = strlen(path);

    for (unsigned number = 1; number < MOST_SUFFIXES; number++) {
        snprintf(images, sizeof images, "%s.d", path);
        if (lstat(path, &status) < 0 && lstat(images, &status) < 0)
            return;
        snprintf(path + length, PATH_MAX - length, ".%u", number);
    }
}

static int write_bytes(int fd, const unsigned char *bytes, size_t size,
                       size_t offset)
{
    size_t done = 0;

    while (done < size) {
        ssize_t put =
            pwrite(fd, bytes + done, size - done, (off_t)(offset + done));

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

/* Ask for the words of the snapshot's pages; return NULL if there are none. */
static uint64_t *find_pages(const struct ledger_snapshot *snapshot)
{
    size_t count = snapshot->size / LEDGER_PAGE;
    uint64_t *words = malloc((count + 1) * sizeof *words);
    int pagemap = process_open(getpid(), "pagemap");

    if (words != NULL &&
        !pagemap_read(pagemap, (uintptr_t)snapshot->bytes / LEDGER_PAGE, count,
                      words)) {
        free(words);
        words = NULL;
    }
    if (pagemap >= 0)
        close(pagemap);
    return words;
}

/* Return true for a unit of zeros, as a page is that was never touched: reading
   it would take a page. */
static bool is_zero(const unsigned char *unit, size_t size,
                    const uint64_t *page)
{
    const uint64_t is_touched = PAGE_IS_PRESENT | PAGE_IS_SWAPPED;

    return (page != NULL && (*page & is_touched) == 0) ||
           (unit[0] == 0 && memcmp(unit, unit + 1, size - 1) == 0);
}

/* Write units of the snapshot. Zero units become holes; others between two
   holes are written at once. */
static int write_sparse(int fd, const struct ledger_snapshot *snapshot,
                        size_t unit)
{
    uint64_t *pages = unit == LEDGER_PAGE ? find_pages(snapshot) : NULL;
    size_t begin = 0, next;
    int result = 0;

    for (size_t at = 0; at < snapshot->size && result == 0; at = next) {
        next = snapshot->size - at < unit ? snapshot->size : at + unit;
        if (!is_zero(snapshot->bytes + at, next - at,
                     pages == NULL ? NULL : &pages[at / LEDGER_PAGE]))
            continue;
        result = write_bytes(fd, snapshot->bytes + begin, at - begin, begin);
        begin = next;
    }
    free(pages);
    if (result < 0 || write_bytes(fd, snapshot->bytes + begin,
                                  snapshot->size - begin, begin) < 0)
        return -1;
    return ftruncate(fd, (off_t)snapshot->size);
}

int ledger_file_fill(const struct ledger_snapshot *snapshot, int fd,
                     bool is_direct)
{
    int flags = fcntl(fd, F_GETFL);

    if (is_direct)
        (void)fcntl(fd, F_SETFL, flags | O_DIRECT);
    if (write_sparse(fd, snapshot, FEW_PARTS) == 0)
        return 0;
    /* A file system may refuse direct writes at the first one. */
    return errno == EINVAL && fcntl(fd, F_SETFL, flags) == 0
               ? write_sparse(fd, snapshot, FEW_PARTS)
               : -1;
}

/* Name the file `path`; fail with EEXIST if that exists. A file without a name
   has a link in /proc. */
static int take_name(const char *temporary, const char *path)
{
    if (linkat(AT_FDCWD, temporary, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0) {
        unlink(temporary);
        return 0;
    }
    /* This file system has no hard links. */
    return errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS
               ? renameat2(AT_FDCWD, temporary, AT_FDCWD, path,
                           RENAME_NOREPLACE)
               : -1;
}

static int take_free_name(const char *temporary, const char *path,
                          unsigned number, char written[PATH_MAX])
{
    int length = snprintf(written, PATH_MAX, "%s", path);

    for (; number < MOST_SUFFIXES; number++) {
        if (number > 0)
            snprintf(written + length, PATH_MAX - (size_t)length, ".%u",
                     number);
        if (take_name(temporary, written) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

int ledger_file_write(const struct ledger_snapshot *snapshot, const char *path,
                      int number, char written[PATH_MAX])
{
    char folder[PATH_MAX];
    char temporary[PATH_MAX + 64];
    int fd, error;

    if (strlen(path) > PATH_MAX - 64) {
        errno = ENAMETOOLONG;
        return -1;
    }
    ledger_file_folder(path, folder);
    fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    snprintf(temporary, sizeof temporary, "/proc/self/fd/%d", fd);
    if (fd < 0) {
        snprintf(temporary, sizeof temporary, "%s/.tally-%ld.part", folder,
                 (long)getpid());
        unlink(temporary); /* left by an earlier process with our pid */
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (fd < 0)
        return -1;
    /* Some file systems report a full disk only at close(). */
    error = write_sparse(fd, snapshot, LEDGER_PAGE) < 0 || close(dup(fd)) < 0
                ? errno
                : 0;
    if (error == 0 && number == LEDGER_FILE_REPLACES &&
        former_output_remove(path, NULL) < 0)
        error = errno;
    if (error == 0 &&
        take_free_name(temporary, path, number > 0 ? (unsigned)number : 0,
                       written) < 0)
        error = errno;
    if (error != 0)
        unlink(temporary);
    close(fd);
    errno = error;
    return error == 0 ? 0 : -1;
}

int ledger_file_send(const struct ledger_snapshot *snapshot, int fd)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    size_t done = 0;
    ssize_t put = 0;

    while (done < snapshot->size && (put >= 0 || errno == EINTR)) {
        put = write(fd, snapshot->bytes + done, snapshot->size - done);
        done += put > 0 ? (size_t)put : 0;
    }
    signal(SIGPIPE, before);
    return done == snapshot->size ? 0 : -1;
}
