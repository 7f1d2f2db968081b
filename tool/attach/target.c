/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - reading /proc/PID before it is touched; see target.h */
#include "tool/attach/target.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/behind.h"
#include "tool/session/find/process_state.h"

#define START "start it under tally record"

/* The words behind `key` in /proc/PID/status, or "". */
static void read_words(pid_t pid, const char *key, char words[256])
{
    FILE *file = process_file(pid, "status");
    const char *found = NULL;

    while (file != NULL && found == NULL && fgets(words, 256, file) != NULL)
        found = behind(words, key);
    memmove(words, found == NULL ? "" : found,
            found == NULL ? 1 : strlen(found) + 1);
    words[strcspn(words, "\n")] = '\0';
    if (file != NULL)
        fclose(file);
}

static int fail(struct session_failure *failure, pid_t pid, const char *why)
{
    return session_fail(failure, "process %ld: %s", (long)pid, why);
}

static int check_state(struct target *target, struct session_failure *failure)
{
    struct process_state state;
    pid_t pid = target->pid;
    long tracer;
    char name[256];

    if (pid <= 0 || process_state_read(pid, &state) < 0)
        return fail(failure, pid, "there is none; see ps");
    if (process_status_read(pid, "Tgid:", 10) != (uint64_t)pid)
        return session_fail(
            failure, "process %ld: it is a thread; attach to %lu", (long)pid,
            (unsigned long)process_status_read(pid, "Tgid:", 10));
    target->start_ticks = state.start_ticks;
    if (state.letter == 'Z' || state.letter == 'X')
        return fail(failure, pid, "it has ended; attach to one that runs");
    if (pid == getpid())
        return fail(failure, pid, "it is tally itself; attach to another one");
    tracer = (long)process_status_read(pid, "TracerPid:", 10);
    if (tracer != 0) {
        read_words((pid_t)tracer, "Name:\t", name);
        return session_fail(failure,
                            "process %ld: process %ld (%s) traces it; end that "
                            "one first",
                            (long)pid, tracer, name);
    }
    if (state.letter == 'T' || state.letter == 't')
        return session_fail(failure,
                            "process %ld: it is stopped; kill -CONT %ld first",
                            (long)pid, (long)pid);
    return 0;
}

/* 0: anybody, 1: ancestors, 2: root, 3: nobody; of the Yama module. */
static int ptrace_scope(void)
{
    FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    int scope = 0;

    if (file != NULL && fscanf(file, "%d", &scope) != 1)
        scope = 0;
    if (file != NULL)
        fclose(file);
    return scope;
}

static int check_rights(const struct target *target,
                        struct session_failure *failure)
{
    long pid = target->pid, user;
    int memory;

    if (process_status_read(target->pid, "Kthread:", 10) == 1 ||
        process_status_read(target->pid, "VmSize:", 10) == 0)
        return fail(failure, target->pid,
                    "it is a thread of the kernel; attach to a program");
    memory = process_open(target->pid, "auxv");
    if (memory >= 0)
        close(memory);
    user = (long)process_status_read(target->pid, "Uid:", 10);
    if (memory < 0 && user != (long)geteuid())
        return session_fail(failure,
                            "process %ld: it is of another user (%ld); use "
                            "sudo, or be that user",
                            pid, user);
    if (memory < 0)
        return fail(failure, target->pid,
                    "the kernel guards it, as it may do more than others; use "
                    "sudo");
    if (geteuid() != 0 && ptrace_scope() != 0)
        return fail(failure, target->pid,
                    "kernel.yama.ptrace_scope lets no one attach but root; use "
                    "sudo, or sudo sysctl kernel.yama.ptrace_scope=0");
    if (ptrace_scope() == 3)
        return fail(failure, target->pid,
                    "kernel.yama.ptrace_scope is 3, and lets no one attach "
                    "until the next boot; " START);
    return 0;
}

/* Of all threads: each may have its own. */
static int check_guards(const struct target *target,
                        struct session_failure *failure)
{
    char words[256];

