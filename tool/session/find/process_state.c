/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_state.c - read /proc/PID; see proc(5), and the kernel's document on
 * pagemap
 *
 * An entry of smaps is a line as in /proc/PID/maps, then lines "NAME: VALUE".
 * Unknown lines of newer kernels are skipped.
 */
#include "tool/session/find/process_facts.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/text_after.h"
#include "tool/files/files.h"

enum { PAGES_IN_TURN = 512, IS_EXITING = 4 /* the kernel's PF_EXITING */ };

#define MOST_PAGES_LOOKED_AT (UINT64_C(1) << 22) /* 16 GiB */

static const struct {
    char name[3];
    uint32_t flag;
} flag_names[] = {
    { "dd", SMAPS_NOT_DUMPED },
    { "nh", SMAPS_NO_HUGE_PAGES },
    { "nr", SMAPS_NO_RESERVE },
};

bool process_next(struct process_walk *walk)
{
    struct dirent *entry;

    if (walk->pid == 0)
        walk->folder = opendir("/proc");
    while (walk->folder != NULL && (entry = readdir(walk->folder)) != NULL) {
        walk->pid = (pid_t)atol(entry->d_name);
        if (walk->pid > 0)
            return true;
    }
    process_walk_end(walk);
    return false;
}

void process_walk_end(struct process_walk *walk)
{
    if (walk->folder != NULL)
        closedir(walk->folder);
    walk->folder = NULL;
}

int process_open(pid_t pid, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return open(path, O_RDONLY | O_CLOEXEC);
}

int process_program_read(pid_t pid, char path[PATH_MAX])
{
    static const char deleted[] = " (deleted)";
    const size_t end = sizeof deleted - 1;
    char link[32];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/%ld/exe", (long)pid);
    length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    if (length > (ssize_t)end && strcmp(path + length - end, deleted) == 0)
        path[(size_t)length - end] = '\0';
    return length < 0 ? -1 : 0;
}

FILE *process_file(pid_t pid, const char *name)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return fopen(path, "re");
}

void process_status_words(pid_t pid, const char *key, char words[256])
{
    FILE *file = process_file(pid, "status");
    const char *found = NULL;

    while (file != NULL && found == NULL && fgets(words, 256, file) != NULL)
        found = text_after(words, key);
    memmove(words, found == NULL ? "" : found,
            found == NULL ? 1 : strlen(found) + 1);
    words[strcspn(words, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
}

uint64_t process_status_read(pid_t pid, const char *key, int base)
{
    char words[256];

    process_status_words(pid, key, words);
    return strtoull(words, NULL, base);
}

void process_rights_read(pid_t pid, char rights[PROCESS_RIGHTS])
{
    static const char *const keys[] = { "Uid:", "Gid:", "CapPrm:", "CapEff:",
                                        "Groups:" };
    size_t length = 0;
    char words[256];

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        process_status_words(pid, keys[i], words);
        length += (size_t)snprintf(rights + length, PROCESS_RIGHTS - length,
                                   "%.200s\n", words);
    }
}

uid_t process_user(pid_t pid)
{
    char words[256];
    uid_t user = (uid_t)-1;

    process_status_words(pid, "Uid:", words);
    (void)!sscanf(words, "%*u %*u %*u %u", &user);
    return user;
}

int process_state_read(pid_t pid, struct process_state *state)
{
    char text[1024];
    const char *behind;
    unsigned flags;
    long threads;
    ssize_t length;
    int fd = process_open(pid, "stat");

    if (fd < 0)
        return -1;
    length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0) {
        errno = ESRCH;
        return -1;
    }
    text[length] = '\0';
    /* The name may hold anything, so fields are counted from its last ')'. */
    behind = strrchr(text, ')');
    if (behind == NULL ||
        sscanf(behind,
               ") %c %d %*s %*s %*s %*s %u %*s %*s %*s %*s %*s %*s %*s %*s "
               "%*s %*s %ld %*s %" SCNu64,
               &state->letter, &state->parent, &flags, &threads,
               &state->start_ticks) != 5) {
        errno = EIO;
        return -1;
    }
    /* A living process may have a zombie as its first thread. */
    state->has_ended =
        state->letter == 'X' ||
        (threads <= 1 && (state->letter == 'Z' || (flags & IS_EXITING) != 0));
    return 0;
}

bool process_is_alive(pid_t pid, uint64_t start_ticks)
{
    struct process_state state;

    if (process_state_read(pid, &state) < 0)
        return errno != ENOENT && errno != ESRCH;
    if (start_ticks != 0 && start_ticks != state.start_ticks)
        return false;
    return !state.has_ended;
}

/* Read a line START-END ACCESS OFFSET DEVICE INODE PATH. Return false if the
   line has another form. */
static bool begin(struct smaps_entry *entry, char *line)
{
    struct smaps_entry found = { 0 };
    size_t length;
    int path = 0;

    if (!isdigit((unsigned char)line[0]) && !islower((unsigned char)line[0]))
        return false;
    if (sscanf(line,
               "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %15s %" SCNu64 " %n",
               &found.start, &found.end, found.access, &found.offset,
               found.device, &found.inode, &path) != 6 ||
        found.start >= found.end)
        return false;
    length = strcspn(line + path, "\n");
    line[(size_t)path + length] = '\0';
    if (length >= sizeof found.path)
        path += (int)(length - (sizeof found.path - 1));
    strcpy(found.path, line + path);
    *entry = found;
    return true;
}

static void read_flags(struct smaps_entry *entry, const char *line)
{
    for (size_t i = 0; i < sizeof flag_names / sizeof flag_names[0]; i++) {
        if (strstr(line, flag_names[i].name) != NULL)
            entry->flags |= flag_names[i].flag;
    }
}

