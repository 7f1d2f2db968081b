/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_demangle.c - any text, as the name of a C++ or Rust function
 *
 * The test is that nothing crashes, and that a name stays a name.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tool/symbols/lookup.h"

#undef NDEBUG
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = malloc(size + 1);
    char *with, *without;

    assert(name != NULL);
    memcpy(name, data, size);
    name[size] = '\0';
    with = demangle(name, DEMANGLE_WITH_ARGUMENTS);
    without = demangle(name, DEMANGLE_WITHOUT_ARGUMENTS);
    assert(with != NULL && without != NULL);
    free(with);
    free(without);
    free(name);
    return 0;
}
