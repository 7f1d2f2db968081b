/* SPDX-License-Identifier: Apache-2.0 */
/* safe_place.c - unwinding a stopped thread; see safe_place.h */
#include "tool/attach/safe_place.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "tool/attach/place_names.h"
#include "tool/session/find/process_state.h"
#include "tool/symbols/symbol_table.h"
#include "tool/tables/array.h"

enum { FRAMES_LIMIT = 2048, LIBC_AT_BOTTOM = 2 };

enum {

    RSEQ_CS = 8,       /* offset of rseq_cs in struct rseq */
    LOADER_STATE = 24, /* offset of r_state in struct r_debug */
};

struct file {
    uint64_t start;
    Dwfl_Module *module;
    struct symbol_table *names; /* or NULL: none is asked for */
    enum file_kind kind;
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
    struct file *files;
    size_t file_count;
    char *files_text;      /* that they were reported by */
    uint64_t loader_state; /* address of r_state; 0: not known */
    struct frame frames[FRAMES_LIMIT];
    size_t count;
    pid_t tid;
    bool is_in_handler, is_too_deep;
};

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word,
                      void *argument)
{
    const struct safe_place *place = argument;

    (void)dwfl;
    return tracee_read(place->tracee, address, word, sizeof *word);
}

static pid_t next_thread(Dwfl *dwfl, void *argument, void **thread)
{
    const struct safe_place *place = argument;

    (void)dwfl;
    if (*thread != NULL)
        return 0;
    *thread = argument;
    return place->tid;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *argument, void **thread)
{
    (void)dwfl;
    (void)tid;
    *thread = argument;
    return true;
}

static bool set_registers(Dwfl_Thread *thread, void *argument)
{
    const struct safe_place *place = argument;
    struct user_regs_struct now;

    if (!tracee_get_registers(place->tid, &now))
        return false;
    /* In DWARF's order. */
    return dwfl_thread_state_registers(
        thread, 0, 17,
        (Dwarf_Word[]){ now.rax, now.rdx, now.rcx, now.rbx, now.rsi, now.rdi,
                        now.rbp, now.rsp, now.r8, now.r9, now.r10, now.r11,
                        now.r12, now.r13, now.r14, now.r15, now.rip });
}

/* What the stack is unwound by is in the files themselves. */
static int find_no_debug(Dwfl_Module *module, void **data, const char *name,
                         Dwarf_Addr base, const char *file, const char *link,
                         GElf_Word checksum, char **found)
{
    (void)module;
    (void)data;
    (void)name;
    (void)base;
    (void)file;
    (void)link;
    (void)checksum;
    (void)found;
    return -1;
}

/* /proc/PID/maps, with the files as they are found from here. */
static char *list_files(pid_t pid)
{
    struct smaps maps = { .file = process_file(pid, "maps") };
    struct smaps_entry entry;
    char *text = NULL;
    size_t size;
    FILE *file = memory_got(open_memstream(&text, &size));

    while (maps.file != NULL && smaps_next(&maps, &entry)) {
        if (entry.path[0] == '/')
            fprintf(file, "%lx-%lx %s %lx 00:00 %lu /proc/%ld/root%s\n",
                    (unsigned long)entry.start, (unsigned long)entry.end,
                    entry.access, (unsigned long)entry.offset,
                    (unsigned long)entry.inode, (long)pid, entry.path);
    }
    smaps_end(&maps);
    if (maps.file != NULL)
        fclose(maps.file);
    fclose(file);
    return memory_got(text);
}

static bool has_allocator(Dwfl_Module *module)
{
    for (int i = dwfl_module_getsymtab(module); --i > 0;) {
        GElf_Sym symbol;
        const char *name = dwfl_module_getsym(module, i, &symbol, NULL);

        if (name != NULL && symbol.st_shndx != SHN_UNDEF &&
            GELF_ST_TYPE(symbol.st_info) == STT_FUNC && is_allocator_mark(name))
            return true;
    }
    return false;
}

static int add_file(Dwfl_Module *module, void **data, const char *path,
                    Dwarf_Addr start, void *argument)
{
    struct safe_place *place = argument;
    struct file file = { .start = start,
                         .module = module,
                         .kind = file_kind_of(path) };
    (void)data;
    if (file.kind == FILE_OTHER && has_allocator(module))
        file.kind = FILE_WITH_ALLOCATOR;
    if (file.kind == FILE_LIBC || file.kind == FILE_WITH_ALLOCATOR)
        file.names = symbol_table_create(module);
    ARRAY_ADD(place->files, place->file_count, file);
    return DWARF_CB_OK;
}

static void forget_files(struct safe_place *place)
{
    for (size_t i = 0; i < place->file_count; i++)
        symbol_table_destroy(place->files[i].names);
    free(place->files);
    free(place->files_text);
    place->files = NULL;
    place->files_text = NULL;
    place->file_count = 0;
}

