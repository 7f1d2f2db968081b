/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_displaced.c - moved instructions keep their effect
 *
 * For each function of Debian's libraries, the moved code disassembles to the
 * same targets and operands, by an independent formatter.
 */
#include "tool/patch/patch.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <gelf.h>

#include <Zydis/Zydis.h>

enum { FUNCTIONS_AT_LEAST = 10000, FAR = 0x10000000 };

static const char *const libraries[] = {
    "libc.so.6",        "libstdc++.so.6", "libcrypto.so.3",
    "libncursesw.so.6", "libm.so.6",      "libelf.so.1",
};

struct tally_of_functions {
    size_t moved, refused;
};

/* Format as text, with absolute targets and operands. */
static size_t read_text(const uint8_t *bytes, size_t size, uint64_t address,
                        char text[256])
{
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction instruction;
    ZydisFormatter formatter;
    ZydisDecoder decoder;

    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
                     ZYDIS_STACK_WIDTH_64);
    ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
    ZydisFormatterSetProperty(&formatter, ZYDIS_FORMATTER_PROP_FORCE_SIZE, 1);
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size,
                                             &instruction, operands)) ||
        !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(
            &formatter, &instruction, operands,
            instruction.operand_count_visible, text, 256, address, NULL)))
        fail_msg("not an instruction at %#lx", (unsigned long)address);
    return instruction.length;
}

static void compare(const struct displaced *displaced, const uint8_t *function,
                    uint64_t address, uint64_t moved)
{
    size_t start = displaced->at - address, end = 0;
    char before[256], after[256];

    for (size_t i = 0; i < displaced->count; i++) {
        const struct displaced_step *step = &displaced->steps[i];

        read_text(function + start + step->from, 15, displaced->at + step->from,
                  before);
        end = step->to + read_text(displaced->code + step->to,
                                   displaced->size - step->to, moved + step->to,
                                   after);
        assert_string_equal(before, after);
    }
    if (end == displaced->size)
        return; /* it ends with its own jump or return */
    read_text(displaced->code + end, displaced->size - end, moved + end, after);
    snprintf(before, sizeof before, "jmp 0x%016lX",
             (unsigned long)(displaced->at + displaced->taken));
    assert_string_equal(after, before);
    assert_int_equal(end + DISPLACED_JUMP, displaced->size);
}

static void try_function(struct tally_of_functions *sum,
                         const uint8_t *function, size_t size, uint64_t address)
{
    uint64_t moved = sum->moved % 2 == 0 ? address + FAR : address - FAR;
    struct displaced displaced;
    uint8_t jump[DISPLACED_JUMP];
    char text[256];

    if (displaced_move(&displaced, function, size, address, moved) != NULL) {
        sum->refused++;
        return;
    }
    assert_in_range(displaced.taken, DISPLACED_JUMP, size);
    compare(&displaced, function, address, moved);
    displaced_write_jump(jump, displaced.at, moved);
    assert_int_equal(read_text(jump, sizeof jump, displaced.at, text),
                     sizeof jump);
    sum->moved++;
}

static void try_symbols(struct tally_of_functions *sum, Elf *elf,
                        Elf_Scn *section, const uint8_t *bytes, size_t size)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
        GElf_Shdr code;

        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0 ||
            gelf_getshdr(elf_getscn(elf, symbol.st_shndx), &code) == NULL ||
            code.sh_type != SHT_PROGBITS)
            continue;
        assert_true(symbol.st_value - code.sh_addr + code.sh_offset +
                        symbol.st_size <=
                    size);
        try_function(sum,
                     bytes + symbol.st_value - code.sh_addr + code.sh_offset,
                     symbol.st_size, symbol.st_value + 0x7f0000000000);
    }
}

