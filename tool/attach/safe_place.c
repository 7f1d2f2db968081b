/* SPDX-License-Identifier: Apache-2.0 */
/*
 * safe_place.c - unwinding a stopped thread; see thread_calls.h
 *
 * This file is long because libdw asks for a process, its files and its threads
 * by calls of ours.
 */
#include "tool/attach/thread_calls.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tool/attach/attach.h"
#include "tool/symbols/lookup.h"

enum {
    FRAMES_LIMIT = 2048,
    LIBC_AT_BOTTOM = 2, /* frames of libc below main(), and of a thread */
    RSEQ_CS = 8,        /* offset of rseq_cs in struct rseq */
    LOADER_STATE = 24,  /* offset of r_state in struct r_debug */
};

/* A file that the process has loaded. */
struct file {
    struct smaps_entry first; /* of its mappings */
    uint64_t end;             /* of its last mapping */
    bool has_code;            /* else it is only read by mmap() */
    pid_t pid;
    Dwfl_Module *module;
    struct symbol_table *names; /* or NULL: none is asked for */
    enum file_kind kind;
};

struct file_list {
    struct arena *arena; /* of files and their names */
    struct file *files;
    size_t count;
};

struct frame {
    uint64_t at;
    enum file_kind kind;
    const char *name; /* or NULL */
    bool is_exported;
};

struct safe_place {
    const struct tracee *tracee;
    Dwfl *dwfl;
    struct file_list list;
    uint64_t loader_state; /* address of r_state */
    struct frame frames[FRAMES_LIMIT];
    size_t count;
    pid_t tid;
    bool is_in_handler;
};

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word,
                      void *argument)
{
    const struct safe_place *place = argument;

    (void)dwfl;
    return tracee_read(place->tracee, address, word, sizeof *word);
}

/* Give libdwfl the one thread that is looked at. */
static pid_t next_thread(Dwfl *dwfl, void *argument, void **thread)
{
    const struct safe_place *place = argument;

    (void)dwfl;
    if (*thread != NULL)
        return 0;
    *thread = argument;
    return place->tid;
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
    const struct safe_place *place = argument;
    struct user_regs_struct now;

    /* In DWARF's order. */
    return tracee_get_registers(place->tid, &now) &&
           dwfl_thread_state_registers(
               thread, 0, 17,
               (Dwarf_Word[]){ now.rax, now.rdx, now.rcx, now.rbx, now.rsi,
                               now.rdi, now.rbp, now.rsp, now.r8, now.r9,
                               now.r10, now.r11, now.r12, now.r13, now.r14,
                               now.r15, now.rip });
}

static bool has_allocator(Dwfl_Module *module)
{
    for (int i = dwfl_module_getsymtab(module); --i > 0;) {
        GElf_Sym symbol;
        const char *name = dwfl_module_getsym(module, i, &symbol, NULL);

        if (name != NULL && symbol.st_shndx != SHN_UNDEF &&
            GELF_ST_TYPE(symbol.st_info) == STT_FUNC &&
            place_is(ALLOCATOR_MARK, name))
            return true;
    }
    return false;
}

static void add_mapping(struct file_list *list, const struct smaps_entry *entry)
{
    struct file *last = list->count == 0 ? NULL : &list->files[list->count - 1];

    if (entry->path[0] != '/')
        return;
    if (last == NULL || entry->offset == 0 ||
        entry->inode != last->first.inode) {
        if (last != NULL && !last->has_code)
            list->count--;
        ARENA_ADD(list->arena, list->files, list->count,
                  (struct file){ .first = *entry });
        last = &list->files[list->count - 1];
    }
    last->end = entry->end;
    last->has_code |= entry->access[2] == 'x';
}

static bool is_same_list(const struct file_list *left,
                         const struct file_list *right)
{
    bool is_same = left->count == right->count;

    for (size_t i = 0; is_same && i < left->count; i++) {
        const struct file *a = &left->files[i], *b = &right->files[i];

        is_same = a->first.start == b->first.start && a->end == b->end &&
                  a->first.inode == b->first.inode &&
                  strcmp(a->first.path, b->first.path) == 0;
    }
    return is_same;
}

/* Open a file for libdwfl. It is read, not mapped: the program may cut it
   off. */
static int open_file(Dwfl_Module *module, void **data, const char *name,
                     Dwarf_Addr start, char **path, Elf **elf)
{
    const struct file *file = *data;
    int fd = process_mapped_open(file->pid, &file->first);

    (void)module;
    (void)name;
    (void)start;
    (void)path;
    *elf = fd < 0 || elf_version(EV_CURRENT) == EV_NONE
               ? NULL
               : elf_begin(fd, ELF_C_READ, NULL);
    if (*elf != NULL || fd < 0)
        return fd;
    close(fd);
    return -1;
}

