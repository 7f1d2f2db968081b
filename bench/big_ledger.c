/* SPDX-License-Identifier: Apache-2.0 */
/*
 * big_ledger.c - write a ledger with many stacks in functions of real files
 *
 *     big_ledger FILE STACKS INSTANTS ELF_FILE...
 *
 * The ledger is like that of a long run of a large program: a tree of frames
 * between 5 and 60 deep, equal for equal arguments. Calls lie in functions of
 * the files, so that a report finds names. The first snapshot has most of the
 * allocations; in each later one about 1,000 stacks change. Most stacks
 * allocate blocks of one size.
 */
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/ledger/history_reader.h"
#include "tests/fakes/fake_ledger.h"
#include "tests/fakes/random_sequence.h"

enum {
    PLACES_PER_MODULE = 8000,
    SHALLOWEST = 5,
    DEEPEST = 60,
    NEW_FRAMES = 6, /* largest number per stack */
    FILE_SIZE = 1 << 30,
    SHARDS = 2,
    CHANGES = 1000, /* per snapshot */
    LONGEST_CHANGE = 5 + 4 * 10,
};

struct place {
    uint32_t module;
    uint64_t address;
};

static struct fake_ledger *ledger;
static struct place *places;
static size_t place_count;
static unsigned char *depths; /* depth of each frame */
static struct random_sequence numbers = { 7 };

static void check(bool is_fine, const char *what)
{
    if (!is_fine) {
        perror(what);
        exit(2);
    }
}

/* Add return addresses within the functions of a symbol table. */
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

static void add_module(uint32_t number, const char *path)
{
    uint64_t bias = UINT64_C(0x7f0000000000) + number * (UINT64_C(1) << 32);
    uint32_t index = fake_ledger_add_module(ledger, path, "", bias);
    struct ledger_module *module = fake_ledger_module(ledger, index);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
    Elf_Scn *section = NULL;
    GElf_Shdr table;

    check(descriptor >= 0 && elf != NULL, path);
    module->end = bias + (1u << 31);
    read_build_id(elf, module);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        if (gelf_getshdr(section, &table) != NULL &&
            (table.sh_type == SHT_DYNSYM || table.sh_type == SHT_SYMTAB))
            add_places(section, &table, index, bias);
    }
    elf_end(elf);
    close(descriptor);
}

/* Return the last frame of a new stack, most of it shared with earlier
   stacks. */
static uint32_t grow_stack(void)
{
    uint32_t depth = SHALLOWEST + random_below(&numbers, DEEPEST - SHALLOWEST);
    uint32_t parent = 0;

    for (unsigned i = 0; i < 8 && ledger->frame_count > 0; i++) {
        uint32_t found = 1 + random_below(&numbers, ledger->frame_count);

        if (depths[found] < depth && depths[found] >= depths[parent])
            parent = found;
    }
    for (unsigned i = 0; i < NEW_FRAMES && depths[parent] < depth; i++) {
        struct place place =
            places[random_below(&numbers, (uint32_t)place_count)];
        uint32_t index =
            fake_ledger_add_frame(ledger, parent, place.module, place.address);

        depths[index] = (unsigned char)(depths[parent] + 1);
        parent = index;
    }
    return parent;
}

/* Return counters of blocks of about one size, some of them freed. */
static struct ledger_counter allocate(uint32_t id, uint32_t most)
{
    uint64_t blocks = 1 + random_below(&numbers, most);
    uint64_t freed = random_below(&numbers, (uint32_t)blocks + 1);
    uint64_t size = 8 + id * UINT64_C(2654435761) % 1000, more = 0;

    if (id % 5 == 0)
        more = random_below(&numbers, (uint32_t)blocks * 16);
    return (struct ledger_counter){ blocks, blocks * size + more, freed,
                                    freed * size + more * freed / blocks };
}

static unsigned char *put_number(unsigned char *out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *out++ = (unsigned char)(number | 0x80);
    *out++ = (unsigned char)number;
    return out;
}

/* Write one more change of a run, and add it to the stack's sum. */
static unsigned char *put_change(unsigned char *out, uint32_t way,
                                 const struct ledger_counter *grown,
                                 struct ledger_counter *sum)
{
    out = put_number(out, way);
    out = put_number(out, grown->alloc_blocks);
    out = put_number(out, grown->alloc_bytes);
    out = put_number(out, grown->free_blocks);
    out = put_number(out, grown->free_bytes);
    sum->alloc_blocks += grown->alloc_blocks;
    sum->alloc_bytes += grown->alloc_bytes;
    sum->free_blocks += grown->free_blocks;
    sum->free_bytes += grown->free_bytes;
    return out;
}

