/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_limits.h - how near a process is to where its memory ends
 *
 * Limits are those of its cgroup and of each group around that, v1 or v2, and
 * its own RLIMIT_AS and RLIMIT_DATA. What a group holds is counted without the
 * files in memory that nothing uses, which the kernel drops before it kills.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tool/session/find/cgroup_place.h"

enum { MEMORY_LIMITS_MOST = 8 };

enum {
    MEMORY_GROUP_USAGE,
    MEMORY_GROUP_STAT,
    MEMORY_GROUP_EVENTS,
    MEMORY_GROUP_PRESSURE,
    MEMORY_GROUP_FILES
};

struct memory_group {
    int files[MEMORY_GROUP_FILES]; /* -1: there is none */
    uint64_t limit;
    uint64_t idle; /* of files, when they were counted last */
    uint64_t hits; /* how often the limit was met */
};

/* Begins as { 0 }. */
struct memory_limits {
    pid_t pid;
    uint64_t looked_ns; /* when limits were looked for; 0: never */
    uint64_t counted_ns;
    bool is_second;
    uint32_t count;
    struct memory_group groups[MEMORY_LIMITS_MOST];
};

/* As those files say of limits->pid: memory_limits_look() reads them itself. */
void memory_limits_find(struct memory_limits *limits, FILE *cgroup,
                        FILE *mounts);

struct memory_nearness {
    unsigned per_mille; /* the most of any limit; 0: there is none */
    uint64_t limit;     /* that limit; 0: none */
    bool is_hit;        /* one was met since the last look, or memory stalls */
};

/*
 * As of now. Limits are looked for each second, and whenever the process is
 * another.
 */
void memory_limits_look(struct memory_limits *limits, pid_t pid,
                        struct memory_nearness *nearness);
