/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_object_names.c - any bytes, as an ELF file with variables
 *
 * The test is that nothing crashes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool/symbols/lookup.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct object_names *names, uint64_t address)
{
    struct object_name name;

    if (object_names_find(names, address, &name))
        assert(strlen(name.name) > 0);
    object_names_is_ram(names, address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int file = memfd_create("object_names", MFD_CLOEXEC);
    struct object_names *names;
    const char *why = NULL;
    char path[64];

    assert(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    names = object_names_open(path, &why);
    assert((names == NULL) == (why != NULL));
    if (names != NULL) {
        ask(names, 0);
        ask(names, UINT64_C(0x20010048));
        ask(names, UINT64_MAX);
    }
    object_names_close(names);
    close(file);
    return 0;
}
