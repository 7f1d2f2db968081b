/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - reading /proc/PID before it is touched; see target.h */
#include "tool/attach/target.h"

#include <elf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/behind.h"
#include "tool/session/find/process_state.h"

#define START "start it under tally record"

static int fail(const struct target *target, struct session_failure *failure,
                const char *why)
{
    return session_fail(failure, "process %ld: %s", (long)target->pid, why);
}

/* A word or number behind `key` in /proc/PID/status, or "". */
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

static int check_state(struct target *target, struct session_failure *failure)
{
    unsigned long tracer, group;
    struct process_state state;
    char name[256];

    if (target->pid <= 0 || process_state_read(target->pid, &state) < 0)
        return fail(target, failure, "there is none; see ps");
    group = process_status_read(target->pid, "Tgid:", 10);
    if (group != (unsigned long)target->pid)
        return session_fail(failure,
                            "process %ld: it is a thread; attach to %lu",
                            (long)target->pid, group);
    target->start_ticks = state.start_ticks;
    if (state.letter == 'Z' || state.letter == 'X')
        return fail(target, failure, "it has ended; attach to one that runs");
    if (target->pid == getpid())
        return fail(target, failure, "it is tally; attach to another one");
    tracer = process_status_read(target->pid, "TracerPid:", 10);
    if (tracer != 0) {
        read_words((pid_t)tracer, "Name:\t", name);
        return session_fail(failure,
                            "process %ld: process %lu (%s) traces it; end that "
                            "one first",
                            (long)target->pid, tracer, name);
    }
    if (state.letter == 'T')
        return session_fail(failure,
                            "process %ld: it is stopped; kill -CONT %ld first",
                            (long)target->pid, (long)target->pid);
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
    unsigned long user = process_status_read(target->pid, "Uid:", 10);
    bool may_trace_all =
        (process_status_read(getpid(), "CapEff:", 16) >> CAP_SYS_PTRACE & 1) !=
        0;
    int scope = ptrace_scope(), file;

    if (process_status_read(target->pid, "VmSize:", 10) == 0)
        return fail(target, failure,
                    "it is a thread of the kernel; attach to a program");
    file = process_open(target->pid, "auxv");
    if (file >= 0)
        close(file);
    if (scope == 3)
        return fail(
            target, failure,
            "kernel.yama.ptrace_scope is 3: there is no attaching until "
            "the next boot; " START);
    if (!may_trace_all && user != geteuid())
        return session_fail(
            failure,
            "process %ld: it is of another user, %lu; use sudo, "
            "or be that user",
            (long)target->pid, user);
    if (!may_trace_all && scope != 0)
        return fail(target, failure,
                    "kernel.yama.ptrace_scope lets only root attach; use sudo, "
                    "or sudo sysctl kernel.yama.ptrace_scope=0");
    if (file < 0)
        return fail(target, failure,
                    "the kernel guards it, for it may do what others may not; "
                    "use sudo");
    return 0;
}

static int check_guards(const struct target *target,
                        struct session_failure *failure)
{
    char words[256];

    read_words(target->pid, "x86_Thread_features:", words);
    if (strstr(words, "shstk") != NULL)
        return fail(
            target, failure,
            "it has a shadow stack, and a call into it would end it; " START);
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

struct libraries {
    struct target *target;
    uint64_t start; /* of the file whose entries come */
    const char *other;
};

/* A file that the program only reads has no entry with code. */
static void see_library(void *context, const struct smaps_entry *entry)
{
    struct libraries *libraries = context;
    struct target *target = libraries->target;
    const char *name = behind_folders(entry->path);
    char *to = NULL;

    if (entry->offset == 0)
        libraries->start = entry->start;
    if (entry->access[2] != 'x')
        return;
    if (behind(name, "ld-musl") != NULL || is_same_text(name, "libc.so"))
        libraries->other = "musl's";
    if (behind(entry->path, "/apex/") != NULL)
        libraries->other = "Android's";
    if (behind(name, "libc.so.6") != NULL || behind(name, "libc-2.") != NULL) {
        to = target->libc;
        target->libc_start = libraries->start;
    }
    if (behind(name, "libtally-record.so") != NULL)
        to = target->recorder;
    if (to != NULL)
        snprintf(to, PATH_MAX, "/proc/%ld/root%s", (long)target->pid,
                 entry->path);
}

static int check_program(struct target *target, struct session_failure *failure)
{
    struct libraries libraries = { .target = target };

    if (read_machine(target->pid) != EM_X86_64)
        return fail(target, failure,
                    "its program is not of 64 bits for x86-64; " START
                    " that was built for it");
    process_maps_see(target->pid, see_library, &libraries);
    if (libraries.other != NULL)
        return session_fail(failure,
                            "process %ld: its C library is %s; link it with "
                            "glibc",
                            (long)target->pid, libraries.other);
    if (target->libc[0] == '\0')
        return fail(target, failure,
                    "it is linked statically, without libc.so.6; link it "
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
        return fail(target, failure,
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
