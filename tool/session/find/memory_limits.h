/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory_limits.h - how near a process is to where its memory ends
 *
 * Limits are those of its cgroup and of each group around that, v1 or v2, and
 * its own RLIMIT_AS and RLIMIT_DATA. Bytes of a group are counted without
 * unused files in memory, which the kernel drops before it kills.
 *
 * The kernel tells when a group of v1 has three quarters of its limit (cgroup
 * v1, "Memory thresholds"), and when one of v2 has met it (memory.events). All
 * else must be looked at.
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
    int wake; /* an eventfd, at three quarters of the limit; -1: none */
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

/* Find the limits of limits->pid in those files. memory_limits_look() reads
   them itself. */
void memory_limits_find(struct memory_limits *limits, FILE *cgroup,
                        FILE *mounts);

struct memory_nearness {
    unsigned per_mille; /* the most of any limit; 0: there is none */
    uint64_t limit;     /* that limit; 0: none */
    uint64_t used;      /* bytes of it */
    bool is_hit;        /* one was met since the last look, or memory stalls */
    bool is_guarded;    /* memory_limits_wait() ends before one comes near */
};

/* `used` of a limit that is not 0, if it is nearer than what was noted. */
void memory_nearness_note(struct memory_nearness *nearness, uint64_t used,
                          uint64_t limit);

/* Look at all limits now. They are looked for each second, and for each new
   process. */
void memory_limits_look(struct memory_limits *limits, pid_t pid,
                        struct memory_nearness *nearness);

/*
 * Wait until the kernel says that a limit is near or was met, `fd` can be read
 * or was closed, or `wait_ms` are over. Return true if it is `fd`, which may be
 * -1.
 */
bool memory_limits_wait(const struct memory_limits *limits, int fd,
                        int wait_ms);
