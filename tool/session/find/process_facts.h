/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_facts.h - facts of other processes: state, rights, memory and its
 * limits
 */
#pragma once

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Facts of a process in /proc/PID */

struct process_state {
    char letter; /* R, S, T (stopped), Z ... */
    pid_t parent;
    uint64_t start_ticks; /* with the pid, names the process for ever */
    bool has_ended;       /* runs no more: exiting or a zombie, no threads */
};

/* Return 0, or -1 with errno set if there is no such process. */
int process_state_read(pid_t pid, struct process_state *state);

/* Return true if the process that began at `start_ticks` (0: not known) as
   `pid` is still alive. */
bool process_is_alive(pid_t pid, uint64_t start_ticks);

/*
 * All processes, also those that begin meanwhile with a higher number. Begins
 * all zero:
 *
 *     struct process_walk walk = { .pid = 0 };
 *
 *     while (process_next(&walk))
 *         look_at(walk.pid);
 *
 * process_walk_end() is for a walk that does not come to its end.
 */
struct process_walk {
    pid_t pid;
    DIR *folder; /* private */
};

bool process_next(struct process_walk *walk);
void process_walk_end(struct process_walk *walk);

/* Open /proc/PID/NAME to be read. -1 or NULL with errno. */
int process_open(pid_t pid, const char *name);
FILE *process_file(pid_t pid, const char *name);

/* Read the words behind `key` ("VmHWM:") in /proc/PID/status, or ""; or their
   first number, or 0. */
void process_status_words(pid_t pid, const char *key, char words[256]);
uint64_t process_status_read(pid_t pid, const char *key, int base);

/* Read users, groups and capabilities of a process, or of a thread by its
   number, as text to compare. */
enum { PROCESS_RIGHTS = 1024 };
void process_rights_read(pid_t pid, char rights[PROCESS_RIGHTS]);

/* Return the user that files of process `pid` belong to; -1: it has ended. */
uid_t process_user(pid_t pid);

/*
 * Memory of a process by /proc/PID/smaps, entry by entry: address, file, bytes
 * in memory and flags of each mapping. The program chooses the path, and
 * nothing else. /proc/PID/maps has the same without memory and flags.
 *
 *     struct smaps smaps = { .file = process_file(pid, "smaps") };
 *     struct smaps_entry entry;
 *
 *     while (smaps_next(&smaps, &entry))
 *         use(&entry);
 *     smaps_end(&smaps);
 */
enum { SMAPS_PATH_CAPACITY = 256 }; /* of a longer one the end is kept */

/* Flags of the line VmFlags. */
enum smaps_flags {
    SMAPS_NOT_DUMPED = 1u << 0,    /* dd: not part of core dumps */
    SMAPS_NO_HUGE_PAGES = 1u << 1, /* nh */
    SMAPS_NO_RESERVE = 1u << 2,    /* nr: no swap is reserved */
};

struct smaps_entry {
    uint64_t start; /* [start, end) */
    uint64_t end;
    char access[5];                 /* "rw-p": p private, s shared */
    uint64_t offset;                /* in the file */
    char device[16];                /* "fe:00": of the file's file system */
    uint64_t inode;                 /* 0: of no file */
    char path[SMAPS_PATH_CAPACITY]; /* or [heap] and the like, or empty */
    uint64_t resident;              /* bytes */
    uint64_t huge;                  /* of them: in huge pages */
    uint64_t shared;                /* of them: mapped by others, too */
    uint64_t swapped;               /* bytes that are not in memory for that */
    uint32_t flags;                 /* enum smaps_flags */
};

/* Begins with the file alone; NULL: no entries. */
struct smaps {
    FILE *file;
    char *line;              /* private: the last one read */
    size_t capacity;         /* private */
    struct smaps_entry next; /* private: read already, if it has an end */
};

bool smaps_next(struct smaps *smaps, struct smaps_entry *entry);

/* Close the file and free what was kept. */
void smaps_end(struct smaps *smaps);

/*
 * Open the file behind a mapping for reading; -1: it cannot be had. Root gets
 * it from the kernel, by whatever name, also in a container. Others get the
 * file of that name in the process's root, if it is the one that is mapped,
 * and all users or the process's own may read it. Only the descriptor is
 * checked: the name may lead elsewhere by now.
 */
int process_mapped_open(pid_t pid, const struct smaps_entry *entry);

/* Bits of a word of /proc/PID/pagemap. */
#define PAGE_IS_PRESENT (UINT64_C(1) << 63)
#define PAGE_IS_SWAPPED (UINT64_C(1) << 62)
#define PAGE_IS_FILES   (UINT64_C(1) << 61) /* of a file, or shared */
#define PAGE_IS_OURS    (UINT64_C(1) << 56) /* it alone maps it */

enum { PAGE_BYTES = 4096 };

/* Read the words of `count` pages from number `page` on. Return false if not
   all can be read. */
bool pagemap_read(int pagemap, uint64_t page, size_t count, uint64_t *words);

/*
 * Bytes of [start, end), whole pages, that are in memory, by
 * /proc/PID/pagemap. It is asked where one mapping is used for two purposes;
 * else smaps has the sum already. False: not known, as for a descriptor below
 * 0.
 */
bool present_pages_count(int pagemap, uint64_t start, uint64_t end,
                         uint64_t *bytes);

/*
 * Processes of another PID namespace, by the numbers they have here
 *
 * A recorder in a container writes the numbers that it sees to its ledger. They
 * are replaced by our numbers before anything is done by number.
 */

/* Return true if the process is in another PID namespace than we are. */
bool outer_pid_is_needed(pid_t pid);

/* Replace the numbers in the ledger that begins at `offset` of the session's
   file. The ledger of an ended process keeps its own. */
void outer_pid_write(int session, uint64_t offset);

/*
 * The memory of another process, read in bounded time
 *
 * Reading fails without the right to look into the process. A page may lie
 * behind a userfaultfd whose owner can delay a read for ever. So another thread
 * reads, we wait only a moment, and read no more after a read that took longer.
 */

/* `size` bytes at `address` of process `pid`; false: not all of them. */
bool other_memory_read(pid_t pid, uint64_t address, void *to, size_t size);

/*
 * Files that limit the memory of a process
 *
 * /proc/PID/cgroup and our own /proc/self/mountinfo name them, in forms that
 * other processes have a say in: of what is no such text, nothing is used.
 */

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

/*
 * How near a process is to where its memory ends
 *
 * Limits are those of its cgroup and of each group around that, v1 or v2, and
 * its own RLIMIT_AS and RLIMIT_DATA. Bytes of a group are counted without
 * unused files in memory, which the kernel drops before it kills.
 *
 * The kernel tells when a group of v1 has three quarters of its limit (cgroup
 * v1, "Memory thresholds"), and when one of v2 has met it (memory.events). All
 * else must be looked at.
 */

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
 * or was closed, or `wait_ms` are over. Return true if it is `fd`, which may
 * be -1.
 */
bool memory_limits_wait(const struct memory_limits *limits, int fd,
                        int wait_ms);
