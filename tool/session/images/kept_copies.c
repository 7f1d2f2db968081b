/* SPDX-License-Identifier: Apache-2.0 */
/* kept_copies.c - see images.h */
#define _GNU_SOURCE
#include "tool/session/images/images.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PREFIX_SIZE = 208 };

#define SET_APART (UINT64_C(16) << 20) /* room of each file, bytes */
#define SECOND    UINT64_C(1000000000)

/* Create a file without a name and allocate its room. Return -1 with errno on
   error. */
static int set_apart(const char *folder, unsigned times)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    int error =
        fd < 0 ? errno : posix_fallocate(fd, 0, times * (off_t)SET_APART);

    if (error == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    errno = error;
    return -1;
}

int kept_copies_try(const char *folder)
{
    int fd = set_apart(folder, KEPT_COPIES + 1);

    return fd < 0 ? -1 : close(fd);
}

static void make_name(const struct kept_copies *kept, pid_t pid,
                      char name[PATH_MAX])
{
    uint64_t now = clock_ns(CLOCK_REALTIME);
    time_t seconds = (time_t)(now / SECOND);
    char when[32], *end;
    struct tm parts;

    ledger_file_name(kept->folder, kept->program, pid, name);
    end = strrchr(name, '.');
    strftime(when, sizeof when, "%Y%m%dT%H%M%S", gmtime_r(&seconds, &parts));
    snprintf(end, (size_t)(name + PATH_MAX - end), ".%s.%03u.tally", when,
             (unsigned)(now % SECOND / 1000000));
}

/* Return the time in the name of a copy, or NULL. */
static const char *time_in(const char *prefix, const char *name)
{
    size_t length = strlen(prefix);
    int at = 0, end = 0;

    if (strncmp(name, prefix, length) != 0)
        return NULL;
    name += length;
    (void)sscanf(name, "%*[0-9].%n%*8[0-9]T%*6[0-9].%*3[0-9].tally%n", &at,
                 &end);
    return end == 0 || name[end] != '\0' ? NULL : name + at;
}

/* Remove the oldest copy if there are more than KEPT_COPIES, over all runs. The
   last written one stays even if the clock was set back. Return true if one was
   removed. */
static bool remove_oldest(const struct kept_copies *kept)
{
    char prefix[PREFIX_SIZE], oldest[NAME_MAX + 1] = "", path[PATH_MAX];
    const char *newest = strrchr(kept->written, '/');
    const char *slash = strrchr(kept->program, '/');
    DIR *folder = opendir(kept->folder);
    struct dirent *entry;
    unsigned count = 0;

    snprintf(prefix, PREFIX_SIZE, "%.200s.",
             slash == NULL ? kept->program : slash + 1);
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *time = time_in(prefix, entry->d_name);

        count += time != NULL;
        if (time == NULL ||
            (newest != NULL && strcmp(entry->d_name, newest + 1) == 0))
            continue;
        if (oldest[0] == '\0' || strcmp(time, time_in(prefix, oldest)) < 0)
            strcpy(oldest, entry->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    snprintf(path, sizeof path, "%.*s%s", PATH_MAX - 300, kept->folder, oldest);
    return count > KEPT_COPIES && unlink(path) == 0;
}

/* Allocate room again at once, before others take that of a removed copy. */
static void refill(struct kept_copies *kept)
{
    for (size_t i = 0; kept->missing > 0 && i <= KEPT_COPIES; i++) {
        if (kept->files[i] >= 0)
            continue;
        kept->files[i] = set_apart(kept->folder, 1);
        if (kept->files[i] < 0)
            return;
        kept->missing--;
    }
}

void kept_copies_begin(struct kept_copies *kept)
{
    /* An earlier run may have lacked the memory to remove a copy. */
    while (remove_oldest(kept))
        ;
    memset(kept->files, -1, sizeof kept->files);
    kept->missing = KEPT_COPIES + 1;
    refill(kept);
}

int kept_copies_write(struct kept_copies *kept,
                      const struct ledger_snapshot *copy, pid_t pid,
                      enum kept_copies_haste haste)
{
    char name[PATH_MAX], path[32];
    int *file = kept->files, error;

    while (*file < 0 && file < kept->files + KEPT_COPIES)
        file++;
    if (*file < 0) {
        *file = set_apart(kept->folder, 1);
        if (*file < 0)
            return errno;
        kept->missing -= kept->missing > 0;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", *file);
    error = ledger_file_fill(copy, *file, haste == KEPT_COPIES_PAST_CACHE) < 0
                ? errno
                : EEXIST;
    while (error == EEXIST) { /* one name per millisecond */
        make_name(kept, pid, name);
        error = linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0
                    ? errno
                    : 0;
    }
    if (error == 0)
        strcpy(kept->written, name);
    if (error == 0 && haste == KEPT_COPIES_TO_DISK)
        fdatasync(*file);
    close(*file);
    *file = -1;
    kept->missing += error != 0;
    while (error == 0 && remove_oldest(kept))
        kept->missing++;
    refill(kept);
    return error;
}
