/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_facts.h - facts of other processes: state, rights, memory and limits
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
    char letter; /* state: R, S, T (stopped), Z ... */
    pid_t parent;
    uint64_t start_ticks; /* time of its start; with the pid, unique until
                             the next boot */
    bool has_ended;       /* exiting or a zombie, without other threads */
};

/* Read the state of a process. Return 0, or -1 with errno set if there is no
   such process. */
int process_state_read(pid_t pid, struct process_state *state);

/* Return true if the process `pid` that started at `start_ticks` (0: unknown)
   is still alive. */
bool process_is_alive(pid_t pid, uint64_t start_ticks);

/*
 * Walk over all processes, including those that start during the walk with a
 * higher number. Initialize as here:
 *     struct process_walk walk = { .pid = 0 };
 *
 *     while (process_next(&walk))
 *         look_at(walk.pid);
 *
 * Call process_walk_end() to stop a walk early.
 */
struct process_walk {
    pid_t pid;
    DIR *folder; /* private */
};

bool process_next(struct process_walk *walk);
void process_walk_end(struct process_walk *walk);

/* Read the path of a process's program, also of one that was deleted. Return 0,
   or -1 with errno. */
int process_program_read(pid_t pid, char path[PATH_MAX]);

/* Open /proc/PID/NAME for reading. Return -1 or NULL with errno on error. */
int process_open(pid_t pid, const char *name);
FILE *process_file(pid_t pid, const char *name);

/* Return the text after `key` ("VmHWM:") in /proc/PID/status, or ""; or its
   first number, or 0. */
void process_status_words(pid_t pid, const char *key, char words[256]);
uint64_t process_status_read(pid_t pid, const char *key, int base);

/* Read users, groups and capabilities of a process or a thread as text, for
   comparison. */
enum { PROCESS_RIGHTS = 1024 };
void process_rights_read(pid_t pid, char rights[PROCESS_RIGHTS]);

/* Return the pid of process `pid` in its own namespace; 0 if it has ended. */
uint32_t process_inner_pid(pid_t pid);

/* Return the owner of files created by process `pid`, or -1 if it has ended. */
uid_t process_user(pid_t pid);

/*
 * Memory of a process by /proc/PID/smaps
 *
 * Each entry is a mapping with its address, file, resident bytes and flags. The
 * program chooses the path and nothing else. /proc/PID/maps has the same
 * entries without resident bytes and flags.
 *     struct smaps smaps = { .file = process_file(pid, "smaps") };
 *     struct smaps_entry entry;
 *
 *     while (smaps_next(&smaps, &entry))
 *         use(&entry);
 *     smaps_end(&smaps);
 */
enum { SMAPS_PATH_CAPACITY = 256 }; /* of a longer path only the end is kept */

/* flags in the line VmFlags */
enum smaps_flags {
    SMAPS_NOT_DUMPED = 1u << 0,    /* dd: excluded from core dumps */
    SMAPS_NO_HUGE_PAGES = 1u << 1, /* nh */
    SMAPS_NO_RESERVE = 1u << 2,    /* nr: no swap space reserved */
};

struct smaps_entry {
    uint64_t start; /* [start, end) */
    uint64_t end;
    char access[5];                 /* "rw-p": p private, s shared */
    uint64_t offset;                /* offset in the file */
    char device[16];                /* device of the file system: "fe:00" */
    uint64_t inode;                 /* 0: no file */
    char path[SMAPS_PATH_CAPACITY]; /* or [heap] and the like, or "" */
    uint64_t resident;              /* bytes in memory */
    uint64_t huge;                  /* part of `resident` in huge pages */
    uint64_t shared;                /* part of `resident` mapped by others
                                       too */
    uint64_t swapped;               /* bytes swapped out */
    uint32_t flags;                 /* enum smaps_flags */
};

/* Set `file` only; NULL means no entries. */
struct smaps {
    FILE *file;
    char *line;              /* private: last line read */
    size_t capacity;         /* private */
    struct smaps_entry next; /* private: entry already read; none if `end` is
                                0 */
};

bool smaps_next(struct smaps *smaps, struct smaps_entry *entry);

/* Close the file and free memory. */
void smaps_end(struct smaps *smaps);

/*
 * Open the file behind a mapping for reading. Return -1 if that is not
 * possible. Root gets the file from the kernel whatever its name is, also in a
 * container. Other users get the file of that name in the process's root, if it
 * is the mapped file and readable by all users or by the process's user. Only
 * the descriptor is checked, because the name may lead elsewhere by now.
 */
int process_mapped_open(pid_t pid, const struct smaps_entry *entry);

