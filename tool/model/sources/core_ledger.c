/* SPDX-License-Identifier: Apache-2.0 */
/* core_ledger.c - see sources.h */
#include "tool/model/sources/sources.h"

#include <gelf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "format/events/events_area.h"
#include "tool/files/files.h"

/* Mapping of a file in the process. */
struct core_map {
    uint64_t start, size;
    uint64_t extent; /* number of the extent in the session's file, from 1 */
    uint64_t offset; /* in that */
};

struct core {
    int descriptor;
    Elf *elf;
    size_t load_count;
    uint64_t size;     /* bytes of the dump */
    uint64_t left;     /* bytes that may be read yet */
    bool is_cut;       /* some wanted bytes lie behind the end */
    unsigned searches; /* for memory, so far */
    uint32_t signal;   /* cause of the dump; 0: none, the process may run on */

    /* List of mapped files, and the position in it. */
    const unsigned char *list;
    uint64_t page, count, number;
    const char *name, *end;
};

enum {
    ENTRY = 24,
    HEAD = 16,
    MOST_SEARCHES = 4096,
    SIGNAL_AT = 12, /* in struct elf_prstatus */
};

/* Go to the first entry; return false if the list is missing or damaged. */
static bool begin_maps(struct core *core, const Elf_Data *notes, size_t at,
                       size_t size)
{
    core->list = (const unsigned char *)notes->d_buf + at;
    core->count = size < HEAD ? 0 : read_u64le(core->list);
    core->page = size < HEAD ? 0 : read_u64le(core->list + 8);
    core->number = 0;
    if (core->count == 0 || core->count > (size - HEAD) / ENTRY ||
        core->page == 0 || core->page > SESSION_EXTENT_SIZE)
        return false;
    core->name = (const char *)core->list + HEAD + core->count * ENTRY;
    core->end = (const char *)core->list + size;
    return true;
}

/* Go to the next mapping of a session that may be of a ledger. */
static bool next_map(struct core *core, struct core_map *map)
{
    while (core->number < core->count) {
        const unsigned char *entry = core->list + HEAD + core->number++ * ENTRY;
        const char *name = core->name;
        const char *zero = memchr(name, '\0', (size_t)(core->end - name));
        uint64_t pages = read_u64le(entry + 16), offset = pages * core->page;

        if (zero == NULL)
            return false;
        core->name = zero + 1;
        *map = (struct core_map){
            .start = read_u64le(entry),
            .size = read_u64le(entry + 8) - read_u64le(entry),
            .extent = offset / SESSION_EXTENT_SIZE,
            .offset = offset % SESSION_EXTENT_SIZE,
        };
        if (strncmp(name, "/memfd:tally", strlen("/memfd:tally")) == 0 &&
            pages < SESSION_FILE_SIZE / core->page && map->extent > 0 &&
            map->offset < EVENTS_AREA_OFFSET &&
            map->size <= EVENTS_AREA_OFFSET - map->offset)
            return true;
    }
    return false;
}

/* Copy the dumped part of this memory; the rest of `to` stays. */
static int read_memory(struct core *core, uint64_t at, unsigned char *to,
                       uint64_t size)
{
    GElf_Phdr load;

    if (core->searches++ == MOST_SEARCHES)
        return -1; /* a ledger has fewer mappings */
    for (size_t i = 0; i < core->load_count; i++) {
        if (gelf_getphdr(core->elf, (int)i, &load) == NULL ||
            load.p_type != PT_LOAD || at < load.p_vaddr ||
            at - load.p_vaddr >= load.p_filesz)
            continue;
        at -= load.p_vaddr;
        if (size > load.p_filesz - at)
            size = load.p_filesz - at;
        at += load.p_offset;
        core->is_cut |= at > core->size || size > core->size - at;
        return core->is_cut ? -1
                            : regular_file_read_data(core->descriptor, to, size,
                                                     at, &core->left);
    }
    return 0;
}

/* Return the extent of a ledger, and its mapped size; 0 if none was dumped. */
static uint64_t find_extent(struct core *core, uint64_t *size)
{
    uint64_t extent = 0;
    struct core_map map;

    *size = 0;
    while (next_map(core, &map)) {
        unsigned char magic[LEDGER_MAGIC_SIZE] = { 0 };

        if (extent == 0 && map.offset == 0 &&
            read_memory(core, map.start, magic, sizeof magic) == 0 &&
            is_ledger(magic, sizeof magic))
            extent = map.extent;
        if (map.extent == extent && map.offset + map.size > *size)
            *size = map.offset + map.size;
    }
    core->number = 0;
    core->name = (const char *)core->list + HEAD + core->count * ENTRY;
    return *size < LEDGER_FIRST_SEGMENT ? 0 : extent;
}

