/* SPDX-License-Identifier: Apache-2.0 */
/*
 * big_ledger.c - a ledger of many stacks, through the functions of real files
 *
 *     big_ledger FILE STACKS ELF_FILE...
 *
 * What a long run of a large program leaves, without the run: a tree of frames
 * between 5 and 60 deep, the same for the same arguments. Calls lie in
 * functions of the files, so that a report has names to find.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "format/ledger/ledger_layout.h"
#include "format/ledger/modules_layout.h"
#include "format/ledger/sites_layout.h"
#include "tests/fakes/random_sequence.h"

enum {
    PLACES_PER_MODULE = 8000,
    SHALLOWEST = 5,
    DEEPEST = 60,
    NEW_FRAMES = 6, /* of a stack, at most */
    FILE_SIZE = 1 << 28,
    SHARDS = 2,
};

struct place {
    uint32_t module;
    uint64_t address;
};

static unsigned char *bytes;
static struct ledger_header *header;
static struct place *places;
static size_t place_count;
static unsigned char *depths; /* of frames */
static struct random_sequence numbers = { 7 };

static void check(bool is_fine, const char *what)
{
    if (!is_fine) {
        perror(what);
        exit(2);
    }
}

static uint64_t add_segment(uint32_t kind, uint32_t index, uint64_t size)
{
    struct ledger_directory_entry *entries =
        (void *)(bytes + LEDGER_HEADER_SIZE);
    uint64_t offset = header->used_bytes;

    size = (size + LEDGER_PAGE - 1) & ~(uint64_t)(LEDGER_PAGE - 1);
    check(header->directory_used < LEDGER_DIRECTORY_CAPACITY &&
              offset + size <= FILE_SIZE,
          "too many");
    entries[header->directory_used++] =
        (struct ledger_directory_entry){ kind, index, offset, size, 0 };
    header->used_bytes += size;
    return offset;
}

static struct ledger_text add_text(const char *text)
{
    struct ledger_text added = { .length = (uint32_t)strlen(text) };

    added.offset =
        add_segment(LEDGER_SEGMENT_TEXT, header->directory_used, added.length);
    memcpy(bytes + added.offset, text, added.length);
    return added;
}

/* Return addresses within the functions of a symbol table. */
static void add_places(Elf_Scn *section, const GElf_Shdr *table,
                       uint32_t module, uint64_t bias)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = table->sh_size / table->sh_entsize;

    for (size_t i = 0; i < PLACES_PER_MODULE && count > 0; i++) {
        GElf_Sym symbol;

        gelf_getsym(data, (int)random_below(&numbers, (uint32_t)count),
                    &symbol);
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size < 8)
            continue;
        places = reallocarray(places, place_count + 1, sizeof *places);
        check(places != NULL, "memory");
        places[place_count++] = (struct place){
            module, bias + symbol.st_value + 1 +
                        random_below(&numbers, (uint32_t)symbol.st_size - 1)
        };
    }
}

static void read_build_id(Elf *elf, struct ledger_module *module)
{
    Elf_Scn *section = NULL;
    GElf_Shdr table;

    while ((section = elf_nextscn(elf, section)) != NULL) {
        Elf_Data *data = elf_getdata(section, NULL);
        size_t at = 0, next, name, description;
        GElf_Nhdr note;

        if (gelf_getshdr(section, &table) == NULL || table.sh_type != SHT_NOTE)
            continue;
        while ((next = gelf_getnote(data, at, &note, &name, &description)) >
               0) {
            if (note.n_type == NT_GNU_BUILD_ID &&
                note.n_descsz <= LEDGER_BUILD_ID_CAPACITY) {
                module->build_id_size = note.n_descsz;
                memcpy(module->build_id, (char *)data->d_buf + description,
                       note.n_descsz);
            }
            at = next;
        }
    }
}

static void add_module(struct ledger_module *modules, uint32_t index,
                       const char *path)
{
    uint64_t bias = UINT64_C(0x7f0000000000) + index * (UINT64_C(1) << 32);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    GElf_Shdr table;

    check(descriptor >= 0 && elf != NULL, path);
    modules[index] = (struct ledger_module){ .state = LEDGER_MODULE_LOADED,
                                             .start = bias,
                                             .end = bias + (1u << 31),
                                             .bias = bias,
                                             .path = add_text(path) };
    read_build_id(elf, &modules[index]);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &table) != NULL &&
            (table.sh_type == SHT_DYNSYM || table.sh_type == SHT_SYMTAB))
            add_places(section, &table, index, bias);
    }
    elf_end(elf);
    close(descriptor);
}

static struct ledger_frame *frame_at(uint32_t index)
{
    static uint64_t offsets[LEDGER_DIRECTORY_CAPACITY];
    uint32_t segment = index / LEDGER_FRAMES_PER_SEGMENT;

    if (offsets[segment] == 0)
        offsets[segment] = add_segment(LEDGER_SEGMENT_FRAMES, segment,
                                       LEDGER_FRAMES_PER_SEGMENT *
                                           sizeof(struct ledger_frame));
    return (struct ledger_frame *)(void *)(bytes + offsets[segment]) +
           index % LEDGER_FRAMES_PER_SEGMENT;
}