void safe_place_refresh(struct safe_place *place)
{
    struct smaps maps = { .file = process_file(place->tracee->pid, "maps") };
    struct file_list list = { .arena = arena_create() };
    struct smaps_entry entry;

    while (smaps_next(&maps, &entry))
        add_mapping(&list, &entry);
    smaps_end(&maps);
    if (list.count > 0 && !list.files[list.count - 1].has_code)
        list.count--;
    if (is_same_list(&place->list, &list)) {
        arena_destroy(list.arena);
        return;
    }
    arena_destroy(place->list.arena);
    place->list = list;
    dwfl_report_begin(place->dwfl);
    for (size_t i = 0; i < list.count; i++) {
        struct file *file = &list.files[i];
        void **data;

        file->pid = place->tracee->pid;
        file->module = memory_or_exit(dwfl_report_module(
            place->dwfl, file->first.path, file->first.start, file->end));
        dwfl_module_info(file->module, &data, NULL, NULL, NULL, NULL, NULL,
                         NULL);
        *data = file;
    }
    dwfl_report_end(place->dwfl, NULL, NULL);
    for (size_t i = 0; i < list.count; i++) {
        struct file *file = &list.files[i];

        file->kind = file_kind_of(file->first.path);
        if (file->kind == FILE_OTHER && has_allocator(file->module))
            file->kind = FILE_WITH_ALLOCATOR;
        if (file->kind == FILE_LIBC || file->kind == FILE_WITH_ALLOCATOR)
            file->names = symbol_table_create(list.arena, file->module);
    }
}

struct safe_place *safe_place_open(const struct tracee *tracee)
{
    static const Dwfl_Callbacks files = {
        .find_elf = open_file,
        .find_debuginfo = dwfl_build_id_find_debuginfo,
    };
    static const Dwfl_Thread_Callbacks threads = {
        .next_thread = next_thread,
        .memory_read = read_word,
        .set_initial_registers = set_registers,
    };
    struct safe_place *place = memory_zeroed(1, sizeof *place);

    place->tracee = tracee;
    place->tid = tracee->pid;
    place->dwfl = memory_or_exit(dwfl_begin(&files));
    safe_place_refresh(place);
    place->loader_state = safe_place_symbol(place, "_r_debug") + LOADER_STATE;
    if (place->loader_state != LOADER_STATE &&
        dwfl_attach_state(place->dwfl, NULL, tracee->pid, &threads, place))
        return place;
    tracee_fail(tracee, "cannot read the program's loader or files; start the "
                        "program under tally record");
    safe_place_close(place);
    return NULL;
}

void safe_place_close(struct safe_place *place)
{
    arena_destroy(place->list.arena);
    dwfl_end(place->dwfl);
    free(place);
}

bool safe_place_is_loader_idle(const struct safe_place *place)
{
    int state;

    return tracee_read(place->tracee, place->loader_state, &state,
                       sizeof state) &&
           state == 0;
}

static int add_frame(Dwfl_Frame *state, void *argument)
{
    struct safe_place *place = argument;
    struct frame *frame = &place->frames[place->count];
    struct symbol_match match;
    Dwfl_Module *module;
    Dwarf_Addr pc;
    bool is_activation;

    if (place->count == FRAMES_LIMIT ||
        !dwfl_frame_pc(state, &pc, &is_activation))
        return DWARF_CB_ABORT;
    place->is_in_handler |= place->count++ > 0 && is_activation;
    *frame = (struct frame){ .kind = FILE_OTHER };
    pc -= !is_activation;
    frame->at = pc;
    module = dwfl_addrmodule(place->dwfl, pc);
    for (size_t i = 0; i < place->list.count; i++) {
        const struct file *file = &place->list.files[i];

        if (file->module != module)
            continue;
        frame->kind = file->kind;
        if (file->names != NULL && symbol_table_find(file->names, pc, &match) &&
            match.is_certain) {
            frame->name = match.name;
            frame->is_exported = match.is_global;
        }
    }
    return DWARF_CB_OK;
}

static bool refuse(char *why, const char *where, const char *name)
{
    snprintf(why, SAFE_PLACE_WHY_SIZE, "is %s%s%s%s", where,
             name == NULL ? "" : " (", name == NULL ? "" : name,
             name == NULL ? "" : ")");
    return false;
}

/* Return true for frames of libc that began the thread or called main(). */
static bool is_bottom(const struct safe_place *place, size_t from, size_t to)
{
    const char *name = place->frames[to - 1].name;

    return from > 0 && to - from <= LIBC_AT_BOTTOM &&
           (to == place->count || (to + 1 == place->count && name != NULL &&
                                   place_is_named(name, "__libc_start_main")));
}