static int is_cut_short(struct source_failure *failure)
{
    return source_fail(failure, "truncated core dump",
                       "check ulimit -c and free disk space");
}

/* Read the signal of the first thread, which received it. A debugger that stops
   the process gives another signal, or none. */
static void read_signal(struct core *core, const Elf_Data *notes, size_t at,
                        size_t size)
{
    static const uint8_t deadly[] = { SIGQUIT, SIGILL,  SIGABRT, SIGBUS,
                                      SIGFPE,  SIGSEGV, SIGSYS };
    const unsigned char *status = (const unsigned char *)notes->d_buf + at;

    if (core->signal == 0 && size >= SIGNAL_AT + sizeof(uint16_t) &&
        memchr(deadly, status[SIGNAL_AT], sizeof deadly) != NULL)
        core->signal = status[SIGNAL_AT];
}

/* Set the end of the process to the last data point, its best approximation. */
static void note_end(const struct core *core, unsigned char *bytes, size_t size)
{
    struct ledger_header *header = (void *)bytes;
    struct ledger_cursor cursor = { 0 };
    struct ledger_reader reader;
    struct ledger_sample sample;

    if (core->signal == 0 ||
        ledger_reader_open(&reader, bytes, size) != LEDGER_E_OK)
        return;
    header->ended = 1;
    header->end = LEDGER_END_KILLED;
    header->end_code = core->signal;
    header->end_ns = header->start_ns;
    while (ledger_reader_next_sample(&reader, &cursor, &sample) > 0) {
        if (sample.ns > header->end_ns)
            header->end_ns = sample.ns;
    }
}

static int copy_ledger(struct core *core, struct source *source,
                       struct source_failure *failure)
{
    uint64_t size, extent = find_extent(core, &size);
    struct ledger_header *header;
    struct core_map map;
    unsigned char *bytes;
    int error = 0;

    if (extent == 0 && core->is_cut)
        return is_cut_short(failure);
    if (extent == 0)
        return source_fail(failure, "no recording in this core dump",
                           "dump a program under tally record, with bit 1 set "
                           "in coredump_filter");
    bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return source_fail(failure, "not enough memory", "free some");
    while (error == 0 && next_map(core, &map)) {
        if (map.extent == extent)
            error = read_memory(core, map.start, bytes + map.offset, map.size);
    }
    header = (void *)bytes;
    header->used_bytes = size; /* the rest of a window is zero */
    note_end(core, bytes, size);
    source_open_bytes(source, bytes, size);
    return error == 0 ? 1 : is_cut_short(failure);
}

/* Find the note with the list of mapped files. */
static int read_core(struct core *core, struct source *source,
                     struct source_failure *failure)
{
    GElf_Phdr part;
    GElf_Nhdr note;

    for (size_t i = 0; i < core->load_count; i++) {
        Elf_Data *notes;
        size_t at = 0, next, name, bytes;

        if (gelf_getphdr(core->elf, (int)i, &part) == NULL ||
            part.p_type != PT_NOTE)
            continue;
        if (part.p_offset > core->left ||
            part.p_filesz > core->left - part.p_offset)
            return is_cut_short(failure);
        notes = elf_getdata_rawchunk(core->elf, (int64_t)part.p_offset,
                                     part.p_filesz, ELF_T_NHDR);
        while (notes != NULL &&
               (next = gelf_getnote(notes, at, &note, &name, &bytes)) > 0) {
            if (note.n_type == NT_PRSTATUS)
                read_signal(core, notes, bytes, note.n_descsz);
            if (note.n_type == NT_FILE &&
                begin_maps(core, notes, bytes, note.n_descsz))
                return copy_ledger(core, source, failure);
            at = next;
        }
    }
    return source_fail(failure, "core dump without a list of mapped files",
                       "use a dump by the kernel or gcore");
}

int core_ledger_read(int descriptor, struct source *source,
                     struct source_failure *failure)
{
    struct core core = { .descriptor = descriptor };
    struct stat status;
    GElf_Ehdr header;
    int result = 0;

    if (fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode))
        return 0;
    core.size = core.left = (uint64_t)status.st_size;
    elf_version(EV_CURRENT);
    core.elf = elf_begin(descriptor, ELF_C_READ, NULL);
    if (core.elf != NULL && gelf_getehdr(core.elf, &header) != NULL &&
        header.e_type == ET_CORE && gelf_getclass(core.elf) == ELFCLASS64 &&
        header.e_ident[EI_DATA] == ELFDATA2LSB &&
        elf_getphdrnum(core.elf, &core.load_count) == 0)
        result = read_core(&core, source, failure);
    elf_end(core.elf);
    return result;
}
