/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_elf_file.c - any bytes, as the file of a program or a library
 *
 * The file is queried as `tally record` and reports do: if it can be recorded,
 * its identity, patches of its own malloc, and the functions, inlined ones
 * included, at addresses all over it. Besides not crashing:
 *
 *   F1  a chain of functions is not too long, and its names are texts
 *   F2  a build-id and an allocator's name fit into their buffers
 *   F3  the recorder accepts a plan of patches
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool/launch/launch_parts.h"
#include "tool/patch/patch.h"
#include "tool/symbols/lookup.h"

#undef NDEBUG
#include <assert.h>

enum { PLACES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask_names(const char *path, const struct elf_identity *identity)
{
    struct symbols *symbols = symbols_create(NULL, DEMANGLE_WITH_ARGUMENTS);
    int number = symbols_add_module(symbols, path, identity->build_id,
                                    identity->build_id_size);
    uint64_t step = (identity->high - identity->low) / PLACES;
    struct symbol chain[SYMBOLS_CHAIN_LIMIT];

    for (uint64_t i = 0; i < PLACES; i++) {
        size_t count = symbols_find_chain(symbols, number,
                                          identity->low + i * step + i, chain);

        assert(count <= SYMBOLS_CHAIN_LIMIT);
        for (size_t j = 0; j < count; j++)
            assert(chain[j].function == NULL || strlen(chain[j].function) > 0);
    }
    symbols_destroy(symbols);
}

static void check_plan(const char *path)
{
    static struct patch_plan plan;
    char why[PATCH_WHY_SIZE];

    if (!patch_plan_make(path, &plan, why)) {
        assert(memchr(why, '\0', sizeof why) != NULL);
        return;
    }
    assert(plan.count > 1 && plan.count <= PATCH_CAPACITY);
    for (uint32_t i = 0; i < plan.count; i++) {
        const struct patch_entry *entry = &plan.entries[i];

        assert(memchr(entry->name, '\0', sizeof entry->name) != NULL);
        assert(entry->same_as <= i && entry->code_size <= PATCH_CODE);
        assert(entry->covered_size == 0 || entry->covered_size >= PATCH_JUMP);
        assert(entry->covered_size <= PATCH_COVERED);
        for (uint32_t j = 0; j < entry->offset_count; j++)
            assert(entry->offsets[j] + 4 <= entry->code_size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int file = memfd_create("elf_file", MFD_CLOEXEC);
    struct elf_identity identity;
    struct program_facts facts;
    const char *why = NULL;
    char path[64], name[64];

    assert(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    program_file_read(path, &facts);
    assert(facts.interpreter == NULL ||
           memchr(facts.interpreter, '\0',
                  (size_t)(facts.head + sizeof facts.head -
                           facts.interpreter)) != NULL);
    patch_find_allocator(path, name, sizeof name);
    assert(memchr(name, '\0', sizeof name) != NULL);
    check_plan(path);
    if (elf_identity_read(path, &identity, &why) == 0) {
        assert(identity.build_id_size <= sizeof identity.build_id);
        ask_names(path, &identity);
    }
    close(file);
    return 0;
}