/* A frame that a stack ends in, most of it shared with stacks before. */
static uint32_t grow_stack(uint32_t *frame_count)
{
    uint32_t depth = SHALLOWEST + random_below(&numbers, DEEPEST - SHALLOWEST);
    uint32_t parent = 0;

    for (unsigned i = 0; i < 8 && *frame_count > 0; i++) {
        uint32_t found = 1 + random_below(&numbers, *frame_count);

        if (depths[found] < depth && depths[found] >= depths[parent])
            parent = found;
    }
    for (unsigned i = 0; i < NEW_FRAMES && depths[parent] < depth; i++) {
        struct place place =
            places[random_below(&numbers, (uint32_t)place_count)];
        uint32_t index = ++*frame_count;

        *frame_at(index) =
            (struct ledger_frame){ parent, place.module, place.address };
        depths[index] = (unsigned char)(depths[parent] + 1);
        parent = index;
    }
    return parent;
}

static void add_site(uint32_t id, uint32_t frame)
{
    static struct ledger_site *sites;
    static struct ledger_peak *peaks;
    uint32_t slot = id % LEDGER_SITES_PER_SEGMENT;
    struct place place =
        places[random_below(&numbers, (uint32_t)place_count / 16)];
    uint64_t blocks = 1 + random_below(&numbers, 1000);
    uint64_t freed = random_below(&numbers, (uint32_t)blocks + 1);
    struct ledger_counter *counters;
    uint64_t *temporary;

    if (sites == NULL || slot == 0)
        sites =
            (void *)(bytes + add_segment(LEDGER_SEGMENT_SITES,
                                         id / LEDGER_SITES_PER_SEGMENT,
                                         (2 + SHARDS) * LEDGER_PAGE +
                                             ledger_temporary_size(SHARDS)));
    if (peaks == NULL || id % LEDGER_PEAKS_PER_SEGMENT == 0)
        peaks = (void *)(bytes +
                         add_segment(LEDGER_SEGMENT_PEAKS,
                                     id / LEDGER_PEAKS_PER_SEGMENT,
                                     LEDGER_PEAKS_PER_SEGMENT * sizeof *peaks));
    sites[slot] = (struct ledger_site){ .kind = LEDGER_SITE_HEAP,
                                        .module = place.module,
                                        .address = place.address,
                                        .frame = frame };
    counters = (void *)(sites + LEDGER_SITES_PER_SEGMENT);
    counters[slot] =
        (struct ledger_counter){ blocks, blocks * 48, freed, freed * 48 };
    peaks[id % LEDGER_PEAKS_PER_SEGMENT] =
        (struct ledger_peak){ blocks - freed, (blocks - freed) * 48 };
    temporary = (void *)(counters + SHARDS * LEDGER_SITES_PER_SEGMENT);
    temporary[slot] = freed / 2;
    header->peak_bytes += (int64_t)((blocks - freed) * 48);
    header->peak_copied += (blocks - freed) * 48;
}

static void begin(const char *program)
{
    *header =
        (struct ledger_header){ .major = LEDGER_MAJOR,
                                .minor = LEDGER_MINOR,
                                .byte_order = LEDGER_BYTE_ORDER,
                                .used_bytes = LEDGER_FIRST_SEGMENT,
                                .control = LEDGER_CONTROL_ON,
                                .flags =
                                    LEDGER_FLAG_STACKS | LEDGER_FLAG_TEMPORARY,
                                .shard_count = SHARDS,
                                .directory_capacity = LEDGER_DIRECTORY_CAPACITY,
                                .pid = 1,
                                .start_ns = 1,
                                .end_ns = 1000000001,
                                .ended = 1 };
    memcpy(header->magic, LEDGER_MAGIC, LEDGER_MAGIC_SIZE);
    header->program = add_text(program);
    header->command_line = add_text(program);
}

int main(int argc, char **argv)
{
    uint32_t stacks = argc > 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    struct ledger_module *modules;
    uint32_t frame_count = 0;
    int descriptor;

    if (stacks == 0) {
        fputs("usage: big_ledger FILE STACKS ELF_FILE...\n", stderr);
        return 2;
    }
    elf_version(EV_CURRENT);
    descriptor = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    check(descriptor >= 0 && ftruncate(descriptor, FILE_SIZE) == 0, argv[1]);
    bytes = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
                 descriptor, 0);
    check(bytes != MAP_FAILED, argv[1]);
    depths = calloc((size_t)stacks * NEW_FRAMES + 1, 1);
    check(depths != NULL, "memory");
    header = (void *)bytes;
    begin(argv[3]);
    modules = (void *)(bytes + add_segment(LEDGER_SEGMENT_MODULES, 0,
                                           LEDGER_MODULES_PER_SEGMENT *
                                               sizeof *modules));
    for (int i = 3; i < argc; i++) {
        header->module_count = (uint32_t)i - 2;
        add_module(modules, header->module_count, argv[i]);
    }
    check(place_count >= 16, "no functions");
    for (uint32_t id = 1; id <= stacks; id++) {
        header->site_count = id;
        add_site(id, grow_stack(&frame_count));
    }
    check(ftruncate(descriptor, (off_t)header->used_bytes) == 0, argv[1]);
    printf("%u stacks, %u frames, %zu places, %u segments\n", stacks,
           frame_count, place_count, header->directory_used);
    return 0;
}
