/* SPDX-License-Identifier: Apache-2.0 */
/* memory_limits.c - see process_facts.h */
#define _GNU_SOURCE
#include "tool/session/find/process_facts.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tool/session/session.h"

#define MILLISECOND UINT64_C(1000000)

/* v1 has a number above this if there is no limit */
#define NO_LIMIT (UINT64_C(1) << 62)

enum {
    TEXT_SIZE = 16384,
    COUNTED_FROM = 750, /* per mille */
    GUARDED_TO = 700,   /* the kernel may count a little more than it shows */
    STALLED = 10,       /* per cent of the last ten seconds */
};

static const uint64_t look_ns = 1000 * MILLISECOND;
static const uint64_t count_ns = 100 * MILLISECOND;

/* Files of a group, and the starts of their lines. */
static const struct {
    const char *limit, *high, *files[MEMORY_GROUP_FILES], *idle, *hits;
} versions[2] = {
    { "memory.limit_in_bytes",
      "memory.limit_in_bytes",
      { "memory.usage_in_bytes", "memory.stat", "memory.failcnt",
        "memory.pressure" },
      "total_inactive_file ",
      "" },
    { "memory.max",
      "memory.high",
      { "memory.current", "memory.stat", "memory.events", "memory.pressure" },
      "inactive_file ",
      "max " },
};

/* Read a number from a file. Return `none` if it has none or does not exist. */
static uint64_t number_in(int fd, const char *name, uint64_t none)
{
    char text[TEXT_SIZE];
    ssize_t got = fd < 0 ? 0 : pread(fd, text, TEXT_SIZE - 1, 0);

    text[got < 0 ? 0 : got] = '\0';
    return cgroup_number(text, name, none);
}

static int open_below(const char *folder, const char *name, int how)
{
    char path[PATH_MAX]; /* cgroup_place_find() ensures room for a name */

    snprintf(path, sizeof path, "%.*s/%s", PATH_MAX - 64, folder, name);
    return open(path, how | O_CLOEXEC | O_NONBLOCK);
}

static uint64_t limit_in(const char *folder, const char *name)
{
    int fd = open_below(folder, name, O_RDONLY);
    uint64_t limit = number_in(fd, "", NO_LIMIT);

    if (fd >= 0)
        close(fd);
    return limit;
}

static uint64_t count_hits(const struct memory_limits *limits,
                           const struct memory_group *group)
{
    return number_in(group->files[MEMORY_GROUP_EVENTS],
                     versions[limits->is_second].hits, 0);
}

static uint64_t share_of(uint64_t limit, unsigned per_mille)
{
    return limit / 1000 * per_mille;
}

static int make_wake(const char *folder, int usage, uint64_t limit)
{
    int control = open_below(folder, "cgroup.event_control", O_WRONLY);
    int wake = control < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (wake >= 0 && dprintf(control, "%d %d %" PRIu64, wake, usage,
                             share_of(limit, COUNTED_FROM)) < 0) {
        close(wake);
        wake = -1;
    }
    if (control >= 0)
        close(control);
    return wake;
}

static void add_group(struct memory_limits *limits, const char *folder)
{
    struct memory_group group = {
        .limit = limit_in(folder, versions[limits->is_second].limit),
    };
    uint64_t high = limit_in(folder, versions[limits->is_second].high);

    if (high < group.limit)
        group.limit = high;
    if (group.limit >= NO_LIMIT || limits->count == MEMORY_LIMITS_MOST)
        return;
    for (size_t i = 0; i < MEMORY_GROUP_FILES; i++)
        group.files[i] =
            open_below(folder, versions[limits->is_second].files[i], O_RDONLY);
    group.wake =
        make_wake(folder, group.files[MEMORY_GROUP_USAGE], group.limit);
    group.hits = count_hits(limits, &group);
    limits->groups[limits->count++] = group;
}