static void try_library(struct tally_of_functions *sum, const char *name)
{
    char path[256];
    struct stat status;
    Elf_Scn *section = NULL;
    Elf *elf;
    void *bytes;
    int file;

    snprintf(path, sizeof path, "/usr/lib/x86_64-linux-gnu/%s", name);
    file = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(file >= 0 && fstat(file, &status) == 0);
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    assert_ptr_not_equal(bytes, MAP_FAILED);
    elf = elf_memory(bytes, (size_t)status.st_size);
    assert_non_null(elf);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;

        assert_non_null(gelf_getshdr(section, &header));
        if (header.sh_type == SHT_DYNSYM)
            try_symbols(sum, elf, section, bytes, (size_t)status.st_size);
    }
    elf_end(elf);
    munmap(bytes, (size_t)status.st_size);
    close(file);
}

static void what_is_moved_reads_as_it_did(void **state)
{
    struct tally_of_functions sum = { 0, 0 };

    (void)state;
    elf_version(EV_CURRENT);
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++)
        try_library(&sum, libraries[i]);
    printf("%zu moved, %zu refused\n", sum.moved, sum.refused);
    assert_in_range(sum.moved, FUNCTIONS_AT_LEAST, SIZE_MAX);
    assert_in_range(sum.refused, 0, sum.moved / 10);
}

struct refusal {
    const char *why;
    uint8_t code[16];
    size_t size;
};

static void what_cannot_be_moved_is_refused(void **state)
{
    static const struct refusal refusals[] = {
        { "is too short", { 0x31, 0xc0, 0xc3 }, 3 },
        /* ret before the fifth byte, and what follows is not its own */
        { "is too short", { 0x31, 0xc0, 0xc3, 0x90, 0x90, 0x90 }, 6 },
        { "is too short", { 0xeb, 0x10, 0x90, 0x90, 0x90 }, 5 },
        { "begins with a call", { 0xe8, 0, 0, 0, 0, 0xc3 }, 6 },
        { "begins with a call", { 0x53, 0xff, 0xd0, 0x5b, 0x90, 0xc3 }, 6 },
        /* jrcxz */
        { "begins with a loop", { 0xe3, 0x10, 0x90, 0x90, 0x90, 0xc3 }, 6 },
        { "is not understood", { 0x53, 0x06, 0x90, 0x90, 0x90, 0xc3 }, 6 },
        /* jmp back to the second instruction */
        { "jumps to its own beginning",
          { 0x53, 0x90, 0x90, 0x90, 0x90, 0xeb, 0xfa },
          7 },
        { "jumps to its own beginning",
          { 0x53, 0x90, 0x90, 0x90, 0x90, 0x75, 0xf9, 0xc3 },
          8 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        struct displaced displaced;

        assert_string_equal(displaced_move(&displaced, refusals[i].code,
                                           refusals[i].size, 0x400000,
                                           0x600000),
                            refusals[i].why);
    }
}

/* lea 0(%rip), with data 3 GiB away from the code's new place. */
static void data_too_far_away_is_refused(void **state)
{
    static const uint8_t code[] = { 0x48, 0x8d, 0x05, 0, 0, 0, 0x90, 0xc3 };
    struct displaced displaced;

    (void)state;
    assert_string_equal(displaced_move(&displaced, code, sizeof code, 0x400000,
                                       0x400000 + (UINT64_C(3) << 30)),
                        "leads too far away");
}

static void a_landing_pad_stays(void **state)
{
    static const uint8_t code[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0x53,
                                    0x90, 0x90, 0x90, 0x90, 0xc3 };
    struct displaced displaced;

    (void)state;
    assert_null(
        displaced_move(&displaced, code, sizeof code, 0x400000, 0x600000));
    assert_int_equal(displaced.at, 0x400004);
    assert_int_equal(displaced.taken, DISPLACED_JUMP);
    assert_int_equal(displaced.count, DISPLACED_JUMP);
    for (uint8_t i = 0; i < DISPLACED_JUMP; i++) {
        assert_int_equal(displaced.steps[i].from, i);
        assert_int_equal(displaced.steps[i].to, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_moved_reads_as_it_did),
        cmocka_unit_test(what_cannot_be_moved_is_refused),
        cmocka_unit_test(data_too_far_away_is_refused),
        cmocka_unit_test(a_landing_pad_stays),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
