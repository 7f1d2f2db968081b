/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - reading /proc/PID before it is touched; see attached.h */
#include "tool/attach/attached.h"

#include <elf.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "format/text_after.h"
#include "tool/session/find/process_state.h"
#include "tool/text/advice.h"

#define START "start it under tally record"

/* Return a message. Each check returns one, or NULL. */
__attribute__((format(printf, 1, 2))) static const char *say(const char *format,
                                                             ...)
{
    static char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

static const char *check_state(pid_t pid)
{
    uint64_t tracer = process_status_read(pid, "TracerPid:", 10);
    uint64_t group = process_status_read(pid, "Tgid:", 10);
    struct process_state state;
    char name[256];

    if (pid <= 0 || process_state_read(pid, &state) < 0)
        return "there is none; see ps";
    if (group != (uint64_t)pid)
        return say("it is a thread; attach to %ld", (long)group);
    if (state.has_ended || state.letter == 'Z')
        return "it has ended; attach to one that runs";
    if (pid == getpid())
        return "it is tally; attach to another one";
    process_status_words((pid_t)tracer, "Name:\t", name);
    if (tracer != 0)
        return say("process %ld (%s) traces it; end that one first",
                   (long)tracer, name);
    return state.letter != 'T'
               ? NULL
               : say("it is stopped; kill -CONT %ld first", (long)pid);
}

/* Return who may trace, by the Yama module: 0 all users, 1 ancestors, 2 root,
   3 none. */
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

static const char *check_rights(pid_t pid)
{
    uint64_t user = process_status_read(pid, "Uid:", 10);
    uint64_t rights = process_status_read(getpid(), "CapEff:", 16);
    bool may_trace_all = (rights >> CAP_SYS_PTRACE & 1) != 0;
    int scope = ptrace_scope(), file = process_open(pid, "auxv");
    char words[256];

    if (file >= 0)
        close(file);
    if (process_status_read(pid, "VmSize:", 10) == 0)
        return "it is a thread of the kernel; attach to a program";
    if (scope == 3)
        return "kernel.yama.ptrace_scope is 3: there is no attaching until "
               "the next boot; " START;
    if (!may_trace_all && user != geteuid())
        return say("it is of another user, %ld; %s", (long)user,
                   advice_as_root("use sudo, or be that user"));
    if (!may_trace_all && scope != 0)
        return say("kernel.yama.ptrace_scope is %d: attaching takes "
                   "CAP_SYS_PTRACE; %s",
                   scope,
                   advice_as_root("use sudo, or sudo sysctl "
                                  "kernel.yama.ptrace_scope=0"));
    if (file < 0)
        return say("the kernel guards it, for it may do what others may not; "
                   "%s",
                   advice_as_root("use sudo"));
    process_status_words(pid, "x86_Thread_features:", words);
    return strstr(words, "shstk") == NULL ? NULL
                                          : "it has a shadow stack, and a call "
                                            "into it would end it; " START;
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
    pid_t pid;
    const char *other;
    bool has_loader, is_readable;
    char libc[SMAPS_PATH_CAPACITY];
};

/* A file that the program only reads has no entry with code. */
static void see_library(struct libraries *libraries,
                        const struct smaps_entry *entry)
{
    const char *name = base_name(entry->path);
    int file;

    if (entry->access[2] != 'x')
        return;
    libraries->has_loader |= text_after(name, "ld-linux") != NULL ||
                             text_after(name, "ld-2.") != NULL;
    if (text_after(name, "ld-musl") != NULL || is_same_text(name, "libc.so"))
        libraries->other = "musl's";
    if (text_after(entry->path, "/apex/") != NULL)
        libraries->other = "Android's";
    if (text_after(name, "libc.so.6") != NULL ||
        text_after(name, "libc-2.") != NULL) {
        strcpy(libraries->libc, entry->path);
        file = process_mapped_open(libraries->pid, entry);
        libraries->is_readable = file >= 0;
        if (file >= 0)
            close(file);
    }
}

/* A program that has just begun has mapped its loader, but not yet libc. */
static struct libraries read_libraries(pid_t pid)
{
    struct libraries libraries;
    struct smaps_entry entry;
    struct smaps maps;
    int tries = 0;

    do {
        if (tries > 0)
            usleep(10000);
        libraries = (struct libraries){ .pid = pid };
        maps = (struct smaps){ .file = process_file(pid, "maps") };
        while (smaps_next(&maps, &entry))
            see_library(&libraries, &entry);
        smaps_end(&maps);
    } while (libraries.has_loader && libraries.libc[0] == '\0' &&
             ++tries < 100);
    return libraries;
}

/* Check the program's C library, which a package may have replaced. */
static const char *check_program(pid_t pid)
{
    struct libraries libraries;

    if (read_machine(pid) != EM_X86_64)
        return "its program is not of 64 bits for x86-64; " START
               " that was built for it";
    libraries = read_libraries(pid);
    if (libraries.other != NULL)
        return say("its C library is %s; link it with glibc", libraries.other);
    if (libraries.libc[0] == '\0')
        return "it is linked statically, without libc.so.6; link it "
               "dynamically";
    if (strstr(libraries.libc, " (deleted)") != NULL)
        return "its libc.so.6 was replaced since it began; start the program "
               "again";
    return libraries.is_readable
               ? NULL
               : say("its files cannot be read, %s first; %s", libraries.libc,
                     advice_as_root("use sudo, outside of its container"));
}

/* The recorder reaches its ledger there. */
static const char *check_proc(pid_t pid)
{
    struct statfs status;
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/root/proc", (long)pid);
    return statfs(path, &status) == 0 && status.f_type == PROC_SUPER_MAGIC
               ? NULL
               : "/proc is not mounted in its root; mount it there";
}

int target_check(pid_t pid, struct session_failure *failure)
{
    static const char *(*const checks[])(
        pid_t pid) = { check_state, check_rights, check_program, check_proc };

    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++) {
        const char *why = checks[i](pid), *ended;

        if (why == NULL)
            continue;
        ended =
            check_state(pid); /* meanwhile, and so there is nothing to see */
        return session_fail(failure, "process %ld: %s", (long)pid,
                            ended != NULL ? ended : why);
    }
    return 0;
}