    if (process_status_read(target->pid, "Seccomp:", 10) != 0)
        return fail(failure, target->pid,
                    "a seccomp filter could kill it for what attaching calls "
                    "in it; " START);
    read_words(target->pid, "x86_Thread_features:", words);
    if (strstr(words, "shstk") != NULL)
        return fail(failure, target->pid,
                    "it has a shadow stack, and a call into it would end it; "
                    "start it without GLIBC_TUNABLES of x86_shstk");
    return 0;
}

/* The machine of a program that is 64 bits wide, little end first. */
static int read_machine(pid_t pid)
{
    unsigned char bytes[20];
    FILE *file = process_file(pid, "exe");
    int machine = EM_NONE;

    if (file == NULL)
        return EM_NONE;
    if (fread(bytes, sizeof bytes, 1, file) == 1 &&
        memcmp(bytes, ELFMAG, SELFMAG) == 0 && bytes[EI_CLASS] == ELFCLASS64 &&
        bytes[EI_DATA] == ELFDATA2LSB)
        machine = bytes[18] | bytes[19] << 8;
    fclose(file);
    return machine;
}

static void see_mapping(struct target *target, const struct smaps_entry *entry,
                        const char **other)
{
    const char *name = behind_folders(entry->path);
    char *to = NULL;

    if (behind(name, "ld-musl") != NULL || behind(name, "libc.musl") != NULL)
        *other = "its C library is musl's, not glibc";
    else if (behind(entry->path, "/system/bin/linker") != NULL ||
             behind(entry->path, "/apex/") != NULL)
        *other = "its C library is Android's, not glibc";
    else if (entry->offset == 0 && (behind(name, "libc.so.6") != NULL ||
                                    behind(name, "libc-2.") != NULL)) {
        to = target->libc;
        target->libc_start = entry->start;
    } else if (behind(name, "libtally-record.so") != NULL) {
        to = target->recorder;
    }
    if (to != NULL)
        snprintf(to, PATH_MAX, "/proc/%ld/root%s", (long)target->pid,
                 entry->path);
}

static int check_program(struct target *target, struct session_failure *failure)
{
    struct smaps maps = { .file = process_file(target->pid, "maps") };
    struct smaps_entry entry;
    const char *other = NULL;

    if (read_machine(target->pid) != EM_X86_64)
        return fail(failure, target->pid,
                    "its program is not of 64 bits for x86-64; " START
                    " where it was built for");
    while (maps.file != NULL && smaps_next(&maps, &entry))
        see_mapping(target, &entry, &other);
    smaps_end(&maps);
    if (maps.file != NULL)
        fclose(maps.file);
    if (other != NULL)
        return session_fail(failure, "process %ld: %s; link it with glibc",
                            (long)target->pid, other);
    if (target->libc[0] == '\0')
        return fail(failure, target->pid,
                    "it is linked statically, and has no libc.so.6; link it "
                    "dynamically");
    return 0;
}

/* A container has its own files, and a package may have been renewed. */
static int check_files(const struct target *target,
                       struct session_failure *failure)
{
    static const char gone[] = " (deleted)";
    size_t length = strlen(target->libc);

    if (length >= sizeof gone &&
        strcmp(target->libc + length - (sizeof gone - 1), gone) == 0)
        return fail(failure, target->pid,
                    "its libc.so.6 was replaced since it began; start the "
                    "program again");
    if (access(target->libc, R_OK) < 0)
        return session_fail(failure,
                            "process %ld: its files cannot be read by %s: %s; "
                            "use sudo, outside of its container",
                            (long)target->pid, target->libc, strerror(errno));
    return 0;
}

int target_check(pid_t pid, struct target *target,
                 struct session_failure *failure)
{
    *target = (struct target){ .pid = pid };
    if (check_state(target, failure) < 0 || check_rights(target, failure) < 0 ||
        check_guards(target, failure) < 0 || check_program(target, failure) < 0)
        return -1;
    return check_files(target, failure);
}
