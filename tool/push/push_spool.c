/* SPDX-License-Identifier: Apache-2.0 */
/* push_spool.c - see push.h */
#include "tool/push/push.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/files/files.h"
#include "tool/tables/tables.h"

bool push_profile_parse(char *file, size_t size, struct push_profile *profile)
{
    char *end = memchr(file, '\n', size);
    int length = 0;

    if (end == NULL)
        return false;
    *end = '\0';
    profile->bytes = end + 1;
    sscanf(file, "tally push 1 %19" SCNu64 " %19" SCNu64 " %36s %15zu %n",
           &profile->from_ns, &profile->until_ns, profile->id, &profile->size,
           &length);
    profile->name = file + length;
    return length > 0 && profile->size == size - (size_t)(end + 1 - file);
}

/* Return true if the process of "PID-START.tally" has ended; false for other
   names. */
static bool accounts_have_ended(const char *name)
{
    int pid, end = 0;

    sscanf(name, "%d-%*16[0-9a-f].tally%n", &pid, &end);
    return end > 0 && name[end] == '\0' && kill(pid, 0) < 0 && errno == ESRCH;
}

/* Find the oldest profile, and return the bytes of all. Remove ledgers of
   processes that have ended. */
static uint64_t scan(struct push_spool *spool)
{
    DIR *folder = fdopendir(openat(spool->folder, ".", O_RDONLY | O_CLOEXEC));
    struct dirent *entry;
    struct stat file;
    uint64_t bytes = 0;

    spool->oldest[0] = '\0';
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *name = entry->d_name;

        if (accounts_have_ended(name))
            unlinkat(spool->folder, name, 0);
        if (strlen(name) != 29 || strcmp(name + 24, ".push") != 0 ||
            fstatat(spool->folder, name, &file, AT_SYMLINK_NOFOLLOW) < 0 ||
            S_ISDIR(file.st_mode))
            continue;
        bytes += (uint64_t)file.st_size;
        if (spool->oldest[0] == '\0' || strcmp(name, spool->oldest) < 0)
            strcpy(spool->oldest, name);
    }
    if (folder != NULL)
        closedir(folder);
    return bytes;
}

int push_spool_open(struct push_spool *spool, const char *path, uint64_t limit)
{
    char inside[PATH_MAX];
    struct stat folder;

    *spool = (struct push_spool){ .limit = limit };
    if (mkdir(path, 0700) < 0 && errno != EEXIST)
        return -1;
    spool->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (spool->folder < 0 || fstat(spool->folder, &folder) < 0)
        return -1;
    errno = EPERM;
    if (folder.st_uid != geteuid() || (folder.st_mode & 022) != 0 ||
        flock(spool->folder, LOCK_EX | LOCK_NB) < 0)
        return -1;
    snprintf(inside, sizeof inside, "%s/", path);
    return output_try(inside);
}

void push_spool_close(struct push_spool *spool)
{
    close(spool->folder);
    free(spool->held);
}

bool push_spool_remove(struct push_spool *spool)
{
    return unlinkat(spool->folder, spool->oldest, 0) == 0;
}

int push_spool_add(struct push_spool *spool, const char *file,
                   const struct push_profile *profile)
{
    FILE *out;
    int fd;

    unlinkat(spool->folder, "push.new", 0); /* left by a killed process */
    fd = openat(spool->folder, "push.new",
                O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    out = memory_or_exit(fdopen(fd, "w"));
    fprintf(out, "tally push 1 %" PRIu64 " %" PRIu64 " %s %zu %s\n",
            profile->from_ns, profile->until_ns, profile->id, profile->size,
            profile->name);
    fwrite(profile->bytes, 1, profile->size, out);
    if ((ferror(out) | fclose(out)) != 0 ||
        renameat(spool->folder, "push.new", spool->folder, file) < 0)
        return -1;
    while (scan(spool) > spool->limit && push_spool_remove(spool))
        spool->dropped++;
    return 0;
}

static bool is_read(struct push_spool *spool, struct push_profile *profile)
{
    int fd = regular_file_open(spool->folder, spool->oldest, O_RDONLY);
    struct stat file;
    size_t size = 0;

    if (fd >= 0 && fstat(fd, &file) == 0 &&
        (uint64_t)file.st_size <= spool->limit)
        size = (size_t)file.st_size;
    free(spool->held);
    spool->held = memory_zeroed(size + 1, 1);
    if (size != 0 && regular_file_read(fd, spool->held, size, 0) < 0)
        size = 0;
    if (fd >= 0)
        close(fd);
    return push_profile_parse(spool->held, size, profile);
}

bool push_spool_read(struct push_spool *spool, struct push_profile *profile)
{
    for (; scan(spool), spool->oldest[0] != '\0'; spool->dropped++) {
        if (is_read(spool, profile))
            return true;
        if (!push_spool_remove(spool))
            return false;
    }
    return false;
}