/* Return true in a system call that libc makes without a lock. Calls on memory
   are not: pthread_join(), too, goes on to free a stack. */
static bool is_waiting(const struct safe_place *place)
{
    struct user_regs_struct now;

    if (!tracee_get_registers(place->tid, &now))
        return false;
    switch ((int64_t)now.orig_rax) {
    case -1:
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_mremap:
    case SYS_madvise:
    case SYS_brk:
        return false;
    default:
        return true;
    }
}

/* Judge frames [from, to) of libc, which another file called. */
static bool is_libc_safe(const struct safe_place *place, size_t from, size_t to,
                         char *why)
{
    const char *called = place->frames[to - 1].name;

    if (is_bottom(place, from, to) ||
        (called != NULL && place_is(ONLY_WAITING, called) && is_waiting(place)))
        return true;
    for (const struct frame *frame = &place->frames[from];
         frame < &place->frames[to]; frame++) {
        if (frame->name == NULL || !frame->is_exported)
            return refuse(why, "inside libc, in a function without a symbol",
                          called);
        if (place_is(FORBIDDEN, frame->name))
            return refuse(why, "inside libc, where it may hold a lock",
                          frame->name);
    }
    return true;
}

static bool are_frames_safe(const struct safe_place *place, char *why)
{
    for (size_t i = 0, end; i < place->count; i = end) {
        const struct frame *frame = &place->frames[i];

        end = i + 1;
        if (frame->kind == FILE_NEVER)
            return refuse(why, "in the loader, an allocator or the unwinder",
                          NULL);
        if (frame->kind == FILE_WITH_ALLOCATOR && frame->name != NULL &&
            place_is(ALLOCATOR, frame->name))
            return refuse(why, "in the program's allocator", frame->name);
        while (end < place->count && frame->kind == FILE_LIBC &&
               place->frames[end].kind == FILE_LIBC)
            end++;
        if (frame->kind == FILE_LIBC && !is_libc_safe(place, i, end, why))
            return false;
    }
    return true;
}

/* Return true in a critical section that restarts when interrupted. rseq_cs may
   name a section that has ended. */
static bool is_in_rseq(const struct safe_place *place)
{
    struct __ptrace_rseq_configuration area;
    struct {
        uint64_t version, start, size, abort;
    } section;
    struct user_regs_struct now;
    uint64_t at = 0;

    return ptrace(PTRACE_GET_RSEQ_CONFIGURATION, place->tid, sizeof area,
                  &area) > 0 &&
           area.rseq_abi_pointer != 0 &&
           tracee_read(place->tracee, area.rseq_abi_pointer + RSEQ_CS, &at,
                       sizeof at) &&
           at != 0 &&
           (!tracee_get_registers(place->tid, &now) ||
            !tracee_read(place->tracee, at, &section, sizeof section) ||
            now.rip - section.start < section.size);
}

/* Return false if frames do not lead to the thread's beginning. */
static bool find_frames(struct safe_place *place, pid_t tid)
{
    place->tid = tid;
    place->count = 0;
    place->is_in_handler = false;
    return dwfl_getthread_frames(place->dwfl, tid, add_frame, place) == 0;
}

bool safe_place_is_in(struct safe_place *place, pid_t tid, uint64_t start,
                      uint64_t size)
{
    bool is_whole = find_frames(place, tid);

    for (size_t i = 0; i < place->count; i++) {
        if (place->frames[i].at - start < size)
            return true;
    }
    return !is_whole;
}

bool safe_place_look(struct safe_place *place, pid_t tid,
                     char why[SAFE_PLACE_WHY_SIZE])
{
    bool is_whole = find_frames(place, tid);

    if (is_in_rseq(place))
        return refuse(why, "in a restartable sequence", NULL);
    if (place->is_in_handler)
        return refuse(why, "in a signal handler", NULL);
    return are_frames_safe(place, why) &&
           (is_whole ||
            refuse(why, "in code whose callers cannot be found", NULL));
}

uint64_t safe_place_symbol(const struct safe_place *place, const char *name)
{
    for (size_t i = 0; i < place->list.count; i++) {
        Dwfl_Module *module = place->list.files[i].module;
        enum file_kind kind = place->list.files[i].kind;
        int count = kind == FILE_LIBC || kind == FILE_NEVER
                        ? dwfl_module_getsymtab(module)
                        : 0;

        while (--count > 0) {
            GElf_Sym symbol;
            GElf_Addr address;
            const char *found = dwfl_module_getsym_info(
                module, count, &symbol, &address, NULL, NULL, NULL);

            if (found != NULL && place_is_named(found, name) &&
                symbol.st_shndx != SHN_UNDEF &&
                GELF_ST_BIND(symbol.st_info) != STB_LOCAL)
                return address;
        }
    }
    return 0;
}
