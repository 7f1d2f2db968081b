/* SPDX-License-Identifier: Apache-2.0 */
/* target.c - reading /proc/PID before it is touched; see attach.h */
#include "tool/attach/attach.h"

#include <elf.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>

#include "format/text_after.h"
#include "tool/text/text.h"

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
        return "no such process; see ps";
    if (group != (uint64_t)pid)
        return say("this is a thread; attach to %ld", (long)group);
    if (state.has_ended || state.letter == 'Z')
        return "the process has ended; name a running one";
    if (pid == getpid())
        return "this is tally itself; name another process";
    process_status_words((pid_t)tracer, "Name:\t", name);
    if (tracer != 0)
        return say(
            "already traced by process %ld (%s); stop that process first",
            (long)tracer, name);
    return state.letter != 'T'
               ? NULL
               : say("the process is stopped; run kill -CONT %ld first",
                     (long)pid);
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
        return "this is a kernel thread; name a program";
    if (scope == 3)
        return "kernel.yama.ptrace_scope is 3, which forbids attaching until "
               "the next boot; " START;
    if (!may_trace_all && user != geteuid())
        return say("permission denied: the process belongs to user %ld; %s",
                   (long)user, advice_as_root("use sudo, or be that user"));
    if (!may_trace_all && scope != 0)
        return say("kernel.yama.ptrace_scope is %d: attaching needs "
                   "CAP_SYS_PTRACE; %s",
                   scope,
                   advice_as_root("use sudo, or sudo sysctl "
                                  "kernel.yama.ptrace_scope=0"));
    if (file < 0)
        return say("permission denied: the process has extra privileges; %s",
                   advice_as_root("use sudo"));
    process_status_words(pid, "x86_Thread_features:", words);
    return strstr(words, "shstk") == NULL
               ? NULL
               : "the process has a shadow stack, which kills "
                 "it for the calls that attaching makes; " START;
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
        libraries->other = "musl";
    if (text_after(entry->path, "/apex/") != NULL)
        libraries->other = "Android's bionic";
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
        return "not a 64-bit program for x86-64; " START
               " that was built for it";
    libraries = read_libraries(pid);
    if (libraries.other != NULL)
        return say("the C library is %s; link the program with glibc",
                   libraries.other);
    if (libraries.libc[0] == '\0')
        return "statically linked, without libc.so.6; link the program "
               "dynamically";
    if (strstr(libraries.libc, " (deleted)") != NULL)
        return "libc.so.6 was replaced since the program started; restart the "
               "program";
    return libraries.is_readable
               ? NULL
               : say("cannot read files of the program, first %s; %s",
                     libraries.libc,
                     advice_as_root("use sudo outside of the container"));
}

/* The recorder reaches its ledger there. */
static const char *check_proc(pid_t pid)
{
    struct statfs status;
    char path[64];

    snprintf(path, sizeof path, "/proc/%ld/root/proc", (long)pid);
    return statfs(path, &status) == 0 && status.f_type == PROC_SUPER_MAGIC
               ? NULL
               : "/proc is not mounted in the root of the process; mount it "
                 "there";
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