/* Visit the process's own group first, then its parents. */
void memory_limits_find(struct memory_limits *limits, FILE *cgroup,
                        FILE *mounts)
{
    struct cgroup_place place;
    char *slash;

    while (limits->count > 0) {
        const struct memory_group *group = &limits->groups[--limits->count];

        for (size_t i = 0; i < MEMORY_GROUP_FILES; i++)
            close(group->files[i]);
        close(group->wake);
    }
    limits->counted_ns = 0;
    if (!cgroup_place_find(cgroup, mounts, &place))
        return;
    limits->is_second = place.is_second;
    do {
        add_group(limits, place.folder);
        slash = strrchr(place.folder, '/');
        *slash = '\0';
    } while ((size_t)(slash - place.folder) >= place.top);
}

static void find_groups(struct memory_limits *limits)
{
    FILE *cgroup = process_file(limits->pid, "cgroup");
    FILE *mounts = fopen("/proc/self/mountinfo", "re");

    if (cgroup != NULL && mounts != NULL)
        memory_limits_find(limits, cgroup, mounts);
    if (cgroup != NULL)
        fclose(cgroup);
    if (mounts != NULL)
        fclose(mounts);
}

void memory_nearness_note(struct memory_nearness *nearness, uint64_t used,
                          uint64_t limit)
{
    unsigned per_mille =
        used >= limit ? 1000 : (unsigned)((double)used * 1000 / (double)limit);

    if (nearness->limit != 0 && per_mille < nearness->per_mille)
        return;
    nearness->per_mille = per_mille;
    nearness->limit = limit;
    nearness->used = used;
}

static void look_at_group(struct memory_limits *limits,
                          struct memory_group *group, bool is_counted,
                          struct memory_nearness *nearness)
{
    uint64_t hits, used = number_in(group->files[MEMORY_GROUP_USAGE], "", 0);

    nearness->is_guarded &=
        group->wake >= 0 && used < share_of(group->limit, GUARDED_TO);
    if (used < share_of(group->limit, COUNTED_FROM)) {
        memory_nearness_note(nearness, used, group->limit);
        return;
    }
    if (is_counted) {
        group->idle = number_in(group->files[MEMORY_GROUP_STAT],
                                versions[limits->is_second].idle, 0);
        nearness->is_hit |= number_in(group->files[MEMORY_GROUP_PRESSURE],
                                      "some avg10=", 0) >= STALLED;
    }
    memory_nearness_note(nearness, group->idle < used ? used - group->idle : 0,
                         group->limit);
    hits = count_hits(limits, group);
    nearness->is_hit |= hits > group->hits;
    group->hits = hits;
}

/* Read the process's own address space and data. */
static void look_at_process(pid_t pid, struct memory_nearness *nearness)
{
    static const char *const held[] = { "VmSize:", "VmData:" };

    for (size_t i = 0; i < 2; i++) {
        struct rlimit limit;

        if (prlimit(pid, i == 0 ? RLIMIT_AS : RLIMIT_DATA, NULL, &limit) == 0 &&
            limit.rlim_cur != RLIM_INFINITY) {
            memory_nearness_note(nearness,
                                 process_status_read(pid, held[i], 10) * 1024,
                                 limit.rlim_cur);
            nearness->is_guarded = false;
        }
    }
}

void memory_limits_look(struct memory_limits *limits, pid_t pid,
                        struct memory_nearness *nearness)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    bool is_counted;

    *nearness = (struct memory_nearness){ .is_guarded = true };
    if (pid != limits->pid || limits->looked_ns == 0 ||
        now - limits->looked_ns >= look_ns) {
        limits->pid = pid;
        limits->looked_ns = now;
        find_groups(limits);
    }
    is_counted = now - limits->counted_ns >= count_ns;
    if (is_counted)
        limits->counted_ns = now;
    for (uint32_t i = 0; i < limits->count; i++)
        look_at_group(limits, &limits->groups[i], is_counted, nearness);
    look_at_process(pid, nearness);
}

bool memory_limits_wait(const struct memory_limits *limits, int fd, int wait_ms)
{
    struct pollfd watched[1 + 2 * MEMORY_LIMITS_MOST] = { { fd, POLLIN, 0 } };
    nfds_t count = 1;
    uint64_t times;

    for (uint32_t i = 0; i < limits->count; i++) {
        const struct memory_group *group = &limits->groups[i];

        watched[count++] = (struct pollfd){ group->wake, POLLIN, 0 };
        if (limits->is_second)
            watched[count++] =
                (struct pollfd){ group->files[MEMORY_GROUP_EVENTS], POLLPRI,
                                 0 };
    }
    if (poll(watched, count, wait_ms) <= 0)
        return false;
    for (nfds_t i = 1; i < count; i++) {
        if ((watched[i].revents & POLLIN) != 0)
            (void)!read(watched[i].fd, &times, sizeof times);
    }
    return watched[0].revents != 0;
}