/* Write a history of `instants` snapshots, at least one, if `is_kept`; add it
   to the sums anyway. */
static void add_history(struct ledger_counter *sums, uint32_t stacks,
                        uint32_t instants, bool is_kept)
{
    size_t head = sizeof(struct ledger_history) +
                  instants * sizeof(struct ledger_instant);
    unsigned char *bytes = calloc(
        head + LONGEST_CHANGE * (stacks + (size_t)instants * 2 * CHANGES), 1);
    unsigned char *out = bytes + head;
    struct ledger_instant *list =
        (void *)(bytes + sizeof(struct ledger_history));
    uint32_t step = stacks > CHANGES ? stacks / CHANGES : 1;

    check(bytes != NULL, "memory");
    ((struct ledger_history *)(void *)bytes)->instant_count = instants;
    for (uint32_t i = 0; i < instants; i++) {
        for (uint32_t id = 0;;) {
            uint32_t way =
                i == 0 ? 1 : 1 + random_below(&numbers, 2 * step - 1);
            struct ledger_counter grown = allocate(id + way, i == 0 ? 1000 : 8);

            if (id + way > stacks)
                break;
            id += way;
            out = put_change(out, way, &grown, &sums[id]);
        }
        list[i].ns = 1 + (uint64_t)i * 1000000000 / instants;
        list[i].end = (uint64_t)(out - bytes - (ptrdiff_t)head);
    }
    if (is_kept)
        memcpy(fake_ledger_add_history(ledger, (size_t)(out - bytes)), bytes,
               (size_t)(out - bytes));
    free(bytes);
}

static void add_site(uint32_t frame, const struct ledger_counter *sum)
{
    struct place place =
        places[random_below(&numbers, (uint32_t)place_count / 16)];
    uint64_t live = sum->alloc_blocks - sum->free_blocks;
    uint64_t live_bytes = sum->alloc_bytes - sum->free_bytes;
    uint64_t more = random_below(&numbers, (uint32_t)sum->free_blocks / 4 + 1);
    uint64_t peak_bytes =
        live_bytes + more * (sum->alloc_bytes / sum->alloc_blocks);
    uint32_t id = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, place.module,
                                       place.address);

    fake_ledger_site(ledger, id)->frame = frame;
    *fake_ledger_counter(ledger, id, 0) = *sum;
    *fake_ledger_peak(ledger, id) =
        (struct ledger_peak){ live + more, peak_bytes };
    *fake_ledger_temporary(ledger, id, 0) = sum->free_blocks / 2;
    ledger->header->peak_bytes += (int64_t)peak_bytes;
    ledger->header->peak_copied += peak_bytes;
}

static void begin(const char *program)
{
    struct ledger_header *header;

    ledger = fake_ledger_create_large(SHARDS, FILE_SIZE);
    header = ledger->header;
    header->pid = 1;
    header->parent_pid = 0;
    header->start_ns = 1;
    header->end_ns = 1000000001;
    header->program = fake_ledger_text(ledger, program, strlen(program));
    header->command_line = header->program;
}

int main(int argc, char **argv)
{
    uint32_t stacks = argc > 4 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    uint32_t instants = argc > 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;
    struct ledger_counter *sums;

    if (stacks == 0 || instants > LEDGER_INSTANT_CAPACITY) {
        fputs("usage: big_ledger FILE STACKS INSTANTS ELF_FILE...\n", stderr);
        return 2;
    }
    elf_version(EV_CURRENT);
    depths = calloc((size_t)stacks * NEW_FRAMES + 1, 1);
    sums = calloc((size_t)stacks + 1, sizeof *sums);
    check(depths != NULL && sums != NULL, "memory");
    begin(argv[4]);
    for (int i = 4; i < argc; i++)
        add_module((uint32_t)i - 3, argv[i]);
    check(place_count >= 16, "no functions");
    add_history(sums, stacks, instants == 0 ? 1 : instants, instants > 0);
    for (uint32_t id = 1; id <= stacks; id++)
        add_site(grow_stack(), &sums[id]);
    fake_ledger_save(ledger, argv[1]);
    printf("%u stacks, %u frames, %zu places, %u segments\n", stacks,
           ledger->frame_count, place_count, ledger->header->directory_used);
    free(sums);
    return 0;
}
