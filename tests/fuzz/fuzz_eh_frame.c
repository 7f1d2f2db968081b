/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_eh_frame.c - any bytes, as .eh_frame_hdr and .eh_frame
 *
 * Every function in the table is found, its rows are run, a rule is made of
 * each, and every expression is computed over memory and registers that are
 * hashes of their address. The test is that nothing crashes, and that results
 * lie within the file.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/cfi.h"

#undef NDEBUG
#include <assert.h>

enum { ROWS = 64, TABLE = 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_register(void *context, unsigned number, uint64_t *value)
{
    (void)context;
    assert(number <= CFI_RETURN);
    *value = number * UINT64_C(0x9e3779b97f4a7c15);
    return number % 5 != 4;
}

static bool read_memory(void *context, uint64_t address, uint64_t *value)
{
    (void)context;
    *value = (address ^ address >> 7) * UINT64_C(0xd6e8feb86659fd93);
    return address % 8 == 0;
}

static const struct cfi_reader reader = { read_register, read_memory, NULL };

static void work_out(const struct eh_frame_file *file,
                     const struct cfi_place *place)
{
    uint64_t value = 8;

    if (place->how != CFI_IS_EXPRESSION && place->how != CFI_AT_EXPRESSION)
        return;
    assert((uintptr_t)place->expression >= file->start &&
           (uintptr_t)place->expression + place->size <= file->end);
    cfi_expression_run(place, &reader, true, &value);
    cfi_expression_run(place, &reader, false, &value);
}

static void ask(struct cfi_machine *machine, uintptr_t address)
{
    struct unwind_rule rule = unwind_rule_make(address, machine);

    if (rule.kind == UNWIND_RULE_NONE)
        return;
    assert(rule.cfa_register < CFI_RETURN);
    assert(address >= machine->entry.start && address < machine->entry.end);
    work_out(&machine->file, &machine->row.cfa);
    for (unsigned number = 0; number < CFI_REGISTERS; number++)
        work_out(&machine->file, &machine->row.registers[number]);
}

/* Look up the table's addresses, as in a valid table. */
static void ask_all(struct cfi_machine *machine, const uint8_t *image,
                    size_t size)
{
    for (size_t at = TABLE; at + 8 <= size && at < TABLE + 8 * ROWS; at += 8) {
        int32_t offset;
        uintptr_t start;

        memcpy(&offset, image + at, sizeof offset);
        start = (uintptr_t)image + (uintptr_t)(intptr_t)offset;
        ask(machine, start);
        ask(machine, start + 1);
        ask(machine, start + 15);
        ask(machine, start + 1000);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct cfi_machine machine;
    uint8_t *image = malloc(size);

    assert(image != NULL || size == 0);
    if (size != 0)
        memcpy(image, data, size);
    cfi_forget(&machine);
    machine.file =
        (struct eh_frame_file){ .start = (uintptr_t)image,
                                .end = (uintptr_t)image + size,
                                .header = (uintptr_t)image,
                                .frames_start = (uintptr_t)image,
                                .frames_end = (uintptr_t)image + size };
    if (eh_frame_open(&machine.file) != 0)
        ask_all(&machine, image, size);
    free(image);
    return 0;
}
