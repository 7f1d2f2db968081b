/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_place.h - where the memory of a process is limited, in files
 *
 * /proc/PID/cgroup and our own /proc/self/mountinfo say that, in forms that
 * other processes have a say in: of what is no such text, nothing is used.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct cgroup_place {
    char folder[PATH_MAX]; /* of the process's group */
    size_t top;            /* bytes of it that lead to the outermost group */
    bool is_second;        /* of cgroup v2 */
};

/* False: it is in no group of memory, or that is mounted nowhere. */
bool cgroup_place_find(FILE *cgroup, FILE *mounts, struct cgroup_place *place);

/*
 * The number behind `name` at the begin of a line, or alone where that is "";
 * `none` where there is no such number, or the word max.
 */
uint64_t cgroup_number(const char *text, const char *name, uint64_t none);