void safe_place_refresh(struct safe_place *place)
{
    char *text = list_files(place->tracee->pid);
    FILE *file;

    if (place->files_text != NULL && strcmp(text, place->files_text) == 0) {
        free(text);
        return;
    }
    forget_files(place);
    place->files_text = text;
    file = memory_got(fmemopen(text, strlen(text) + 1, "r"));
    dwfl_report_begin(place->dwfl);
    dwfl_linux_proc_maps_report(place->dwfl, file);
    dwfl_report_end(place->dwfl, NULL, NULL);
    fclose(file);
    dwfl_getmodules(place->dwfl, add_file, place, 0);
}

/* The value that the kernel told the program at its start; 0: none. */
static uint64_t auxiliary_value(const struct tracee *tracee, uint64_t type)
{
    FILE *file = process_file(tracee->pid, "auxv");
    Elf64_auxv_t entry;
    uint64_t value = 0;

    while (file != NULL && fread(&entry, sizeof entry, 1, file) == 1) {
        if (entry.a_type == type)
            value = entry.a_un.a_val;
    }
    if (file != NULL)
        fclose(file);
    return value;
}

/* Of the program's dynamic section, whose entry DT_DEBUG the loader fills. */
static uint64_t find_loader_state(const struct tracee *tracee)
{
    uint64_t at = auxiliary_value(tracee, AT_PHDR), dynamic = 0, bias = 0;
    uint64_t count = auxiliary_value(tracee, AT_PHNUM);
    Elf64_Phdr segment;
    Elf64_Dyn entry;

    for (uint64_t i = 0; i < count; i++) {
        if (!tracee_read(tracee, at + i * sizeof segment, &segment,
                         sizeof segment))
            return 0;
        if (segment.p_type == PT_PHDR)
            bias = at - segment.p_vaddr;
        if (segment.p_type == PT_DYNAMIC)
            dynamic = bias + segment.p_vaddr;
    }
    for (; dynamic != 0 && tracee_read(tracee, dynamic, &entry, sizeof entry) &&
           entry.d_tag != DT_NULL;
         dynamic += sizeof entry) {
        if (entry.d_tag == DT_DEBUG && entry.d_un.d_ptr != 0)
            return entry.d_un.d_ptr + LOADER_STATE;
    }
    return 0;
}

struct safe_place *safe_place_open(const struct tracee *tracee,
                                   struct session_failure *failure)
{
    static const Dwfl_Callbacks files = {
        .find_elf = dwfl_linux_proc_find_elf,
        .find_debuginfo = find_no_debug,
    };
    static const Dwfl_Thread_Callbacks threads = {
        .next_thread = next_thread,
        .get_thread = get_thread,
        .memory_read = read_word,
        .set_initial_registers = set_registers,
    };
    struct safe_place *place = memory_zeroed(1, sizeof *place);

    place->tracee = tracee;
    place->tid = tracee->pid;
    place->dwfl = memory_got(dwfl_begin(&files));
    safe_place_refresh(place);
    place->loader_state = find_loader_state(tracee);
    if (place->loader_state != 0 &&
        dwfl_attach_state(place->dwfl, NULL, tracee->pid, &threads, place))
        return place;
    session_fail(failure,
                 "process %ld: its loader or its files cannot be read; "
                 "start the program under tally record",
                 (long)tracee->pid);
    safe_place_close(place);
    return NULL;
}

void safe_place_close(struct safe_place *place)
{
    forget_files(place);
    dwfl_end(place->dwfl);
    free(place);
}

bool safe_place_is_loader_idle(const struct safe_place *place)
{
    int state = 1;

    return tracee_read(place->tracee, place->loader_state, &state,
                       sizeof state) &&
           state == 0;
}

static const struct file *find_file(const struct safe_place *place,
                                    Dwfl_Module *module)
{
    for (size_t i = 0; i < place->file_count; i++) {
        if (place->files[i].module == module)
            return &place->files[i];
    }
    return NULL;
}