/* Return true if "memory" is in a comma-separated list. */
static bool has_memory(const char *list)
{
    size_t length = strlen("memory");

    for (; list != NULL; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, "memory", length) == 0 &&
            (list[length] == ',' || list[length] == '\0'))
            return true;
    }
    return false;
}

/* Set `path` to the process's memory cgroup, or "" if it has none; v1's if it
   has both. */
static void find_path(FILE *cgroup, char path[PATH_MAX], bool *is_second)
{
    char *line = NULL;
    size_t size = 0;

    path[0] = '\0';
    while (getline(&line, &size, cgroup) > 0) {
        char *names = strchr(line, ':');
        char *at = names == NULL ? NULL : strchr(++names, ':');

        if (at == NULL)
            continue;
        *at++ = '\0';
        at[strcspn(at, "\n")] = '\0';
        if (*at == '/' && strlen(at) < PATH_MAX &&
            (has_memory(names) || (*names == '\0' && path[0] == '\0'))) {
            strcpy(path, at);
            *is_second = *names == '\0';
        }
    }
    free(line);
}

/* Replace escapes such as \040 for a space. */
static void unescape(char *text)
{
    char *out = text;

    for (; *text != '\0'; text++) {
        unsigned byte = (unsigned char)*text;

        if (byte == '\\' && sscanf(text + 1, "%3o", &byte) == 1)
            text += strnlen(text, 4) - 1;
        *out++ = (char)byte;
    }
    *out = '\0';
}

/* Read the mount point and the mounted group from a line of mountinfo, if it
   mounts memory cgroups. */
static bool read_mount(const char *line, bool is_second, char root[PATH_MAX],
                       char top[PATH_MAX])
{
    const char *rest = strstr(line, " - ");
    char kind[16], options[256] = "";

    _Static_assert(PATH_MAX == 4096, "as the formats say");
    if (rest == NULL ||
        sscanf(line, "%*s %*s %*s %4095s %4095s", root, top) != 2 ||
        sscanf(rest, " - %15s %*s %255s", kind, options) < 1)
        return false;
    unescape(root);
    unescape(top);
    return *top == '/' &&
           (is_second ? strcmp(kind, "cgroup2") == 0
                      : strcmp(kind, "cgroup") == 0 && has_memory(options));
}

/* Return the part of `path` below the mounted folder. A namespace may show
   another folder. */
static const char *below(const char *path, const char *root)
{
    size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);

    return strncmp(path, root, length) != 0 || path[length] != '/' ||
                   strstr(path, "/..") != NULL || path[1] == '\0'
               ? ""
               : path + length;
}

bool cgroup_place_find(FILE *cgroup, FILE *mounts, struct cgroup_place *place)
{
    char path[PATH_MAX], root[PATH_MAX], top[PATH_MAX], *line = NULL;
    bool is_found = false;
    size_t size = 0;

    find_path(cgroup, path, &place->is_second);
    while (path[0] != '\0' && !is_found && getline(&line, &size, mounts) > 0) {
        if (!read_mount(line, place->is_second, root, top))
            continue;
        place->top = strlen(top);
        is_found = snprintf(place->folder, PATH_MAX, "%s%s", top,
                            below(path, root)) < PATH_MAX - 64;
    }
    free(line);
    return is_found;
}

uint64_t cgroup_number(const char *text, const char *name, uint64_t none)
{
    size_t length = strlen(name);
    unsigned long long value;

    while (text != NULL && (strncmp(text, name, length) != 0 ||
                            !isdigit((unsigned char)text[length]))) {
        text = strchr(text, '\n');
        if (text != NULL)
            text++;
    }
    errno = 0;
    value = text == NULL ? 0 : strtoull(text + length, NULL, 10);
    return text == NULL || errno != 0 ? none : value;
}
