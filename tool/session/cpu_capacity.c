/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_capacity.c - see session.h */
#include "tool/session/session.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

enum { THOUSANDTHS = 1000, ROOM_FOR_NAME = 32 };

/* Read up to two numbers of a file. The word "max" leaves a number as it is. */
static void read_numbers(const char *folder, const char *name, double *first,
                         double *second)
{
    char path[PATH_MAX + ROOM_FOR_NAME];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    (void)!fscanf(file, "%lf %lf", first, second);
    fclose(file);
}

uint32_t cpu_capacity_of_group(const char *root, const char *group,
                               uint32_t most)
{
    char folder[PATH_MAX], *end;

    if (snprintf(folder, sizeof folder, "%s%s", root, group) >= PATH_MAX)
        return most;
    do {
        double quota = 0, period = 0, none, part;

        read_numbers(folder, "cpu.max", &quota, &period);
        read_numbers(folder, "cpu.cfs_quota_us", &quota, &none);
        read_numbers(folder, "cpu.cfs_period_us", &period, &none);
        part = quota / period * THOUSANDTHS;
        if (part > 0 && part < most) /* v1 has -1 for no quota */
            most = part < 1 ? 1 : (uint32_t)part;
        end = strrchr(folder, '/');
        *end = '\0';
    } while (end >= folder + strlen(root));
    return most;
}

uint32_t cpu_capacity(pid_t pid)
{
    char line[PATH_MAX], path[ROOM_FOR_NAME], *group;
    uint32_t most = THOUSANDTHS;
    cpu_set_t allowed;
    FILE *file;

    if (sched_getaffinity(pid, sizeof allowed, &allowed) == 0)
        most = (uint32_t)CPU_COUNT(&allowed) * THOUSANDTHS;
    snprintf(path, sizeof path, "/proc/%d/cgroup", pid);
    file = fopen(path, "re");
    if (file == NULL)
        return most;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        group = strstr(line, ":/");
        if (group == NULL)
            continue;
        most = cpu_capacity_of_group("/sys/fs/cgroup", group + 1, most);
        most = cpu_capacity_of_group("/sys/fs/cgroup/cpu", group + 1, most);
    }
    fclose(file);
    return most;
}