static int add_frame(Dwfl_Frame *state, void *argument)
{
    struct safe_place *place = argument;
    struct frame frame = { .kind = FILE_OTHER };
    struct symbol_match match;
    const struct file *file;
    Dwarf_Addr pc;
    bool is_activation;

    place->is_too_deep = place->count == FRAMES_LIMIT;
    if (place->is_too_deep || !dwfl_frame_pc(state, &pc, &is_activation))
        return DWARF_CB_ABORT;
    if (place->count > 0)
        place->is_in_handler |= is_activation;
    pc -= !is_activation;
    file = find_file(place, dwfl_addrmodule(place->dwfl, pc));
    if (file != NULL)
        frame.kind = file->kind;
    if (file != NULL && file->names != NULL &&
        symbol_table_find(file->names, pc, &match) && match.is_certain) {
        frame.name = match.name;
        frame.is_exported = match.is_global;
    }
    frame.at = pc;
    place->frames[place->count++] = frame;
    return place->is_in_handler ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static bool refuse(char *why, const char *where, const char *name)
{
    snprintf(why, SAFE_PLACE_WHY_SIZE, "is %s%s%s%s", where,
             name == NULL ? "" : " (", name == NULL ? "" : name,
             name == NULL ? "" : ")");
    return false;
}

/* Of libc that began the thread, or its main(). */
static bool is_bottom(const struct safe_place *place, size_t from, size_t to)
{
    bool is_main = to + 1 == place->count &&
                   place->frames[to - 1].name != NULL &&
                   strcmp(place->frames[to - 1].name, "__libc_start_main") == 0;

    return from > 0 && to - from <= LIBC_AT_BOTTOM &&
           (to == place->count || is_main);
}

/* Frames [from, to) of libc, that another file called. */
static bool is_libc_safe(const struct safe_place *place, size_t from, size_t to,
                         char *why)
{
    const struct frame *called = &place->frames[to - 1];

    if (is_bottom(place, from, to))
        return true;
    if (called->name != NULL && called->is_exported &&
        is_only_waiting(called->name))
        return true;
    for (size_t i = from; i < to; i++) {
        const struct frame *frame = &place->frames[i];

        if (frame->name == NULL || !frame->is_exported)
            return refuse(why, "in a part of libc without a name",
                          called->name);
        if (is_forbidden(frame->name))
            return refuse(why, "in a part of libc that locks or allocates",
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
            is_allocator(frame->name))
            return refuse(why, "in the program's allocator", frame->name);
        if (frame->kind != FILE_LIBC)
            continue;
        while (end < place->count && place->frames[end].kind == FILE_LIBC)
            end++;
        if (!is_libc_safe(place, i, end, why))
            return false;
    }
    return true;
}

/* A critical section that begins anew when it is interrupted. What lies in
   rseq_cs may be of one that has ended. */
static bool is_in_rseq(const struct safe_place *place)
{
    struct {
        uint64_t area;
        uint32_t size, signature, flags, pad;
    } configuration;
    struct {
        uint32_t version, flags;
        uint64_t start, size, abort;
    } section;
    struct user_regs_struct now;
    uint64_t address = 0;

    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, place->tid, sizeof configuration,
               &configuration) <= 0 ||
        configuration.area == 0 ||
        !tracee_read(place->tracee, configuration.area + RSEQ_CS, &address,
                     sizeof address) ||
        address == 0)
        return false;
    return !tracee_get_registers(place->tid, &now) ||
           !tracee_read(place->tracee, address, &section, sizeof section) ||
           now.rip - section.start < section.size;
}

static int find_frames(struct safe_place *place, pid_t tid)
{
    place->tid = tid;
    place->count = 0;
    place->is_in_handler = false;
    place->is_too_deep = false;
    return dwfl_getthread_frames(place->dwfl, tid, add_frame, place);
}

bool safe_place_is_in(struct safe_place *place, pid_t tid, uint64_t start,
                      uint64_t size)
{
    int result = find_frames(place, tid);

    for (size_t i = 0; i < place->count; i++) {
        if (place->frames[i].at - start < size)
            return true;
    }
    return result != 0;
}

bool safe_place_look(struct safe_place *place, pid_t tid,
                     char why[SAFE_PLACE_WHY_SIZE])
{
    int result;

    place->tid = tid;
    if (is_in_rseq(place))
        return refuse(why, "in a restartable sequence", NULL);
    result = find_frames(place, tid);
    if (place->is_in_handler)
        return refuse(why, "in a signal handler", NULL);
    if (place->is_too_deep)
        return refuse(why, "too deep in calls", NULL);
    if (!are_frames_safe(place, why))
        return false;
    return result == 0 ||
           refuse(why, "in code whose callers cannot be found", NULL);
}

uint64_t safe_place_function(const struct safe_place *place, const char *name)
{
    for (size_t i = 0; i < place->file_count; i++) {
        const struct file *file = &place->files[i];
        int count =
            file->kind == FILE_LIBC ? dwfl_module_getsymtab(file->module) : 0;

        while (--count > 0) {
            GElf_Sym symbol;
            GElf_Addr address;
            const char *found = dwfl_module_getsym_info(
                file->module, count, &symbol, &address, NULL, NULL, NULL);

            if (found != NULL && strcmp(found, name) == 0 &&
                symbol.st_shndx != SHN_UNDEF)
                return address;
        }
    }
    return 0;
}
