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
#include <unistd.h>

#include "tests/fakes/fake_ledger.h"
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

static struct fake_ledger *ledger;
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

/* A frame that a stack ends in, most of it shared with stacks before. */
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

static void add_site(uint32_t frame)
{
    struct place place =
        places[random_below(&numbers, (uint32_t)place_count / 16)];
    uint64_t blocks = 1 + random_below(&numbers, 1000);
    uint64_t freed = random_below(&numbers, (uint32_t)blocks + 1);
    uint32_t id = fake_ledger_add_site(ledger, LEDGER_SITE_HEAP, place.module,
                                       place.address);

    fake_ledger_site(ledger, id)->frame = frame;
    *fake_ledger_counter(ledger, id, 0) =
        (struct ledger_counter){ blocks, blocks * 48, freed, freed * 48 };
    *fake_ledger_peak(ledger, id) =
        (struct ledger_peak){ blocks - freed, (blocks - freed) * 48 };
    *fake_ledger_temporary(ledger, id, 0) = freed / 2;
    ledger->header->peak_bytes += (int64_t)((blocks - freed) * 48);
    ledger->header->peak_copied += (blocks - freed) * 48;
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
    uint32_t stacks = argc > 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;

    if (stacks == 0) {
        fputs("usage: big_ledger FILE STACKS ELF_FILE...\n", stderr);
        return 2;
    }
    elf_version(EV_CURRENT);
    depths = calloc((size_t)stacks * NEW_FRAMES + 1, 1);
    check(depths != NULL, "memory");
    begin(argv[3]);
    for (int i = 3; i < argc; i++)
        add_module((uint32_t)i - 2, argv[i]);
    check(place_count >= 16, "no functions");
    for (uint32_t id = 1; id <= stacks; id++)
        add_site(grow_stack());
    fake_ledger_save(ledger, argv[1]);
    printf("%u stacks, %u frames, %zu places, %u segments\n", stacks,
           ledger->frame_count, place_count, ledger->header->directory_used);
    return 0;
}