/* Add the value of a line to its field. Two names may share a field. */
static void read_value(struct smaps_entry *entry, const char *line)
{
    static const struct {
        const char *name;
        size_t field;
    } values[] = {
        { "Rss:", offsetof(struct smaps_entry, resident) },
        { "AnonHugePages:", offsetof(struct smaps_entry, huge) },
        { "Shared_Clean:", offsetof(struct smaps_entry, shared) },
        { "Shared_Dirty:", offsetof(struct smaps_entry, shared) },
        { "Swap:", offsetof(struct smaps_entry, swapped) },
    };
    size_t length = strcspn(line, ":") + 1;
    uint64_t kilobytes;

    if (strncmp(line, "VmFlags:", 8) == 0)
        read_flags(entry, line + 8);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint64_t *value = (void *)((char *)entry + values[i].field);

        if (strncmp(line, values[i].name, length) == 0 &&
            sscanf(line + length, "%" SCNu64, &kilobytes) == 1 &&
            kilobytes <= (entry->end - entry->start - *value) / 1024)
            *value += kilobytes * 1024;
    }
}

/* Drop an entry that occurs twice. The kernel continues at the end of the last
   entry, and repeats a mapping that meanwhile grew beyond it. */
static void settle_grown(struct smaps *smaps, struct smaps_entry *entry)
{
    if (smaps->next.end == 0 || smaps->next.start >= entry->end)
        return;
    *entry = smaps->next;
    smaps->next.end = 0;
}

bool smaps_next(struct smaps *smaps, struct smaps_entry *entry)
{
    *entry = smaps->next;
    smaps->next.end = 0;
    while (smaps->next.end == 0 && smaps->file != NULL &&
           getline(&smaps->line, &smaps->capacity, smaps->file) > 0) {
        if (!begin(entry->end == 0 ? entry : &smaps->next, smaps->line))
            read_value(entry, smaps->line);
        settle_grown(smaps, entry);
    }
    return entry->end != 0;
}

void smaps_end(struct smaps *smaps)
{
    free(smaps->line);
    if (smaps->file != NULL)
        fclose(smaps->file);
    *smaps = (struct smaps){ .file = NULL };
}

/* Open `path` in the root of process `pid` without following links, for fstat()
   only. */
static int find_in_root(pid_t pid, const char *path)
{
    static const struct open_how how = {
        .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS
    };
    char name[64];
    int root, place;

    snprintf(name, sizeof name, "/proc/%ld/root", (long)pid);
    root = open(name, O_PATH | O_CLOEXEC);
    if (root < 0)
        return -1;
    place = (int)syscall(SYS_openat2, root, path, &how, sizeof how);
    /* Linux before 5.6, or a container's filter. The caller still checks the
       file. */
    if (place < 0 && (errno == ENOSYS || errno == EPERM))
        place = openat(root, path + strspn(path, "/"),
                       O_PATH | O_NOFOLLOW | O_CLOEXEC);
    close(root);
    return place;
}

/* Return true if device and inode equal those of a mapping, as the kernel
   shows them: fstat() shows others on btrfs and overlayfs. The page cannot
   be read. */
static bool is_mapped_file(int fd, const struct smaps_entry *entry)
{
    void *page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, fd, 0);
    struct smaps maps = { .file = process_file(getpid(), "maps") };
    struct smaps_entry own;
    bool is_same = false;

    while (!is_same && smaps_next(&maps, &own))
        is_same = own.start == (uintptr_t)page && own.inode == entry->inode &&
                  strcmp(own.device, entry->device) == 0;
    smaps_end(&maps);
    if (page != MAP_FAILED)
        munmap(page, 1);
    return is_same;
}

int process_mapped_open(pid_t pid, const struct smaps_entry *entry)
{
    char path[64];
    struct stat status;
    int place, fd;

    snprintf(path, sizeof path, "/proc/%ld/map_files/%" PRIx64 "-%" PRIx64,
             (long)pid, entry->start, entry->end);
    fd = regular_file_open(AT_FDCWD, path, O_RDONLY);
    if (fd >= 0)
        return fd;
    place = find_in_root(pid, entry->path);
    if (place < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    fd = regular_file_open(AT_FDCWD, path, O_RDONLY);
    close(place);
    if (fd < 0 || (fstat(fd, &status) == 0 &&
                   ((status.st_mode & S_IROTH) != 0 ||
                    status.st_uid == process_user(pid)) &&
                   is_mapped_file(fd, entry)))
        return fd;
    close(fd);
    return -1;
}

bool pagemap_read(int pagemap, uint64_t page, size_t count, uint64_t *words)
{
    size_t size = count * sizeof *words;

    return page <= INT64_MAX / sizeof *words - count &&
           pread(pagemap, words, size, (off_t)(page * sizeof *words)) ==
               (ssize_t)size;
}

bool present_pages_count(int pagemap, uint64_t start, uint64_t end,
                         uint64_t *bytes)
{
    uint64_t page = start / PAGE_BYTES, limit = end / PAGE_BYTES;
    uint64_t words[PAGES_IN_TURN];
    size_t count;

    *bytes = 0;
    if (limit - page > MOST_PAGES_LOOKED_AT)
        return false;
    for (; page < limit; page += count) {
        count = limit - page < PAGES_IN_TURN ? (size_t)(limit - page)
                                             : PAGES_IN_TURN;
        if (!pagemap_read(pagemap, page, count, words))
            return false;
        for (size_t i = 0; i < count; i++)
            *bytes += (words[i] & PAGE_IS_PRESENT) != 0 ? PAGE_BYTES : 0;
    }
    return true;
}