/* Bits of a word of /proc/PID/pagemap. */
#define PAGE_IS_PRESENT (UINT64_C(1) << 63)
#define PAGE_IS_SWAPPED (UINT64_C(1) << 62)
#define PAGE_IS_FILES   (UINT64_C(1) << 61) /* file-backed or shared */
#define PAGE_IS_OURS    (UINT64_C(1) << 56) /* mapped by this process only */

enum { PAGE_BYTES = 4096 };

/* Read the words of `count` pages from number `page` on. Return false if not
   all can be read. */
bool pagemap_read(int pagemap, uint64_t page, size_t count, uint64_t *words);

/*
 * Set *bytes to the resident bytes of [start, end), whole pages, by
 * /proc/PID/pagemap. This is for a mapping with two uses; otherwise smaps has
 * the sum. Return false if they cannot be read, as with a descriptor below 0.
 */
bool present_pages_count(int pagemap, uint64_t start, uint64_t end,
                         uint64_t *bytes);

/*
 * Process numbers of another PID namespace
 *
 * A recorder in a container writes the numbers of its own namespace into its
 * ledger. They are replaced by ours before any use.
 */

/* Return true if the process is in another PID namespace than this one. */
bool outer_pid_is_needed(pid_t pid);

/* Replace the process numbers in the ledger at `offset` of the session's file.
   The ledger of an ended process keeps its numbers. */
void outer_pid_write(int session, uint64_t offset);

/*
 * Memory of another process, read in bounded time
 *
 * Reading needs permission to trace the process. A page may be behind a
 * userfaultfd whose owner can delay a read for ever. So another thread reads
 * and the caller waits only a moment; after one slow read there are no more.
 */

/* Read `size` bytes at `address` of process `pid`. Return false if not all can
   be read. */
bool other_memory_read(pid_t pid, uint64_t address, void *to, size_t size);

/*
 * Files that limit the memory of a process
 *
 * /proc/PID/cgroup and our own /proc/self/mountinfo name them. Other processes
 * influence these texts: a text of another form is ignored.
 */

struct cgroup_place {
    char folder[PATH_MAX]; /* folder of the process's cgroup */
    size_t top;            /* length of the part that leads to the outermost
                              group */
    bool is_second;        /* true for cgroup v2 */
};

/* Find the memory cgroup of a process. Return false if it has none, or none
   that is mounted. */
bool cgroup_place_find(FILE *cgroup, FILE *mounts, struct cgroup_place *place);

/*
 * Return the number after `name` at the start of a line, or the only number if
 * `name` is "". Return `none` if there is no such number, or the word "max".
 */
uint64_t cgroup_number(const char *text, const char *name, uint64_t none);

/*
 * Distance of a process from its memory limits
 *
 * Limits are those of its cgroup and all parents, v1 or v2, and its own
 * RLIMIT_AS and RLIMIT_DATA. The bytes of a group exclude unused file pages,
 * which the kernel drops before it kills.
 *
 * The kernel notifies when a v1 group reaches three quarters of its limit
 * (cgroup v1, "Memory thresholds"), and when a v2 group meets its limit
 * (memory.events). All other limits must be read.
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
    int files[MEMORY_GROUP_FILES]; /* -1: none */
    int wake; /* eventfd at three quarters of the limit; -1: none */
    uint64_t limit;
    uint64_t idle; /* unused file bytes at the last count */
    uint64_t hits; /* times that the limit was met */
};

/* Initialize as { 0 }. */
struct memory_limits {
    pid_t pid;
    uint64_t looked_ns; /* monotonic time of the last search for limits; 0:
                           none yet */
    uint64_t counted_ns;
    bool is_second;
    uint32_t count;
    struct memory_group groups[MEMORY_LIMITS_MOST];
};

/* Find the limits of limits->pid in these files. memory_limits_look() calls
   it. */
void memory_limits_find(struct memory_limits *limits, FILE *cgroup,
                        FILE *mounts);

struct memory_nearness {
    unsigned per_mille; /* highest use of any limit; 0: no limit */
    uint64_t limit;     /* that limit in bytes; 0: none */
    uint64_t used;      /* bytes in use */
    bool is_hit;        /* true if a limit was met since the last call, or
                           memory stalls */
    bool is_guarded;    /* true if memory_limits_wait() ends before a limit
                           is near */
};

/* Note a limit with `used` bytes in use, unless it is 0 or another is
   nearer. */
void memory_nearness_note(struct memory_nearness *nearness, uint64_t used,
                          uint64_t limit);

/* Read all limits now. They are searched for each second, and for each new
   process. */
void memory_limits_look(struct memory_limits *limits, pid_t pid,
                        struct memory_nearness *nearness);

/*
 * Wait until the kernel notifies of a limit, `fd` is readable or closed, or
 * `wait_ms` have passed. Return true if `fd`, which may be -1, ended the wait.
 */
bool memory_limits_wait(const struct memory_limits *limits, int fd,
                        int wait_ms);
